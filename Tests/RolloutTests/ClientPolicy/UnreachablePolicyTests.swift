import Foundation
import TestSupport
import Testing

@testable import AppTesting
@testable import Rollout

/// A policy that an earlier one always forestalls would be dead on arrival.
@Suite struct UnreachablePolicyTests {
    private static let soft = ["platform": "ios", "action": "soft", "target": "9", "when.version.lt": "5.2"]
    private static let hard = [
        "platform": "ios", "action": "hard", "target": "9", "minimumOS": "16", "when.version.lt": "4.0",
    ]

    /// `a` comes first.
    private static func applied(_ a: [String: String], _ b: [String: String]) -> AppliedPolicies {
        var applied = AppliedPolicies()
        applied.policies = ["a": soft.merging(a) { $1 }, "b": hard.merging(b) { $1 }]
        return applied
    }

    private static let refused: [(a: [String: String], b: [String: String])] = [
        ([:], [:]), ([:], ["when.version.lt": "5.2"]),
        ([:], ["when.version.lte": "5.1", "when.os.gte": "17"]),
        ([:], ["app": "com.example.app"]), (["app": "com.example.app"], ["app": "com.example.app"]),
        ([:], ["when.build.lt": "100"]), (["when.build.lt": "200"], ["when.build.lt": "100"]),
        (["minimumOS": "16"], [:]), (["minimumOS": "16"], ["minimumOS": "15", "when.os.gte": "16.1"]),
        (["when.os.gte": "16"], ["when.os.in": "16,17"]),
        (["when.language": "ja,zh"], ["when.language": "zh-hant,ja"]),
        (["when.country": "JP,KR"], ["when.country": "KR"]),
        ([:], ["when.rollout.percent": "10"]),
        (
            ["when.rollout.percent": "20", "when.rollout.salt": "s"],
            ["when.rollout.percent": "10", "when.rollout.salt": "s"]
        ),
        (
            ["when.from": "2026-01-01T00:00:00Z", "when.until": "2027-01-01T00:00:00Z"],
            ["when.from": "2026-02-01T00:00:00Z", "when.until": "2027-01-01T00:00:00Z"]
        ),
        (["priority": "2"], ["priority": "1"]),
    ]

    @Test(arguments: refused)
    func `it is refused, and the next step is named`(a: [String: String], b: [String: String]) {
        #expect(
            Self.applied(a, b).mistakes == [
                "policies.b: is never reached: policies.a comes first and has no narrower conditions: give this one a higher priority, or remove it"
            ])
        #expect(Self.applied(a, b.merging(["priority": "3"]) { $1 }).mistakes == [])
    }

    private static let taken: [(a: [String: String], b: [String: String])] = [
        (["platform": "android"], [:]), (["app": "com.example.app"], [:]),
        (["app": "com.example.app"], ["app": "com.example.other"]), (["when.build.lt": "9"], [:]),
        (["minimumOS": "17"], [:]), (["when.os.gte": "16"], [:]),
        (["when.os.gte": "17"], ["when.os.gte": "16"]),
        (["when.language": "ja"], [:]), (["when.language": "zh-hant"], ["when.language": "zh"]),
        (["when.country": "JP"], [:]), (["when.country": "JP"], ["when.country": "JP,KR"]),
        (["when.rollout.percent": "99.99"], [:]),
        (["when.rollout.percent": "50"], ["when.rollout.percent": "10"]),
        (["when.from": "2027-01-01T00:00:00Z"], [:]), (["when.until": "2099-01-01T00:00:00Z"], [:]),
        (["when.from": "2027-01-01T00:00:00Z"], ["when.until": "2027-02-01T00:00:00Z"]),
    ]

    @Test(arguments: taken)
    func `one that decides for somebody is taken`(a: [String: String], b: [String: String]) {
        #expect(Self.applied(a, b).read().rules.unreachable == [])
    }

    @Test func `a none of a higher priority pauses others`() {
        var applied = AppliedPolicies()
        applied.policies = ["pause": ["platform": "ios", "action": "none", "priority": "9"], "b": Self.hard]
        #expect(applied.mistakes == [])
        applied.policies["pause"]?["priority"] = "0"
        applied.policies["z"] = applied.policies.removeValue(forKey: "b")
        #expect(applied.mistakes.count == 1 && applied.mistakes[0].hasPrefix("policies.z: is never reached"))
    }

    @Test func `in 5,000 generated sets none that is refused ever decides`() throws {
        var (random, refused) = (SeededGenerator(), 0)
        for _ in 0..<5_000 {
            var applied = AppliedPolicies()
            applied.policies = PolicyRulesTests.random(&random)
            let rules = applied.read().rules
            let dead = Set(rules.unreachable.compactMap { $0.split(separator: ":").first?.dropFirst(9) })
            refused += dead.count
            for version in ["0.9", "1", "1.5", "2.0", "2.0.1", "2.5", "3", "3.1", "4.1"] where !dead.isEmpty {
                for os in ["14", "15.5", "16", nil] {
                    for app in ["com.example", nil] {
                        let asking = PolicyRulesTests.asking(
                            version, os: os,
                            build: [nil, "1", "2.0.1", "5"].randomElement(using: &random) ?? nil,
                            country: [nil, "JP", "US"].randomElement(using: &random) ?? nil,
                            id: [nil, "i-\(refused)"].randomElement(using: &random) ?? nil, app: app)
                        let key = rules.decide(for: asking).by?.key
                        #expect(!dead.contains { $0 == key ?? "" }, "\(applied.policies) \(asking)")
                    }
                }
            }
        }
        #expect(refused > 500, "the sets are too tame: \(refused)")
    }
}
