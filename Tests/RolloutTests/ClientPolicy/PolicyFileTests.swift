import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Rollout

/// The section `policies` of the file of `kith apply`.
@Suite(.inTurns) struct PolicyFileTests {
    func mistakes(_ yaml: String) -> [String] {
        do {
            _ = try AppsFile(yaml: yaml, folder: RepositoryFile.root, config: Config())
            return []
        } catch {
            return (error as? ConfigError)?.mistakes ?? ["\(error)"]
        }
    }

    /// A policy with these lines, and those that it needs.
    static func policy(_ lines: String...) -> String {
        "policies:\n  p:\n    platform: ios\n    action: soft\n    target: 5.0\n"
            + lines.map { "    \($0)\n" }.joined()
    }

    private static let long = String(repeating: "x", count: 201)

    private static let rules: [(String, String)] = [
        ("policies: 1", "line 1: policies must be a table"),
        ("policies:\n  p: 1", "line 2: policies.p must be a table"),
        ("policies:\n  p: {action: none}", "line 2: policies.p.platform: is missing"),
        ("policies:\n  p: {platform: ios}", "line 2: policies.p.action: is missing"),
        ("policies:\n  _p: {platform: ios, action: none}", "line 2: policies._p: the key must be"),
        (
            "policies:\n  p: {platform: web, action: none}",
            "line 2: policies.p.platform: 'web' is not allowed: it must be ios or android"
        ),
        (policy("prioriti: 1"), "line 6: policies.p.prioriti is not a field: did you mean priority?"),
        (
            policy("when: {versions: {lt: 1}}"),
            "line 6: policies.p.when.versions.lt is not a field: did you mean when.version.lt?"
        ),
        (
            policy("when: 1"),
            "line 6: policies.p.when must be a table with build, country, from, language, os, rollout, until and version"
        ),
        (
            policy("when: {rollout: 10}"),
            "line 6: policies.p.when.rollout must be a table with percent and salt"
        ),
        (
            policy("when: {rollout: [10]}"),
            "line 6: policies.p.when.rollout must be a table with percent and salt"
        ),
        (
            policy("when: {unit: [u1]}"),
            "line 6: policies.p.when.unit is not a field: did you mean when.until? when must be a table with build, country"
        ),
        (
            policy("when: {audience: {name: x}}"),
            "line 6: policies.p.when.audience.name is not a field: when must"
        ),
        (
            "timezone: Tokyo\npolicies: {}",
            "line 1: timezone 'Tokyo' is no time zone: name one as in Asia/Tokyo"
        ),
        ("timezone: UTC", "line 1: the file has no section"),
        (policy("messages: Hello"), "line 6: policies.p.messages must be a table"),
        (policy("colour: red"), "line 6: policies.p.colour is not a field"),
        (policy("minOS: 16"), "line 6: policies.p.minOS is not a field: did you mean minimumOS?"),
        (
            policy("when: {version: {lt: 5}}")
                + "  q: {platform: ios, action: hard, target: 5, minimumOS: 16, when: {version: {lt: 4}}}",
            "line 7: policies.q: is never reached: policies.p comes first and has no narrower conditions: give this one a higher"
        ),
        (policy("when: {version: {lt: }}"), "line 6: policies.p.when.version.lt is empty: leave it out"),
        (policy("when:"), "line 6: policies.p.when is empty: leave it out"),
        (policy("priority: [1]"), "line 6: policies.p.priority must be a text"),
        (
            policy("priority: 1.5"),
            "line 6: policies.p.priority: '1.5' is not allowed: it must be a number from -1000"
        ),
        (
            policy("when: {version: {lt: 5.0-beta}}"),
            "line 6: policies.p.when.version.lt: '5.0-beta' is not allowed: it must be a version"
        ),
        (policy("when: {os: {in: [15, x]}}"), "line 6: policies.p.when.os.in: 'x' is not allowed"),
        (policy("when: {version: {lt: 6}}"), "line 5: policies.p.target: would be asked to update, too"),
        (policy("when: {language: [日本]}"), "line 6: policies.p.when.language: '日本' is not allowed"),
        (policy("when: {country: [jp]}"), "line 6: policies.p.when.country: 'jp' is not allowed"),
        (
            policy("when: {rollout: {percent: 101}}"),
            "line 6: policies.p.when.rollout.percent: '101' is not allowed"
        ),
        (
            policy("when: {rollout: {percent: 1.234}}"),
            "line 6: policies.p.when.rollout.percent: '1.234' is not allowed"
        ),
        (
            policy("when: {from: 2026-02-30}"),
            "line 6: policies.p.when.from: '2026-02-30' is not allowed: it must be a day"
        ),
        (
            policy("when: {version: {lt: 5}, from: 2026-12-01T00:00:00Z, until: 2026-12-01T00:00:00Z}"),
            "line 6: policies.p.when.until: must be after when.from"
        ),
        (
            policy("url: javascript:x"),
            "line 6: policies.p.url: 'javascript:x' is not allowed: it must be an https URL"
        ),
        (policy("url: http://example.com"), "line 6: policies.p.url: 'http://example.com' is not allowed"),
        (policy("snoozeHours: 0"), "line 6: policies.p.snoozeHours: '0' is not allowed"),
        (
            policy("messages: {ja: {titel: x}}"),
            "line 6: policies.p.messages.ja.titel: is not allowed: messages have a title"
        ),
        (policy("messages: {ja: x}"), "line 6: policies.p.messages.ja: is not allowed"),
        (
            policy("messages: {ja: {title: \(long)}}"),
            "line 6: policies.p.messages.ja.title: has more than 200 characters"
        ),
        (policy("app: a b"), "line 6: policies.p.app: 'a b' is not allowed"),
        (
            "policies:\n  p: {platform: ios, action: hard, when: {version: {lt: 5}}, target: 5}",
            "line 2: policies.p.minimumOS: is missing"
        ),
        (
            "policies:\n  p: {platform: ios, action: soft, when: {version: {lt: 5}}}",
            "line 2: policies.p.target: is missing"
        ),
        (
            "policies:\n  p: {platform: ios, action: block, when: {version: {lt: 5}}, snoozeHours: 5}",
            "line 2: policies.p.snoozeHours: is only for soft"
        ),
        (
            "policies:\n  p: {platform: ios, action: block, when: {version: {gt: 5}}}",
            "line 2: policies.p.when.version: would ask more of a newer app than of an older one"
        ),
        (
            "policies: {" + (0...100).map { "a\($0): {}" }.joined(separator: ", ") + "}",
            "policies has more than 100"
        ),
        (
            "polices: {}",
            "line 1: polices is not a section: there are apps, policies, offers, values, experiments and rewards"
        ),
        ("{}", "line 1: the file has no section: apps, policies, offers, values, experiments or rewards"),
        (
            policy("when: {version: {lt: {a: {b: {c: {d: {e: 1}}}}}}}"),
            "line 6: policies.p.when.version.lt.a.b is no field"
        ),
    ]

    @Test(arguments: rules)
    func `a mistake is named in the words of the file`(yaml: String, mistake: String) {
        let found = mistakes(yaml)
        #expect(found.count == 1 && found.first?.hasPrefix(mistake) == true, "\(found)")
        // Only what is near is suggested.
        #expect(
            mistake.contains("did you mean") || !found.contains { $0.contains("did you mean") }, "\(found)")
    }

    @Test func `what is printed is the same file, and the example in the documents is one`() throws {
        let page = try RepositoryFile.read("docs/update-policy.md")
        let yaml = try #require(page.firstMatch(of: /```yaml\n([\s\S]*?)```/)).output.1
        let read = try AppsFile(yaml: String(yaml), folder: RepositoryFile.root, config: Config())
        let policies = try #require(read.sections[AppliedPolicies.self])
        #expect(read.sections[AppliedApps.self] == nil && policies.policies.count > 1)
        let printed = try AppsFile.yaml(of: AppliedSections([policies]))
        let again = try AppsFile(yaml: printed, folder: RepositoryFile.root, config: Config())
        #expect(again.sections[AppliedPolicies.self]?.policies == policies.policies)
        #expect(policies.changes(to: try #require(again.sections[AppliedPolicies.self])) == [])
        let used = Set(policies.policies.values.flatMap(\.keys))
        let rare: Set = ["when.build", "when.os", "messages."]
        let missing = PolicyReader.names.subtracting(used).filter { name in
            !rare.contains { name.hasPrefix($0) } && !name.hasPrefix("when.version")
        }
        #expect(missing == [], "the example has every kind of field")
    }

    @Test func `kith apply changes the sections that the file has, together, and leaves the others`()
        async throws
    {
        let url = try await TestPostgres.shared.migratedDatabase()
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-policies-\(UUID()).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        func apply(_ yaml: String, _ more: String...) async throws -> KithCommand.Outcome {
            try yaml.write(to: file, atomically: true, encoding: .utf8)
            return try await KithCommand(["apply", file.path] + more, ["KITH_DATABASE_URL": url]).run()
        }
        let apps = "apps: {a: {hosts: [https://a.example]}}\n"
        let policies = Self.policy("when: {version: {lt: 5.0}}", "messages: {ja: {text: \"あ\\nい\"}}")
        #expect(try await apply(apps).status == 0)
        let dry = try await apply(policies, "--dry-run")
        #expect(dry.status == 0 && dry.output.contains("+ policies.p.when.version.lt: 5.0\n"), "\(dry)")
        #expect(dry.output.contains("+ policies.p.messages.ja.text: あ ⏎ い\n") && !dry.output.contains("apps"))
        #expect(
            try await apply(policies).output.hasSuffix("published as 2: servers follow within 5 seconds\n"))
        #expect(try await apply(apps).output == "nothing changes\n")
        #expect(try await apply(policies).output == "nothing changes\n")
        #expect(try await apply("apps: {}\npolicies: {}\n").output == "nothing changes\n")
        let kept = try await apply("apps: {}\npolicies: {}\n", "--prune")
        #expect(kept.status == 1 && kept.error.contains("--force apps.a"), "\(kept)")
        let both = try await apply("apps: {}\npolicies: {}\n", "--prune", "--force", "apps.a")
        #expect(
            both.output.contains("- apps.a.hosts: https://a.example\n- policies.p.action: soft\n"), "\(both)")
        #expect(
            try await KithCommand(["config", "show"], ["KITH_DATABASE_URL": url]).run().output
                == "# revision 3\napps: {}\n\n")
    }

    @Test func `of two sections both are written or none`() async throws {
        try await TestApp.run { app in
            let store = AppliedStore(db: app.db)
            let (apps, policies) = (AppliedApps(), AppliedPolicies())
            #expect(try await store.write(policies, over: 0))
            #expect(try await store.write(policies, over: 1))
            let stale = [try AppliedStore.Change(apps, over: 0), try AppliedStore.Change(policies, over: 1)]
            #expect(try await !store.write(stale))
            #expect(try await store.read() == nil)
            #expect(try await store.read(AppliedPolicies.self)?.version == 2)
            let fresh = [try AppliedStore.Change(apps, over: 0), try AppliedStore.Change(policies, over: 2)]
            #expect(try await store.write(fresh))
        }
    }
}
