import Foundation
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Rollout
@testable import Web

/// Which policy decides, and what for.
@Suite struct PolicyRulesTests {
    private static let now = Date(timeIntervalSince1970: 1_790_000_000)

    static func asking(
        _ version: String? = "4.0", os: String? = "17.1", build: String? = nil, language: String? = nil,
        country: String? = nil, id: String? = nil, app: String? = nil, platform: AppPlatform = .ios,
        at: Date = now
    ) -> AskingApp {
        AskingApp(
            platform: platform, app: app, version: version.flatMap { VersionNumber($0) },
            build: build.flatMap { VersionNumber($0) }, system: os.flatMap { VersionNumber($0) },
            language: language.flatMap { Language($0) }, country: country, id: id, at: at)
    }

    /// Policies by their fields.
    static func rules(_ policies: [String: [String: String]]) -> (rules: PolicyRules, mistakes: [String]) {
        var applied = AppliedPolicies()
        applied.policies = policies
        return applied.read()
    }

    private static let base = [
        "platform": "ios", "action": "hard", "target": "5.0", "minimumOS": "16", "when.version.lt": "5.0",
    ]

    private static func decide(_ more: [String: String], _ asking: AskingApp) throws -> PolicyRules.Decision {
        let (rules, mistakes) = rules(["p": base.merging(more) { $1 }])
        try #require(mistakes == [], "\(mistakes)")
        return rules.decide(for: asking)
    }

    private static let cases: [([String: String], AskingApp, UpdatePolicy.Action)] = [
        ([:], asking("4.9.9"), .hard), ([:], asking("5.0"), .none), ([:], asking("5"), .none),
        ([:], asking("5.0.0.1"), .none), ([:], asking("10.0"), .none), ([:], asking(nil), .none),
        ([:], asking("v4"), .none), ([:], asking("4.0", platform: .android), .none),
        (["when.version.lte": "4.5"], asking("4.5.0"), .hard),
        (["when.version.lte": "4.5"], asking("4.5.1"), .none),
        (["when.build.lt": "500"], asking(build: "499"), .hard),
        (["when.build.lt": "500"], asking(build: "500"), .none),
        (["when.build.lt": "500"], asking(), .none), (["when.build.lt": "500"], asking(build: "beta"), .none),
        (["app": "com.example.app"], asking(app: "com.example.app"), .hard),
        (["app": "com.example.app"], asking(app: "com.example.other"), .none),
        (["app": "com.example.app"], asking(), .none),
        (["when.os.gte": "17"], asking(os: "17.0.1"), .hard),
        (["when.os.gte": "17"], asking(os: "16.9"), .none),
        (["when.os.in": "17.1,18"], asking(os: "17.1.0"), .hard),
        (["when.os.in": "17.1,18"], asking(os: "17.2"), .none),
        (["when.os.gte": "17"], asking(os: nil), .none),
        (["when.language": "ja"], asking(language: "ja-JP"), .hard),
        (["when.language": "ja"], asking(language: "jam"), .none),
        (["when.language": "zh-hant"], asking(language: "zh"), .none),
        (["when.language": "ja,en"], asking(), .none),
        (["when.country": "JP,KR"], asking(country: "KR"), .hard),
        (["when.country": "JP"], asking(country: "US"), .none),
        (["when.country": "JP"], asking(), .none),
        (["when.rollout.percent": "0"], asking(id: "i"), .none),
        (["when.rollout.percent": "100"], asking(), .hard),
        (["when.rollout.percent": "99.99"], asking(), .none),
        // た falls into 3198.
        (["when.rollout.percent": "31.98", "when.rollout.salt": "exp"], asking(id: "たなか"), .none),
        (["when.rollout.percent": "31.99", "when.rollout.salt": "exp"], asking(id: "たなか"), .hard),
        (["when.from": JSON.timestamp(now)], asking(), .hard),
        (["when.from": JSON.timestamp(now + 1)], asking(), .none),
        (["when.until": JSON.timestamp(now)], asking(), .none),
        (["when.until": JSON.timestamp(now + 1)], asking(), .hard),
        // A device that cannot run the target, or perhaps cannot.
        ([:], asking(os: "15.9"), .none), ([:], asking(os: "16"), .hard), ([:], asking(os: nil), .soft),
        ([:], asking(os: "Version 17"), .soft), (["action": "block"], asking(os: nil), .soft),
        (["action": "block"], asking(os: "15"), .none), (["action": "soft"], asking(os: "15"), .none),
    ]

    @Test(arguments: cases)
    func `a policy is for the installations that meet all its conditions`(
        more: [String: String], asking: AskingApp, action: UpdatePolicy.Action
    ) throws {
        #expect(try Self.decide(more, asking).action == action)
    }

    @Test func `the highest priority decides, and of equals the first by its key`() throws {
        let soft = ["platform": "ios", "action": "soft", "target": "5.0", "when.version.lt": "5.0"]
        let hard = [
            "platform": "ios", "action": "hard", "target": "5.0", "minimumOS": "16", "when.version.lt": "3.0",
            "priority": "10",
        ]
        let (rules, mistakes) = Self.rules(["b": soft, "a": soft, "c": hard])
        #expect(mistakes == [])
        #expect(rules.decide(for: Self.asking("2.0")).by?.key == "c")
        #expect(rules.decide(for: Self.asking("3.0")).by?.key == "a")
        // What the phone cannot run is not asked of it; the next policy may be for it.
        #expect(rules.decide(for: Self.asking("2.0", os: "15")).by?.key == "a")
        #expect(rules.decide(for: Self.asking("5.0")).by == nil)
    }

    @Test func `a larger rollout keeps everybody whom it had`() throws {
        var before: Set<Int> = []
        for percent in ["1", "10", "10.5", "50", "99.99", "100"] {
            let asked = try (0..<1000).filter { number in
                try Self.decide(["when.rollout.percent": percent], Self.asking(id: "i-\(number)")).action
                    == .hard
            }
            #expect(before.isSubset(of: asked), "\(percent)")
            before = Set(asked)
        }
        #expect(before.count == 1000)
    }

    @Test(arguments: [
        ("ja-JP", "ja"), ("ja", "ja"), ("fr", "en"), (nil, "en"), ("zh-hant-tw", "zh-hant"), ("zh", "en"),
    ])
    func `a message is in the language that fits best`(language: String?, chosen: String) throws {
        let texts = ["messages.en.title": "Update", "messages.ja.title": "更新", "messages.zh-hant.text": "x"]
        let found = try Self.decide(texts, Self.asking()).by?.policy
            .message(in: language.flatMap { Language($0) })
        #expect(found?.language.tag == chosen)
        let other = try Self.decide(["messages.ja.title": "更新"], Self.asking()).by?.policy.message(in: nil)
        #expect(other?.language.tag == "ja")
    }

    @Test func `an answer names when time alone may change it`() throws {
        let (rules, _) = Self.rules([
            "a": Self.base.merging([
                "when.from": JSON.timestamp(Self.now + 60), "when.until": JSON.timestamp(Self.now + 90),
            ]) { $1 },
            "b": Self.base.merging(["when.until": JSON.timestamp(Self.now + 30)]) { $1 },
        ])
        #expect(rules.decide(for: Self.asking()).changesAt == Self.now + 30)
        #expect(rules.decide(for: Self.asking(at: Self.now + 30)).changesAt == Self.now + 60)
        #expect(rules.decide(for: Self.asking(at: Self.now + 90)).changesAt == nil)
    }
}

/// Raising a version never makes the answer harsher.
extension PolicyRulesTests {
    static func random(_ random: inout SeededGenerator) -> [String: [String: String]] {
        func pick<Value>(_ values: [Value]) -> Value { values[.random(in: 0..<values.count, using: &random)] }
        var policies: [String: [String: String]] = [:]
        for key in ["a", "b", "c", "d"].prefix(.random(in: 1...4, using: &random)) {
            let action = pick(["none", "soft", "soft", "hard", "hard", "block"])
            var fields = ["platform": "ios", "action": action, "priority": pick(["0", "1", "2"])]
            let isMild = action == "none"
            for part in ["version", "build"] where part == "version" || pick([true, false, false]) {
                let bounds =
                    isMild ? ["lt", "lte", "gt", "gte", "in"] : ["lt", "lte", "lt", "lte", "lt", "gte"]
                for bound in bounds.shuffled(using: &random).prefix(.random(in: 1...2, using: &random)) {
                    fields["when.\(part).\(bound)"] = pick(["1", "1.5", "2.0", "2.0.1", "3", "4"])
                }
            }
            if ["soft", "hard"].contains(action) || pick([true, false]) {
                (fields["target"], fields["minimumOS"]) = ("9", pick(["15", "16"]))
            }
            if pick([true, false, false]) { fields["when.os.gte"] = "16" }
            if pick([true, false, false]) { fields["when.country"] = pick(["JP", "US"]) }
            if pick([true, false, false]) { fields["when.rollout.percent"] = "50" }
            if pick([true, false, false, false]) { fields["app"] = "com.example" }
            policies[key] = fields
        }
        return policies
    }

    /// Beside what a `soft` asks of bad releases.
    @Test func `in 5,000 generated sets that are taken a newer app is never asked for more`() {
        let versions = [
            "0", "0.9", "1", "1.4", "1.5", "1.9", "2.0", "2.0.0.1", "2.0.1", "2.5", "3", "3.1", "4", "4.1",
            "9",
        ]
        var (random, taken, refused) = (SeededGenerator(), 0, 0)
        while taken < 5_000 {
            let policies = Self.random(&random)
            let (rules, mistakes) = Self.rules(policies)
            guard mistakes.isEmpty else {
                refused += 1
                continue
            }
            taken += 1
            let device = (
                os: ["14", "15", "16", nil][.random(in: 0..<4, using: &random)],
                country: ["JP", "US", nil][.random(in: 0..<3, using: &random)],
                app: ["com.example", nil][.random(in: 0..<2, using: &random)]
            )
            let id = "i-\(Int.random(in: 0..<100, using: &random))"
            func action(_ version: String, _ build: String?) -> UpdatePolicy.Action? {
                let decision = rules.decide(
                    for: Self.asking(
                        version, os: device.os, build: build, country: device.country, id: id, app: device.app
                    ))
                return decision.by?.policy.isOfBadReleases == true ? nil : decision.action
            }
            let fixed: [String?] = [nil, "1", "2.0.1"]
            for build in fixed {
                let answers = versions.compactMap { action($0, build) }
                #expect(answers == answers.sorted(by: >), "\(policies) \(device) \(build ?? "–")")
            }
            // The build alone, and both together.
            for answers in [
                versions.compactMap { action("1.4", $0) }, versions.compactMap { action($0, $0) },
            ] {
                #expect(answers == answers.sorted(by: >), "\(policies) \(device)")
            }
            // No phone is forced to a target that it cannot run, or perhaps cannot.
            for version in versions where device.os == "14" || device.os == nil {
                let decision = rules.decide(
                    for: Self.asking(version, os: device.os, country: device.country, id: id, app: device.app)
                )
                #expect(
                    decision.action <= .soft || decision.by?.policy.target == nil, "\(policies) \(device)")
            }
        }
        #expect(refused > 500, "the sets are too tame: \(refused)")
    }

    @Test func `a set for which it does not hold is refused, and the policies are named`() {
        let soft = ["platform": "ios", "action": "soft", "target": "9", "when.version.lt": "2"]
        let hard = [
            "platform": "ios", "action": "hard", "target": "9", "minimumOS": "16", "when.version.lt": "3",
        ]
        func mistakes(_ a: [String: String], _ b: [String: String]) -> [String] {
            Self.rules(["a": a, "b": b]).mistakes
        }
        let refused = mistakes(soft, hard)
        #expect(
            refused.count == 1
                && refused.first?.hasPrefix(
                    "policies.b.when: would ask more (hard) of a newer app than policies.a") == true,
            "\(refused)")
        #expect(mistakes(soft, hard.merging(["priority": "1"]) { $1 }) == [])
        let partly = soft.merging(["when.rollout.percent": "10"]) { $1 }
        #expect(mistakes(partly, hard.merging(["when.version.lt": "2"]) { $1 }) == [])
        for other in [["platform": "android"], ["when.country": "US"], ["when.from": "2027-01-01T00:00:00Z"]]
        {
            let elsewhere = soft.merging(["when.country": "JP", "when.until": "2027-01-01T00:00:00Z"]) { $1 }
            #expect(mistakes(elsewhere, hard.merging(other) { $1 }) == [], "\(other)")
        }
        // An exception must hold for all newer versions.
        let exception = ["platform": "ios", "action": "none", "when.version.in": "2.5"]
        #expect(mistakes(exception, hard).count == 1)
        #expect(
            mistakes(
                exception.merging(
                    ["when.version.gte": "2.5", "when.version.in": nil].compactMapValues(\.self)
                ) { $1 }, hard
            ).count == 1)
        #expect(mistakes(["platform": "ios", "action": "none", "when.version.gte": "2.5"], hard) == [])
        #expect(mistakes(["platform": "ios", "action": "none", "when.country": "JP"], hard) == [])
        for lower in ["gt", "gte", "in"] {
            let found = Self.rules(["b": hard.merging(["when.version.\(lower)": "1"]) { $1 }]).mistakes
            #expect(
                found.count == 1
                    && found.first?.hasPrefix("policies.b.when.version: would ask more of a newer app")
                        == true,
                "\(found)")
        }
    }
}
