@testable import LinkTools

extension LinkReport {
    /// Of a host with sound files, but for these changes.
    static func of(
        apple: String? = soundApple, android: String? = soundAndroid, expecting: LinkExpectations? = nil,
        urls: [String] = [], change: (inout LinkVisit) -> Void = { _ in }
    ) throws -> LinkReport {
        var visit = LinkVisit(source: .host(scheme: "https", host: "join.example.com", port: nil))
        for (file, text) in [(AssociationFile.apple, apple), (.oldApple, apple), (.android, android)] {
            visit.answers.append(
                LinkVisit.Answer(
                    file: file, address: "https://join.example.com\(file.rawValue)",
                    status: text == nil ? 404 : 200,
                    headers: ["content-type": "application/json"], body: Array((text ?? "").utf8)))
        }
        change(&visit)
        return LinkReport(
            visit, try expecting ?? LinkExpectations(), urls.compactMap { TestedURL($0) })
    }

    static let key = "14:6D:E9" + String(repeating: ":AB", count: 29)

    static let soundApple = """
        {
          "applinks": {
            "apps": [],
            "details": [
              {
                "appID": "ABCDE12345.com.example.app",
                "appIDs": ["ABCDE12345.com.example.app"],
                "components": [
                  {"/": "/users/*/?*", "exclude": true, "comment": "Pictures."},
                  {"/": "/users/?*", "comment": "A user's link."}
                ],
                "paths": ["NOT /users/*/?*", "/users/?*"]
              }
            ]
          },
          "webcredentials": {"apps": ["ABCDE12345.com.example.app"]},
          "appclips": {"apps": ["ABCDE12345.com.example.app.Clip"]}
        }
        """

    static let soundAndroid = """
        [
          {
            "relation": ["delegate_permission/common.handle_all_urls"],
            "relation_extensions": {"delegate_permission/common.handle_all_urls": {"dynamic_app_link_components": [
              {"/": "/users/*/?*", "exclude": true},
              {"/": "/users/?*"}
            ]}},
            "target": {
              "namespace": "android_app",
              "package_name": "com.example.app",
              "sha256_cert_fingerprints": ["\(key)"]
            }
          }
        ]
        """
}

extension LinkVisit {
    /// Changes an answer.
    mutating func change(_ file: AssociationFile, _ change: (inout Answer) -> Void) {
        for index in answers.indices where answers[index].file == file { change(&answers[index]) }
    }
}
