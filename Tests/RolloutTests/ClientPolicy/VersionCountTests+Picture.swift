import Foundation
import HTTPTypes
import Testing

@testable import AppTesting
@testable import Counts
@testable import Kernel
@testable import Rollout
@testable import Web

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The picture of versions.
extension VersionCountTests {
    @Test func `the picture has three charts, and follows the target of a policy`() async throws {
        try await PolicyRoutesTests.run { app, _ in
            let admin = try await app.keyed(.admin)
            try await VersionCountStore(db: app.db).add([
                Self.count("5.1", .soft): 3, Self.count("5.2"): 1, Self.count("unreadable"): 4,
                Self.count("5.1", .soft, day: "2026-10-02"): 1, Self.count("5.10", day: "2026-10-02"): 3,
            ])
            let path = "/v1/admin/client-versions.svg?from=2026-10-01&to=2026-10-02"
            let answer = try await app.get("\(path)&policy=ios", headers: admin)
            #expect(answer.status == 200 && answer.headers[.contentType] == "image/svg+xml")
            for text in [
                "Versions, share of calls", "Answers, calls per day", "5.2 or newer", "others", ">5.10 25%<",
                "Oct 1 – Oct 2, 2026",
            ] {
                #expect(answer.text.contains(text), "\(text): \(answer.text)")
            }
            // An eighth of the calls of the first day, three quarters of the second.
            #expect(answer.text.contains("Oct 1, 2026: 5.2 or newer, share of calls 13%"), "\(answer.text)")
            #expect(answer.text.contains("Oct 2, 2026: 5.2 or newer, share of calls 75%"))
            #expect(XMLParser(data: Data(answer.bytes)).parse())
            #expect(try await app.get("\(path)&hl=ja", headers: admin).text.contains("バージョン別の割合"))
            var japanese = admin
            japanese[.acceptLanguage] = "ja"
            let spoken = try await app.get(path, headers: japanese)
            #expect(spoken.text.contains("バージョン別の割合") && spoken.headers[.contentLanguage] == "ja")
            let empty = try await app.get("\(path)&app=com.nobody", headers: admin)
            #expect(empty.text.contains("Nothing was counted") && XMLParser(data: Data(empty.bytes)).parse())
            for (query, field) in [
                ("policy=nobody", "policy"), ("hl=fr", "hl"), ("from=x", "from"),
                ("width=9", "width"),
            ] {
                let refused = try await app.get("/v1/admin/client-versions.svg?\(query)", headers: admin)
                #expect(refused.status == 400 && refused["field"] == field, "\(refused.text)")
            }
        }
    }

    @Test func `newer versions that somebody made up do not make the target of a policy look adopted`()
        async throws
    {
        try await PolicyRoutesTests.run { app, _ in
            let invented = (0..<20).map { (Self.count("9.\($0)"), 4) }
            try await VersionCountStore(db: app.db).add(
                [Self.count("5.1", .soft): 60, Self.count("5.2"): 60].merging(invented) { $1 })
            let answer = try await app.get(
                "/v1/admin/client-versions.svg?from=2026-10-01&to=2026-10-01&policy=ios",
                headers: app.keyed())
            #expect(
                answer.text.contains("Oct 1, 2026: 5.2 or newer, share of calls 30%"), "\(answer.text)")
        }
    }

    @Test func `a browser asks for a key, and shows the picture`() async throws {
        try await TestApp.run { app in
            let path = "/v1/admin/client-versions.svg"
            let refused = try await app.get(path)
            #expect(
                refused.status == 401
                    && refused.headers[.wwwAuthenticate] == #"Basic realm="Kith", charset="UTF-8""#)
            let openapi = try RepositoryFile.read("openapi.yaml")
            let pattern = try #require(
                openapi.firstMatch(of: /WWW-Authenticate:\n.*\n.*pattern: '([^']*)'/)?.output.1)
            for path in [path, "/v1/me"] {
                let asked = try #require(try await app.get(path).headers[.wwwAuthenticate])
                #expect(asked.range(of: pattern, options: .regularExpression) != nil, "\(asked)")
            }
            let key = try await APIKeyStore(db: app.db).create(name: "test", scope: .admin)
            let basic = Data("me:\(key)".utf8).base64EncodedString()
            #expect(try await app.get(path, headers: [.authorization: "Basic \(basic)"]).status == 200)
        }
    }

    @Test func `a screen reader hears what it is a picture of, and what it shows`() async throws {
        try await PolicyRoutesTests.run { app, _ in
            try await VersionCountStore(db: app.db).add([Self.count("5.1", .soft): 3, Self.count("5.2"): 1])
            let path = "/v1/admin/client-versions.svg?from=2026-10-01&to=2026-10-02&app=com.example.app"
            let answer = try await app.get("\(path)&policy=ios", headers: app.keyed())
            for text in [
                #"role="img" aria-labelledby="title description""#,
                #"<title id="title">Versions of apps</title>"#,
                "ios, ios, com.example.app, Oct 1 – Oct 2, 2026.",
                "share of calls: 5.2 25% (1), 5.1 75% (3).", "none 25% (1), soft 75% (3).",
                "5.2 or newer, share of calls: Oct 1, 2026 25%.",
            ] {
                #expect(answer.text.contains(text), "\(text): \(answer.text.prefix(900))")
            }
        }
    }

    @Test(arguments: [
        ["1.0", "1.1", "1.2", "1.3", "1.4"], (1...5).map { "2026.11.25.140\($0)" },
        (1...5).map { "20261125140000000000000000000000\($0).0" },
    ])
    func `names of versions can be told apart`(versions: [String]) async throws {
        try await TestApp.run { app in
            let counts = (versions + ["unreadable"]).map { (Self.count($0), 1_234_567) }
            try await VersionCountStore(db: app.db).add(Dictionary(uniqueKeysWithValues: counts))
            for width in [360, 720] {
                let path = "/v1/admin/client-versions.svg?from=2026-10-01&to=2026-10-02&width=\(width)"
                let text = try await app.get(path, headers: app.keyed()).text
                #expect(text.contains(">7,407,402<"), "the largest number is there in full")
                let chart = try #require(text.components(separatedBy: "class=\"head\"").dropFirst().first)
                let names = chart.matches(of: /<text class="name"[^>]*>([^<]*)</).map(\.output.1)
                #expect(names.count == 6 && Set(names).count == 6, "\(names)")
            }
        }
    }

    @Test func `the policy that is drawn is of the app and the platform that are asked for`() async throws {
        try await PolicyRoutesTests.run { app, _ in
            let admin = try await app.keyed(.admin)
            let day = "2026-10-01"
            try await VersionCountStore(db: app.db).add([
                Self.count("5.1"): 3,
                VersionCount(
                    day: day, app: "com.example.app", platform: .android, version: "6.1", action: .none): 1,
            ])
            func draw(_ query: String) async throws -> TestApp.Answer {
                try await app.get(
                    "/v1/admin/client-versions.svg?from=\(day)&to=\(day)&\(query)", headers: admin)
            }
            #expect(try await draw("platform=android").text.contains("6.0 or newer"))
            #expect(try await draw("platform=ios").text.contains("5.2 or newer"))
            let refused = try await draw("platform=android&policy=ios")
            #expect(refused.status == 400 && refused["field"] == "policy", "\(refused.text)")
        }
    }
}
