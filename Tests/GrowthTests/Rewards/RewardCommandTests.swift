import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Growth
@testable import Kernel
@testable import Kith
@testable import Rollout

/// `kith rewards`, and programs in `kith apply`.
@Suite(.inTurns) struct RewardCommandTests {
    private func kith(
        _ stage: RewardStage, _ arguments: String..., settings: [String: String] = [:]
    ) async throws -> KithCommand.Outcome {
        let url = stage.app.app.config.database.url
        return try await KithCommand(
            arguments, settings.merging(["KITH_DATABASE_URL": url]) { $1 }
        ).run()
    }

    @Test func `an operator lists, shows and decides by commands, with a reason that the audit keeps`()
        async throws
    {
        try await RewardStage.run(RewardStage.coins, ["hold": "7", "fraud.velocityHour.threshold": "1"]) {
            stage in
            for name in ["bob", "cat"] { try await stage.join(name, by: "ann") }
            try await stage.work()
            let flagged = try await kith(stage, "rewards", "list", "--state", "flagged", "--uid", "u-ann")
            let lines = flagged.output.split(separator: "\n")
            #expect(flagged.status == 0 && lines.count == 2, "\(flagged)")
            for name in ["bob", "cat"] {
                let end = "  flagged  100 coins (credit)  autumn  inviter u-ann, other side u-\(name)"
                #expect(lines.count { $0.hasSuffix(end) } == 1, "\(lines)")
            }
            #expect(
                try await kith(stage, "rewards", "list", "--program", "autumn", "--limit", "3").output.split(
                    separator: "\n"
                ).count == 3)
            let id = String(lines[0].prefix(36))
            func decide(_ act: String, _ reason: String = "ticket 7") async throws -> KithCommand.Outcome {
                try await kith(stage, "rewards", act, id, "--reason", reason)
            }
            #expect(try await decide("claw-back").error.contains("never given"))
            for _ in 0..<2 {
                let approved = try await decide("approve")
                #expect(
                    approved.status == 0 && approved.output.contains("approved by operator"), "\(approved)")
            }
            #expect(try await stage.balance(of: "u-ann") == 100)
            let shown = try await kith(stage, "rewards", "show", id).output
            #expect(shown.contains("flag by velocityHour: 2 in an hour, threshold 1"), "\(shown)")
            #expect(shown.contains("reward 100 coins from program to user"), "\(shown)")
            let refused = try await decide("reject")
            #expect(refused.status == 1 && refused.error.contains("given already"), "\(refused)")
            #expect(try await decide("claw-back").output.contains("clawed_back by operator"))
            let acts = try await stage.app.asked("/v1/admin/audit?uid=u-ann", stage.shop.admin)
            let actor = AuditActor.thisCommand.text
            #expect(acts.objects("acts").map { $0["actor"] as? String } == [actor, actor])
            #expect(acts["acts.0.reason"] == "ticket 7")
            try await stage.app.verify()
        }
    }

    @Test func `what is missing or wrong is named, and nothing is decided`() async throws {
        try await RewardStage.run(RewardStage.coins, ["hold": "7"]) { stage in
            try await stage.join("bob", by: "ann")
            try await stage.work()
            let id = try #require(try await stage.records(of: "u-ann").first?["id"] as? String)
            for (arguments, status, words) in [
                (["approve", id], Int32(2), "--reason"), (["approve", "x", "--reason", "x"], 2, "is no id"),
                (["approve", id, "--reason", " "], 1, "reason"),
                (["list", "--state", "odd"], 1, "must be one of"),
                (["list", "--limit", "0"], 2, "--limit"),
                (["show", "00000000-0000-4000-8000-000000000000"], 1, "no such reward"),
            ] {
                let outcome = try await KithCommand(
                    ["rewards"] + arguments, ["KITH_DATABASE_URL": stage.app.app.config.database.url]
                ).run()
                #expect(outcome.status == status && outcome.error.contains(words), "\(outcome)")
            }
            #expect(try await stage.app.count("audit") == 0)
        }
    }

    private static let program = "rewards: {a: {qualify: signed_up, inviter: {offer: spring}}}\n"
    private static let campaign = "offers: {spring: {appStoreId: 123, offer: Spring}}\n"

    @Test func `kith apply refuses a program whose campaign is not there, or is of no app here`() async throws
    {
        try await RewardStage.run { stage in
            let file = FileManager.default.temporaryDirectory.appending(path: "kith-rewards-\(UUID()).yaml")
            defer { try? FileManager.default.removeItem(at: file) }
            func apply(_ yaml: String, app: String? = nil) async throws -> KithCommand.Outcome {
                try yaml.write(to: file, atomically: true, encoding: .utf8)
                return try await kith(
                    stage, "apply", file.path, "--prune",
                    settings: app.map { ["KITH_APP_STORE_ID": $0] } ?? [:])
            }
            let place = "rewards.a.inviter.offer: "
            for (yaml, app) in [
                (Self.program, nil), (Self.program + "offers: {autumn: {appStoreId: 1, offer: x}}", nil),
                (Self.program + Self.campaign, "124"),
                (Self.program + Self.campaign + "apps: {a: {hosts: [https://a.example.com]}}", nil),
            ] {
                let outcome = try await apply(yaml, app: app)
                #expect(outcome.status == 1 && outcome.error.contains(place), "\(outcome)")
            }
            #expect(try await stage.app.count("offer_campaigns") == 0)
            for yaml in [Self.program + Self.campaign, Self.campaign + Self.program, Self.program] {
                #expect(try await apply(yaml, app: "123").status == 0, "\(yaml)")
            }
            let gone = try await apply("offers: {}")
            #expect(gone.status == 1 && gone.error.contains(place), "\(gone)")
            let other = try await apply("rewards: {a: {qualify: signed_up, inviter: event}}")
            #expect(
                other.status == 1 && other.error.contains("rewards.a.inviter: gave offer spring"), "\(other)")
            #expect(try await apply("offers: {}\nrewards: {}").status == 0)
        }
    }

    @Test
    func
        `of two who apply at once, one a program and one the end of its campaign, one is told to look again`()
        async throws
    {
        try await RewardStage.run { stage in
            let (store, offers) = (AppliedStore(db: stage.app.db), AppliedOfferStore(db: stage.app.db))
            let programs = try #require(try await store.read(AppliedRewards.self))
            #expect(
                try await !store.write([
                    offers.guarding(["spring"], of: offers.applied()),
                    .init(AppliedRewards(), over: programs.version),
                ]))
            let campaign: Body = ["appStoreId": "1", "offer": "Spring 2027"]
            let moved: Body = ["appStoreId": "2", "offer": "Spring 2027"]
            func put(_ body: Body) async throws {
                let answer = try await stage.app.call(
                    .put, "/v1/admin/offers/spring", headers: stage.shop.admin, body: body)
                #expect(answer.status < 300, "\(answer.text)")
            }
            try await put(campaign)
            let seen = try await offers.applied()
            try await put(moved)
            #expect(
                try await !store.write([
                    offers.guarding(["spring"], of: seen), .init(AppliedRewards(), over: programs.version),
                ]))
            try await stage.apply(["autumn": RewardStage.coins])
            #expect(try await !store.write([.init(AppliedPolicies(), over: 0), .init(unless: programs)]))
            #expect(try await store.read(AppliedPolicies.self) == nil)
        }
    }
}
