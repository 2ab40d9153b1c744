import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Web

/// Deep links of a service that has closed.
extension SunsetTests {
    private static let party = "link=https%3A%2F%2Fexample.com%2Fparty"
    private static let apps = "apn=com.example.app&ibi=com.example.app&isi=6448311069"
    private static let invite = "link=\(PercentEncoding.encode("\(TestApp.origin)\(page)"))"
    private static let devices = [
        HTTPFields.android, .iPhone, [:], [.userAgent: "facebookexternalhit/1.1"],
        [.userAgent: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/26.0 Safari/605.1.15"],
        [.userAgent: "Mozilla/5.0 (Linux; Android 14; wv) Instagram 355.1.0.44.103 Android"],
    ]

    @Test(arguments: [
        ("\(party)&\(apps)", "https://example.com/party"),
        ("\(party)&\(apps)&efr=1", "https://example.com/party"),
        ("\(party)&\(apps)&st=Party&d=1", "https://example.com/party"),
        ("\(party)&\(apps)&ofl=https%3A%2F%2Fexample.com%2Fweb", "https://example.com/web"),
        ("\(invite)&\(apps)&ofl=https%3A%2F%2Fexample.com%2Fweb", "https://example.com/web"),
    ])
    func `a deep link with a web page of its own still leads there, past the store`(
        query: String, target: String
    ) async throws {
        try await Self.run { app, close in
            close()
            for device in Self.devices {
                var headers = device
                headers[.testHost] = "go.example.com"
                let answer = try await app.get("/?\(query)", headers: headers)
                #expect((answer.status, answer.headers[.location]) == (302, target), "\(answer.text)")
            }
        }
    }

    @Test func `a deep link to a user says good-bye, and does not tell their new name`() async throws {
        try await Self.run { app, close in
            let key = try await app.keyed(.server)
            let made = try await app.post(
                "/v1/links", as: nil, headers: key,
                ["parameters": ["link": "\(TestApp.origin)\(Self.page)"], "suffix": "custom", "code": "ann"])
            #expect(made.status == 201, "\(made.text)")
            try await app.rename("u-ann", to: "anna")
            close()
            for path in ["/?\(Self.invite)&\(Self.apps)", "/ann", "/unknown", "/"] {
                for device in Self.devices {
                    var headers = device
                    (headers[.testHost], headers[.acceptLanguage]) = ("go.example.com", "en")
                    let answer = try await app.get(path, headers: headers)
                    #expect(answer.status == 410 && answer.headers[.location] == nil, "\(path)")
                    #expect(answer.text.contains("<title>Lantern has closed</title>"))
                    #expect(!answer.text.contains("anna"))
                }
            }
        }
    }

    @Test func `an app that a deep link opens still learns where it leads`() async throws {
        try await Self.run { app, close in
            let key = try await app.keyed(.client)
            close()
            let answer = try await app.post(
                "/v1/links/resolve", as: nil, headers: key, ["url": "https://go.example.com/?\(Self.party)"])
            #expect(answer["target"] == "https://example.com/party", "\(answer.text)")
        }
    }
}
