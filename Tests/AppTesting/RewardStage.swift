import Foundation
import HTTPTypes
import Postgres
import Testing

@testable import Growth
@testable import Kernel
@testable import Kith
@testable import Web

/// A product with programs of rewards, and the synthetic App Store.
struct RewardStage {
    let shop: PurchaseStage
    let run: RewardRun
    var app: TestApp { shop.app }

    /// Whom nobody asks to wait: 100 coins for both.
    static let coins: [String: String] = [
        "qualify": "signed_up", "inviter.credit.amount": "100", "inviter.credit.unit": "coins",
        "invitee.credit.amount": "50", "invitee.credit.unit": "coins", "hold": "0",
    ]

    /// The same for a subscription.
    static let monthly: [String: String] = coins.filter { $0.key != "qualify" }
        .merging(["qualify.purchase.products": "monthly,yearly"]) { $1 }

    static func run(
        users: [String] = ["ann"], _ program: [String: String] = coins, _ changes: [String: String] = [:],
        configure: (inout Config) -> Void = { _ in }, _ test: @Sendable (RewardStage) async throws -> Void
    ) async throws {
        try await PurchaseStage.run(users: users, configure: configure) { shop in
            let stage = RewardStage(shop: shop, run: RewardRun(RewardStore(db: shop.app.db), now: { Date() }))
            try await stage.apply(["autumn": program.merging(changes) { $1 }])
            try await test(stage)
        }
    }

    func apply(_ programs: [String: [String: String]]) async throws {
        var section = AppliedRewards()
        section.entries = programs
        let (_, mistakes) = section.read()
        try #require(mistakes == [])
        let store = AppliedStore(db: app.db)
        let former = try await store.read(AppliedRewards.self) ?? .init()
        let changes = AppliedSections([former.content]).changes(to: AppliedSections([section]))
        let items = String(decoding: try JSON.data(changes), as: UTF8.self)
        let publication: Statement = """
            INSERT INTO publications (number, actor, source, marked_items, items, effects)
            SELECT coalesce(max(number), 0) + 1, 'command:test', 'file', \(changes.map(\.marked)), \(items)::text::jsonb, '[]' FROM publications
            """
        #expect(
            try await store.write(
                [AppliedStore.Change(section, over: former.version)], publication: [publication]))
    }

    /// What a server does by itself, until nothing is left to do.
    func work() async throws {
        try await app.numberEvents()
        var (before, position) = (Int64(-1), try #require(try await run.take()))
        while position != before { (before, position) = (position, try await run.pass(from: position)) }
    }

    /// Signs up by the permanent link of another.
    /// - Parameter daysAgo: when events say that it happened.
    func join(_ name: String, by inviter: String, daysAgo: Int = 0) async throws {
        try await app.signUp(name, invite: TestApp.link(inviter, "u-\(inviter)"))
        guard daysAgo > 0 else { return }
        try await app.db.write.run(
            """
            UPDATE outbox SET at = (at AT TIME ZONE 'UTC' - \(daysAgo) * interval '1 day') AT TIME ZONE 'UTC'
            WHERE type = 'user.signed_up' AND user_id = user_id(\("u-\(name)"))
            """)
    }

    /// Lines like `inviter credit coins 100 approved`, oldest first.
    func rewards(of uid: String) async throws -> [String] {
        let answer = try await app.get("/v1/me/rewards", as: uid)
        try #require(answer.status == 200, "\(answer.text)")
        return answer.objects("rewards").reversed().map { one in
            ["side", "kind", "unit", "amount", "state"].map { "\(one[$0] ?? "–")" }.joined(separator: " ")
        }
    }

    func balance(of uid: String, _ unit: String = "coins") async throws -> Int {
        let answer = try await app.get("/v1/me/rewards", as: uid)
        return answer.objects("balances").first { $0["unit"] as? String == unit }?["amount"] as? Int ?? 0
    }

    /// The rewards of a user as operators see them, newest first.
    func records(of uid: String) async throws -> [[String: Any]] {
        try await app.asked("/v1/admin/rewards?uid=\(uid)", shop.admin).objects("rewards")
    }

    func record(of uid: String) async throws -> TestApp.Answer {
        let id = try #require(try await records(of: uid).first?["id"] as? String)
        return try await app.asked("/v1/admin/rewards/\(id)", shop.admin)
    }

    func decide(_ decision: String, on uid: String, reason: String = "ticket 7") async throws
        -> TestApp.Answer
    {
        let id = try #require(try await records(of: uid).first?["id"] as? String)
        return try await post("\(id)/decision", ["decision": decision, "reason": reason])
    }

    func post(_ path: String, _ body: Body) async throws -> TestApp.Answer {
        try await app.call(.post, "/v1/admin/rewards/\(path)", headers: shop.admin, body: body)
    }

    /// As a backend calls.
    func tell(_ path: String, _ body: Body) async throws -> TestApp.Answer {
        try await app.call(.post, "/v1/rewards/\(path)", headers: app.keyed(.server), body: body)
    }

    func act(_ uid: String, _ action: String = "played", id: String, at time: Date? = nil) async throws {
        let answer = try await tell(
            "actions", ["uid": uid, "action": action, "id": id, "at": time.map(JSON.timestamp)])
        #expect(answer.status == 204, "\(answer.text)")
    }

    func signal(_ uid: String, _ name: String, _ value: String) async throws {
        let answer = try await tell("signals", ["uid": uid, name: value])
        #expect(answer.status == 204, "\(answer.text)")
    }

    func spend(_ amount: Int, by uid: String, id: String) async throws -> TestApp.Answer {
        try await tell("spend", ["uid": uid, "unit": "coins", "amount": amount, "id": id])
    }

    /// The hold is over.
    func wait() async throws {
        try await app.db.write.run(
            """
            UPDATE rewards
            SET created_at = (created_at AT TIME ZONE 'UTC' - interval '20 days') AT TIME ZONE 'UTC', due_at = now() - interval '1 minute'
            WHERE state = 'pending'
            """)
        try await work()
    }

    /// The types of what was told of rewards, in order.
    func told(_ uid: String) async throws -> [String] {
        try await app.events().filter { $0.type.hasPrefix("reward.") && $0.uid("user") == uid }.map(\.type)
    }

    /// Apple refunds a month that was bought.
    func refund(_ purchase: String = "1000", signed: Double = -4) async throws {
        try await shop.notify(
            "REFUND",
            shop.month(
                1, of: purchase, signed: signed,
                [
                    "revocationDate": PurchaseStage.milliseconds(PurchaseStage.day(signed)),
                    "revocationReason": 1,
                ]),
            signed: signed)
        try await work()
    }

    func reverseRefund(signed: Double = -3) async throws {
        try await shop.notify("REFUND_REVERSED", shop.month(1, signed: signed), signed: signed)
        try await work()
    }
}
