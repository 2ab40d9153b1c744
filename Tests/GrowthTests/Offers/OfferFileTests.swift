import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Growth
@testable import Kernel
@testable import Kith
@testable import Rollout

/// The section `offers` of the file of `kith apply`.
@Suite(.inTurns) struct OfferFileTests {
    private func mistakes(_ yaml: String) -> [String] {
        do {
            _ = try AppsFile(yaml: yaml, folder: RepositoryFile.root, config: Config())
            return []
        } catch {
            return (error as? ConfigError)?.mistakes ?? ["\(error)"]
        }
    }

    /// A campaign with these lines, and those that it needs.
    private static func campaign(_ lines: String...) -> String {
        "offers:\n  spring:\n    appStoreId: 123456789\n    offer: Spring 2027\n"
            + lines.map { "    \($0)\n" }.joined()
    }

    private static let long = String(repeating: "x", count: 256)

    private static let rules: [(String, String)] = [
        ("offers: 1", "line 1: offers must be a table"),
        ("offers:\n  spring: {appStoreId: 1}", "line 2: offers.spring.offer: is missing"),
        ("offers:\n  spring: {offer: x}", "line 2: offers.spring.appStoreId: is missing"),
        (
            "offers:\n  _spring: {appStoreId: 1, offer: x}",
            "line 2: offers._spring: the key must be 1 to 64 of letters"
        ),
        ("offers:\n  -s: {appStoreId: 1, offer: x}", "line 2: offers.-s: the key must be"),
        (
            campaign("lowwater: 1"), "line 5: offers.spring.lowwater is not a field: did you mean lowWater?"
        ),
        (campaign("codes: [ABCD1234]"), "line 5: offers.spring.codes is not a field"),
        (campaign("sharedCode: SPRING-27"), "line 5: offers.spring.sharedCode: 'SPRING-27' is not allowed"),
        (
            campaign("sharedCode: SPRING27", "rewardsOnly: true"),
            "line 5: offers.spring.sharedCode: cannot be with rewardsOnly"
        ),
        (
            "offers:\n  spring: {appStoreId: x1, offer: x}",
            "line 2: offers.spring.appStoreId: 'x1' is not allowed: it must be the number of an app"
        ),
        (
            "offers:\n  spring: {appStoreId: 012, offer: x}",
            "line 2: offers.spring.appStoreId: '012' is not allowed"
        ),
        (
            "offers:\n  spring: {appStoreId: 1, offer: \"a\\nb\"}",
            "line 2: offers.spring.offer: 'a\nb' is not allowed: it must be one line"
        ),
        (campaign("productId: \(long)"), "line 5: offers.spring.productId: 'x"),
        (campaign("environment: xcode"), "line 5: offers.spring.environment: 'xcode' is not allowed"),
        (campaign("lowWater: -1"), "line 5: offers.spring.lowWater: '-1' is not allowed"),
        (campaign("quarterBudget: 1.5"), "line 5: offers.spring.quarterBudget: '1.5' is not allowed"),
        (campaign("quarterBudget: 1000000001"), "line 5: offers.spring.quarterBudget: '1000000001' is not"),
        (campaign("quarterBudget:"), "line 5: offers.spring.quarterBudget is empty: leave it out"),
        (
            "offers: {" + (0...1000).map { "a\($0): {appStoreId: 1, offer: x}" }.joined(separator: ", ")
                + "}",
            "offers has more than 1000"
        ),
    ]

    @Test(arguments: rules)
    func `a mistake is named in the words of the file`(yaml: String, mistake: String) {
        let found = mistakes(yaml)
        #expect(found.count == 1 && found.first?.hasPrefix(mistake) == true, "\(found)")
    }

    @Test func `the example in the documents is a file, and what is printed is the same`() throws {
        let page = try RepositoryFile.read("docs/offers.md")
        let yaml = try #require(page.firstMatch(of: /```yaml\n([\s\S]*?)```/)).output.1
        let offers = try #require(
            AppsFile(yaml: String(yaml), folder: RepositoryFile.root, config: Config()).sections[
                AppliedOffers.self])
        #expect(offers.entries.count == 2)
        let printed = try AppsFile.yaml(of: AppliedSections([offers]))
        let again = try AppsFile(yaml: printed, folder: RepositoryFile.root, config: Config()).sections[
            AppliedOffers.self]
        #expect(offers.changes(to: try #require(again)) == [])
    }

    @Test func `kith apply shows and makes campaigns, changes them, and takes those away that have no codes`()
        async throws
    {
        let url = try await TestPostgres.shared.migratedDatabase()
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-offers-\(UUID()).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        func apply(_ yaml: String, _ more: String...) async throws -> KithCommand.Outcome {
            try yaml.write(to: file, atomically: true, encoding: .utf8)
            return try await KithCommand(["apply", file.path, "--prune"] + more, ["KITH_DATABASE_URL": url])
                .run()
        }
        let dry = try await apply(Self.campaign(), "--dry-run")
        #expect(
            dry.output == """
                + offers.spring.appStoreId: 123456789
                + offers.spring.environment: production
                + offers.spring.lowWater: 100
                + offers.spring.offer: Spring 2027
                nothing was changed: without --dry-run it would be

                """)
        #expect(try await apply(Self.campaign()).output.hasSuffix("servers follow within 5 seconds\n"))
        // What a file leaves out is as if it named the default.
        #expect(try await apply(Self.campaign("lowWater: 100")).output == "nothing changes\n")
        #expect(try await apply("policies: {}").output == "nothing changes\n")
        let changed = try await apply(Self.campaign("quarterBudget: 5", "productId: monthly"))
        #expect(
            changed.output.hasPrefix("+ offers.spring.productId: monthly\n+ offers.spring.quarterBudget: 5\n")
        )
        let printed = try await KithCommand(["config", "show"], ["KITH_DATABASE_URL": url]).run().output
        #expect(printed.contains("offers:\n  spring:\n") && printed.contains("quarterBudget: "), "\(printed)")
        #expect(try await apply(printed).output == "nothing changes\n")
        let gone = try await apply("offers: {}")
        #expect(gone.output.hasPrefix("- offers.spring.appStoreId: 123456789\n"), "\(gone)")
        #expect(try await apply(Self.campaign()).status == 0, "it may come back")
    }

    @Test func `a campaign with codes neither goes nor becomes another`() async throws {
        try await OfferStage.run(codes: ["ABCD1234"]) { stage in
            let url = stage.app.app.config.database.url
            let file = FileManager.default.temporaryDirectory.appending(path: "kith-offers-\(UUID()).yaml")
            defer { try? FileManager.default.removeItem(at: file) }
            for (yaml, reason) in [
                ("offers: {}", "offers.spring: has codes, so it cannot go"),
                (
                    Self.campaign("environment: sandbox"),
                    "offers.spring: has codes of another app, offer or environment"
                ),
            ] {
                try yaml.write(to: file, atomically: true, encoding: .utf8)
                let outcome = try await KithCommand(
                    ["apply", file.path, "--prune"], ["KITH_DATABASE_URL": url]
                ).run()
                #expect(outcome.status == 1 && outcome.error.contains(reason), "\(outcome)")
            }
            #expect(try await stage.pool() == "free 1, dealt 0, stale 0, expiring 0")
            try await stage.app.apply(Self.campaign("quarterBudget: 0", "lowWater: 7"))
            let answer = try await stage.app.get("/v1/admin/offers", headers: stage.admin)
            #expect(answer["campaigns.0.quarterBudget"] == "0" && answer["campaigns.0.lowWater"] == "7")
            try await stage.app.signUp("ann")
            #expect(try await stage.deal("u-ann").code == "campaign_budget_used")
        }
    }

    @Test func `nothing is applied over what somebody else changed meanwhile`() async throws {
        try await OfferStage.run { stage in
            let (store, offers) = (AppliedStore(db: stage.app.db), AppliedOfferStore(db: stage.app.db))
            let found = try await offers.campaigns()
            func wanted(_ yaml: String) throws -> AppliedOffers {
                try #require(
                    AppsFile(yaml: yaml, folder: RepositoryFile.root, config: Config()).sections[
                        AppliedOffers.self])
            }
            let change = offers.change(
                from: found, to: try wanted(Self.campaign("lowWater: 3") + "  a: {appStoreId: 1, offer: a}"))
            let removal = offers.change(from: found, to: AppliedOffers())
            #expect(try await stage.put(lowWater: 9).status == 200)
            for stale in [change, removal] {
                #expect(try await !store.write([try .init(AppliedPolicies(), over: 0), stale]))
            }
            #expect(try await store.read(AppliedPolicies.self) == nil)
            let answer = try await stage.app.get("/v1/admin/offers", headers: stage.admin)
            #expect(answer["campaigns.0.lowWater"] == "9" && answer["campaigns.1.key"] == nil)
            // Codes that came meanwhile keep their campaign.
            let again = offers.change(from: try await offers.campaigns(), to: AppliedOffers())
            try await stage.importCodes("ABCD1234")
            #expect(try await !store.write([again]))
            #expect(try await stage.pool() == "free 1, dealt 0, stale 0, expiring 0")
        }
    }

    @Test func `of operators who put a campaign at once each is answered what they put`() async throws {
        try await OfferStage.run { stage in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let answer = try await stage.put(lowWater: number)
                        #expect(answer.status == 200 && answer["lowWater"] == "\(number)")
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
