import Foundation
import TestSupport
import Testing

@testable import AppTesting
@testable import Growth
@testable import Kernel
@testable import Kith
@testable import Rollout

/// Keys, days and bad releases as people write them.
extension PolicyFileTests {
    @Test func `keys are as their authors have them`() throws {
        for key in ["ios_update", "iOS-Update", "A", "a_1"] {
            let file = Self.policy("when: {version: {lt: 5}}").replacing("  p:", with: "  \(key):")
            #expect(mistakes(file) == [], "\(key)")
        }
    }

    /// Where clocks change, a day may begin at another time than midnight, or have it twice.
    @Test(
        arguments: [
            (nil, "2026-12-01", "2026-12-01T00:00:00Z"), ("UTC", "2026-12-01", "2026-12-01T00:00:00Z"),
            ("Asia/Tokyo", "2026-12-01", "2026-12-01T00:00:00+09:00"),
            ("Asia/Kolkata", "2026-12-01", "2026-12-01T00:00:00+05:30"),
            ("America/New_York", "2026-03-08", "2026-03-08T00:00:00-05:00"),
            ("America/New_York", "2026-03-09", "2026-03-09T00:00:00-04:00"),
            ("America/New_York", "2026-11-01", "2026-11-01T00:00:00-04:00"),
            ("Europe/London", "2026-07-01", "2026-07-01T00:00:00+01:00"),
            ("Europe/London", "2026-01-01", "2026-01-01T00:00:00Z"),
            ("America/Asuncion", "2023-10-01", "2023-10-01T01:00:00-03:00"),
            ("Africa/Cairo", "2024-04-26", "2024-04-26T01:00:00+03:00"),
            ("America/Havana", "2023-11-05", "2023-11-05T00:00:00-04:00"),
        ] as [(String?, String, String)])
    func `a day begins where the file says, and a plan says when`(zone: String?, day: String, begin: String)
        throws
    {
        let zone = zone.map { "timezone: \($0)\n" } ?? ""
        let yaml = zone + Self.policy("when: {version: {lt: 5}, from: \(day)}")
        let read = try AppsFile(yaml: yaml, folder: RepositoryFile.root, config: Config())
        let plan = AppliedPolicies().changes(to: try #require(read.sections[AppliedPolicies.self]))
        #expect(plan.contains("+ policies.p.when.from: \(begin)"), "\(plan)")
    }

    @Test func `days are days in each section, and a text stays a text`() throws {
        let yaml = """
            policies: {p: {platform: ios, action: none, when: {until: 2026-12-02}}}
            values:
              when.from: {value: 2026-12-01, rules: {r: {value: 2026-12-01, when: {from: 2026-12-01}}}}
            experiments:
              e:
                goal: bought
                when: {from: 2026-12-01}
                variations:
                  control: {weight: 50}
                  other: {weight: 50, values: {when.from: 2026-12-01}}
            rewards: {r: {qualify: signed_up, inviter: event, from: 2026-12-01, until: 2026-12-02}}
            timezone: Asia/Tokyo
            """
        let read = try AppsFile(yaml: yaml, folder: RepositoryFile.root, config: Config())
        let first = "2026-12-01T00:00:00+09:00"
        #expect(
            read.sections[AppliedPolicies.self]?.policies["p"]?["when.until"] == "2026-12-02T00:00:00+09:00")
        let value = read.sections[AppliedValues.self]?.entries["when.from"]
        #expect(value?["value"] == "2026-12-01" && value?["rules.r.value"] == "2026-12-01")
        #expect(value?["rules.r.when.from"] == first)
        let experiment = read.sections[AppliedExperiments.self]?.entries["e"]
        #expect(experiment?["when.from"] == first)
        #expect(experiment?["variations.other.values.when.from"] == "2026-12-01")
        #expect(read.sections[AppliedRewards.self]?.entries["r"]?["from"] == first)
    }

    @Test func `a soft may ask one bad release alone, and nothing harsher may`() {
        for when in [
            #"{version: {in: ["5.0.3"]}}"#, #"{version: {in: ["5.0.3", "4.9"]}}"#,
            #"{version: {gte: "5.0.3", lt: "5.0.4"}}"#, #"{version: {gt: "5.0.2", lte: "5.0.3"}}"#,
            #"{version: {in: ["5.0.3"]}, build: {in: ["1402"]}}"#, #"{build: {gte: "1400", lt: "1403"}}"#,
        ] {
            let soft = Self.policy("when: \(when)").replacing("target: 5.0", with: "target: 5.0.4")
            #expect(mistakes(soft) == [], "\(when)")
            let others =
                "  all: {platform: ios, action: soft, target: 3.0, when: {version: {lt: 3}}}\n"
            #expect(mistakes(soft + others) == [], "\(when)")
            let hard = soft.replacing("action: soft", with: "action: hard\n    minimumOS: 15")
            #expect(mistakes(hard).first?.contains("would ask more of a newer app") == true, "\(when)")
        }
        for (when, target) in [
            (#"{version: {gte: "5.0.3"}}"#, "5.0.2"), (#"{version: {in: ["5.0.3"]}}"#, "5.0.2"),
            (#"{version: {in: ["5.0.3"]}}"#, "5.0.3"), (#"{build: {gte: "1400"}}"#, "5.0.4"),
        ] {
            let soft = Self.policy("when: \(when)").replacing("target: 5.0", with: "target: \(target)")
            #expect(mistakes(soft).count == 1, "\(when) \(target)")
        }
    }
}
