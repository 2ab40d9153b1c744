import Crypto
import Foundation
import HTTPTypes
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Rollout
@testable import Web

/// `GET /v1/policy`, and what operators see of it.
@Suite(.inTurns) struct PolicyRoutesTests {
    private final class Clock: Sendable {
        private let time: Mutex<Date>

        init(_ time: Date) {
            self.time = Mutex(time)
        }

        var now: Date { time.withLock { $0 } }

        func wait(_ seconds: Double) {
            time.withLock { $0 += seconds }
        }
    }

    static let file = """
        policies:
          old-ios:
            platform: ios
            priority: 10
            when: {version: {lt: "4.0"}}
            action: hard
            target: "5.2"
            minimumOS: "16.0"
            messages:
              en: {title: Update needed, text: This version no longer works.}
              ja: {title: 更新してください, text: このバージョンは使えません。}
          ios:
            platform: ios
            when: {version: {lt: "5.2"}}
            action: soft
            target: "5.2"
            snoozeHours: 24
            url: https://example.com/update
          wave:
            platform: android
            when: {version: {lt: "6"}, rollout: {percent: 50, salt: wave}, from: 2020-01-01T00:00:00Z, until: 2099-01-01T00:00:00Z}
            action: block
            target: "6"
            minimumOS: "9"
        """

    static func run(
        _ more: (inout Config) -> Void = { _ in }, world: World = .live,
        _ test: @Sendable (TestApp, HTTPFields) async throws -> Void
    ) async throws {
        try await TestApp.run(
            configure: {
                TestApp.withStores(&$0)
                $0.secretsKey = SecretsKey(Data(repeating: 7, count: 32).base64EncodedString())
                more(&$0)
            }, world: world
        ) { app in
            try await app.apply(file)
            try await test(app, try await app.keyed(.client))
        }
    }

    @Test func `an app is answered by the policy for its version`() async throws {
        try await Self.run { app, key in
            let hard = try await app.get(
                "/v1/policy?platform=ios&version=3.9&os=17.1&language=ja_JP&app=com.example.app", headers: key
            )
            #expect(hard.status == 200)
            let expected = [
                "action": "hard", "policy": "old-ios", "target": "5.2", "title": "更新してください",
                "text": "このバージョンは使えません。", "language": "ja", "platform": "ios", "app": "com.example.app",
                "version": "3.9", "revision": "1", "url": "https://apps.apple.com/app/id6448311069",
            ]
            for (name, value) in expected { #expect(hard[name] == value, "\(name)") }
            #expect(hard["snoozeHours"] == nil)
            let soft = try await app.get("/v1/policy?platform=ios&version=4.0", headers: key)
            #expect(
                soft["action"] == "soft" && soft["snoozeHours"] == "24"
                    && soft["url"] == "https://example.com/update")
            #expect(soft["title"] == nil && soft["app"] == nil)
            for query in ["version=5.2", "version=6", "version=x", ""] {
                let none = try await app.get("/v1/policy?platform=ios&\(query)&os=17", headers: key)
                #expect(none["action"] == "none" && none["target"] == nil && none["url"] == nil, "\(query)")
            }
            let old = try await app.get("/v1/policy?platform=ios&version=3.0&os=15.8", headers: key)
            #expect(old["policy"] == "ios" && old["action"] == "soft", "\(old.text)")
            // Another app than the store's has no page there that Kith knows.
            let other = try await app.get(
                "/v1/policy?platform=ios&version=3.0&os=17&app=com.example.pad", headers: key)
            #expect(other["action"] == "hard" && other["url"] == nil)
        }
    }

    @Test(arguments: ["country=", "country=Japan", "country=419", "language=", "language=zh_CN_%23Hans"])
    func `a phone that says what nobody can read still hears of the update`(odd: String) async throws {
        try await Self.run { app, key in
            let answer = try await app.get(
                "/v1/policy?platform=ios&version=3.9&os=17.1&app=com.example.app&\(odd)", headers: key)
            #expect(answer["action"] == "hard", "\(answer.text)")
        }
    }

    @Test(arguments: [
        ("", "platform"), ("?platform=web", "platform"), ("?platform=ios&platform=ios", "platform"),
        ("?platform=ios&app=a%20b", "app"),
        ("?platform=ios&installationId=", "installationId"),
        ("?platform=ios&version=1&version=2", "version"),
    ])
    func `a parameter that is wrong is named`(query: String, field: String) async throws {
        try await Self.run { app, key in
            let answer = try await app.get("/v1/policy\(query)", headers: key)
            #expect(answer.status == 400 && answer["field"] == field, "\(answer.text)")
        }
    }

    @Test func `an answer is kept, asked for again by its tag, and signed`() async throws {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        let clock = Clock(now)
        var world = World.live
        world.now = { clock.now }
        try await Self.run(world: world) { app, key in
            let path = "/v1/policy?platform=ios&version=4.0"
            let first = try await app.get(path, headers: key)
            #expect(first.headers[.cacheControl] == "private, max-age=300")
            let tag = try #require(first.headers[.eTag])
            clock.wait(60)
            let again = try await app.get(path, headers: key.merging([.ifNoneMatch: tag]))
            #expect(again.status == 304 && again.bytes.isEmpty)
            #expect(again.headers[.eTag] == tag && again.headers[.kithSignature] != nil)
            let shape = "/v1/policy/remote-config?platform=ios&version=4.0"
            let shapeTag = try #require(try await app.get(shape, headers: key).headers[.eTag])
            // An hour on it is another answer, which lasts longer; in the other shape it says no end, and is
            // the same.
            clock.wait(3600)
            let same = try await app.get(shape, headers: key.merging([.ifNoneMatch: shapeTag]))
            #expect(same.status == 304)
            let later = try await app.get(path, headers: key.merging([.ifNoneMatch: tag]))
            #expect(later.status == 200 && later["expiresAt"] != first["expiresAt"])
            try await app.apply("policies: {}")
            #expect(try await app.get(path, headers: key)["action"] == "none")
            // As an app verifies it, with the public key that it was built with.
            let admin = try await app.keyed(.admin)
            let text = try #require(try await app.get("/v1/admin/policies", headers: admin)["publicKey"])
            let bytes = try #require(Data(base64Encoded: text))
            let publicKey = try Curve25519.Signing.PublicKey(rawRepresentation: bytes)
            let signature = try #require(first.headers[.kithSignature].flatMap { Data(base64Encoded: $0) })
            #expect(publicKey.isValidSignature(signature, for: Data(first.bytes)))
            #expect(!publicKey.isValidSignature(signature, for: Data(first.bytes.dropLast())))
            #expect(!publicKey.isValidSignature(signature, for: Data(later.bytes)))
        }
    }

    @Test func `without a secrets key there is no signature`() async throws {
        try await Self.run({ $0.secretsKey = nil }) { app, key in
            #expect(try await app.get("/v1/policy?platform=ios", headers: key).headers[.kithSignature] == nil)
            let admin = try await app.keyed(.admin)
            #expect(try await app.get("/v1/admin/policies", headers: admin)["publicKey"] == nil)
        }
    }

    @Test(arguments: [
        ("platform=ios&version=3.0&os=17", "5.2", true, "16.0"),
        ("platform=ios&version=4.5&os=17", "5.2", false, "0.0"),
        ("platform=ios&version=5.2&os=17", "0.0", false, "0.0"),
        ("platform=ios&version=x", "0.0", false, "0.0"),
        ("platform=ios&version=3.0", "5.2", false, "16.0"),
    ])
    func `apps with a parameter of Remote Config get its shape`(
        query: String, version: String, isForce: Bool, os: String
    ) async throws {
        try await Self.run { app, key in
            let answer = try await app.get("/v1/policy/remote-config?\(query)", headers: key)
            #expect(
                Set(answer.json.keys) == [
                    "version", "is_force", "start_date", "end_date", "support_os_version",
                ])
            #expect(
                answer["version"] == version && (answer.json["is_force"] as? Bool) == isForce,
                "\(answer.text)")
            #expect(
                answer["start_date"] == "1970-01-01" && answer["end_date"] == "9999-12-31")
        }
    }

    @Test func `an operator tries out an installation, and sees why each policy decides or not`() async throws
    {
        try await Self.run { app, _ in
            let admin = try await app.keyed(.admin)
            let trial = try await app.get(
                "/v1/admin/policies/evaluate?platform=ios&version=3.0&os=17", headers: admin)
            #expect(trial["answer.action"] == "hard" && trial["isVersionRead"] == "1", "\(trial.text)")
            let parts = try #require(trial.json["policies"] as? [[String: String]])
            #expect(parts.map { $0["policy"] } == ["old-ios", "ios", "wave"])
            #expect(parts.map { $0["outcome"] } == ["decides", "stands", "misses"])
            #expect(parts.last?["condition"] == "platform")
            let wave = "/v1/admin/policies/evaluate?platform=android&version=5&os=12&installationId"
            var seen: Set<String> = []
            for number in 0..<20 {
                seen.insert(try await app.get("\(wave)=i-\(number)", headers: admin)["answer.action"] ?? "")
            }
            #expect(seen == ["none", "block"])
            let early = try await app.get("\(wave)=i&at=2019-01-01T00:00:00Z", headers: admin)
            #expect(early["answer.expiresAt"] == "2019-01-01T02:00:00.000Z", "\(early.text)")
            #expect(app.app.versionCounts.take().isEmpty, "a trial counts nothing")
            let listed = try await app.get("/v1/admin/policies", headers: admin)
            #expect(listed["version"] == "1" && listed["policies.wave.when.rollout.salt"] == nil)
            #expect(
                (listed.json["policies"] as? [String: [String: String]])?["wave"]?["when.rollout.salt"]
                    == "wave")
        }
    }

    @Test func `policies that a newer Kith applied leave what was before, and at first answer 503`()
        async throws
    {
        try await Self.run { app, key in
            try await app.db.write.run(
                """
                UPDATE applied_files SET content = '{"policies": {"p": {"future": "1"}}}', version = version + 1
                WHERE section = 'policies'
                """)
            await #expect(throws: AppliedError.self) { try await app.app.policies.follow() }
            #expect(try await app.get("/v1/policy?platform=ios&version=4", headers: key)["action"] == "soft")
        }
        try await TestApp.run { app in
            try await app.db.write.run(
                "INSERT INTO applied_files (section, content, version) VALUES ('policies', '[]', 1)")
            let answer = try await app.get(
                "/v1/policy?platform=ios&version=4", headers: try await app.keyed(.client))
            #expect(answer.status == 503 && answer.headers[.retryAfter] != nil, "\(answer.text)")
        }
    }
}

extension HTTPFields {
    fileprivate func merging(_ more: HTTPFields) -> HTTPFields {
        var all = self
        for field in more { all[field.name] = field.value }
        return all
    }

    @Test func `the shape of Remote Config has days, by the clock of the file`() async throws {
        try await TestApp.run { app in
            let key = try await app.keyed(.client)
            for (until, last) in [
                ("2099-03-01", "2099-03-01"), ("2099-03-01T00:00:00+09:00", "2099-03-01"),
                ("2099-02-28T09:30:00+09:00", "2099-03-01"), ("2099-12-31T23:00:00Z", "2100-01-01"),
            ] {
                try await app.apply(
                    """
                    timezone: Asia/Tokyo
                    policies:
                      ios_update:
                        platform: ios
                        action: soft
                        target: 5.0
                        when: {version: {lt: 5}, from: 2023-02-28, until: "\(until)"}
                    """)
                let answer = try await app.get(
                    "/v1/policy/remote-config?platform=ios&version=4.0", headers: key)
                #expect(answer["start_date"] == "2023-02-28" && answer["end_date"] == last, "\(answer.text)")
            }
        }
    }

    @Test func `the country of a proxy counts for an app that says none, and never for a backend`()
        async throws
    {
        try await TestApp.run(configure: { $0.counts.countryHeader = "CF-IPCountry" }) { app in
            try await app.apply(
                """
                policies:
                  japan: {platform: ios, action: soft, target: 5.0, when: {version: {lt: 5}, country: [JP]}}
                values:
                  hello: {value: Hello, rules: {japan: {value: こんにちは, when: {country: [JP]}}}}
                """)
            let header = try #require(HTTPField.Name("CF-IPCountry"))
            for (scope, seen, said, isJapan) in [
                (APIKey.Scope.client, "JP", "", true), (.client, "US", "", false),
                (.client, "US", "&country=JP", true),
                (.client, "JP", "&country=US", false), (.client, "JP", "&country=419", true),
                (.client, "jp", "", false), (.client, "JPN", "", false), (.server, "JP", "", false),
                (.server, "JP", "&country=JP", true),
            ] {
                let key = try await app.keyed(scope).merging([header: seen])
                let policy = try await app.get("/v1/policy?platform=ios&version=4\(said)", headers: key)
                #expect(policy["action"] == (isJapan ? "soft" : "none"), "\(seen) \(said)")
                let values = try await app.get("/v1/values?platform=ios\(said)", headers: key)
                #expect(values["values.hello"] == (isJapan ? "こんにちは" : "Hello"), "\(seen) \(said)")
            }
        }
    }
}
