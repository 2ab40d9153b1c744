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
                "Versions, share of calls", "Answers, calls a day", "5.2 or newer", "others", ">5.10<",
                "2026-10-02",
            ] {
                #expect(answer.text.contains(text), "\(text): \(answer.text)")
            }
            // An eighth of the calls of the first day, three quarters of the second.
            #expect(answer.text.contains(#"cy="114""#) && answer.text.contains(#"cy="32""#), "\(answer.text)")
            #expect(XMLParser(data: Data(answer.bytes)).parse())
            #expect(try await app.get("\(path)&language=ja", headers: admin).text.contains("バージョン別の割合"))
            let empty = try await app.get("\(path)&app=com.nobody", headers: admin)
            #expect(empty.text.contains("Nobody called") && XMLParser(data: Data(empty.bytes)).parse())
            for (query, field) in [
                ("policy=nobody", "policy"), ("language=fr", "language"), ("from=x", "from"),
            ] {
                let refused = try await app.get("/v1/admin/client-versions.svg?\(query)", headers: admin)
                #expect(refused.status == 400 && refused["field"] == field, "\(refused.text)")
            }
        }
    }

    @Test(arguments: [("2026-10-01", "en"), ("2026-10-15", "en"), ("2026-10-30", "ja"), ("2026-10-31", "en")])
    func `the word for the beginning of the policy is inside the picture`(day: String, language: String)
        async throws
    {
        let texts = try AdoptionTexts(language)
        let picture = AdoptionPicture(
            days: (1...31).map { "2026-10-\($0 < 10 ? "0" : "")\($0)" },
            counts: [(Self.count("5.2", day: day), 1)], target: VersionNumber("5.2"),
            start: Date(rfc3339: "\(day)T00:00:00Z"), scope: [], texts: texts)
        let word = try #require(
            picture.svg.firstMatch(of: /<text x="(\d+)"( text-anchor="end")? y="10"[^>]*>(開始|start)</))
        let (x, width) = (try #require(Int(word.1)), language == "ja" ? 22 : 30)
        let (from, to) = word.2 == nil ? (x, x + width) : (x - width, x)
        #expect(from >= 44 && to <= 360, "\(word.0)")
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
                #"<title id="title">Versions of apps · ios · ios · com.example.app · 2026-10-01 – 2026-10-02</title>"#,
                "share of calls: 5.2 25 % (1), 5.1 75 % (3).", "none 25 % (1), soft 75 % (3).",
                "5.2 or newer, share of calls: 2026-10-01 25 %.</desc>",
            ] {
                #expect(answer.text.contains(text), "\(text): \(answer.text.prefix(900))")
            }
        }
    }

    @Test(arguments: [
        ["1.0", "1.1", "1.2", "1.3", "1.4"], (1...5).map { "2026.11.25.140\($0)" },
        (1...5).map { "20261125140000000000000000000000\($0).0" },
    ])
    func `names of versions do not run into one another`(versions: [String]) async throws {
        try await TestApp.run { app in
            let counts = (versions + ["unreadable"]).map { (Self.count($0), 1_234_567) }
            try await VersionCountStore(db: app.db).add(Dictionary(uniqueKeysWithValues: counts))
            let path = "/v1/admin/client-versions.svg?from=2026-10-01&to=2026-10-02"
            let text = try await app.get(path, headers: app.keyed()).text
            #expect(text.contains(">7.4M<"), "the scale has room for all digits")
            let chart = try #require(text.components(separatedBy: "font-weight").dropFirst().first)
            let names = chart.matches(
                of: /height="10" fill="[^"]*"\/><text x="(\d+)" y="(\d+)" font-size="11">([^<]*)</
            )
            .map { (x: Int($0.1) ?? 0, y: Int($0.2) ?? 0, text: $0.3) }
            #expect(names.count == 6 && Set(names.map(\.text)).count == 6, "\(names)")
            for (one, next) in zip(names, names.dropFirst()) where one.y == next.y {
                #expect(one.x + one.text.count * 6 < next.x - 14, "\(one) \(next)")
            }
            for one in names { #expect(one.x + one.text.count * 6 < 360 && one.y < 244 - 30, "\(one)") }
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
