import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Growth

/// Rewards for purchases, and what refunds make of them.
@Suite(.inTurns) struct RewardRefundTests {
    private func bought(
        _ program: [String: String] = RewardStage.monthly,
        _ test: @Sendable (RewardStage) async throws -> Void
    ) async throws {
        try await RewardStage.run(program) { stage in
            try await stage.join("bob", by: "ann", daysAgo: 20)
            #expect(try await stage.shop.show(stage.shop.month(1), by: "u-bob").status == 201)
            try await stage.work()
            try await test(stage)
        }
    }

    @Test func `a purchase of a named product in production qualifies, and no other`() async throws {
        try await bought { stage in
            #expect(try await stage.balance(of: "u-ann") == 100)
            for (name, id, change) in [
                ("cat", "2000", ["productId": "coins"]), ("dan", "3000", ["environment": "Sandbox"]),
            ] {
                try await stage.join(name, by: "ann", daysAgo: 20)
                let shown = try await stage.shop.show(stage.shop.month(1, of: id, change), by: "u-\(name)")
                #expect(shown.status == 201, "\(shown.text)")
            }
            try await stage.work()
            #expect(try await stage.balance(of: "u-ann") == 100)
        }
    }

    @Test func `a refund within the hold voids both sides, and its reversal opens them again`() async throws {
        try await bought(RewardStage.monthly.merging(["hold": "14"]) { $1 }) { stage in
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 pending"])
            try await stage.refund()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 voided"])
            #expect(try await stage.rewards(of: "u-bob") == ["invitee credit coins 50 voided"])
            try await stage.wait()
            #expect(try await stage.balance(of: "u-ann") == 0)
            try await stage.reverseRefund()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 pending"])
            try await stage.wait()
            #expect(try await (stage.balance(of: "u-ann"), stage.balance(of: "u-bob")) == (100, 50))
            try await stage.app.verify()
        }
    }

    @Test func `a refund before the rewards are made makes none`() async throws {
        try await RewardStage.run(RewardStage.monthly) { stage in
            try await stage.join("bob", by: "ann", daysAgo: 20)
            _ = try await stage.shop.show(stage.shop.month(1), by: "u-bob")
            try await stage.refund()
            #expect(try await stage.rewards(of: "u-ann") == [])
            try await stage.reverseRefund()
            #expect(try await stage.balance(of: "u-ann") == 100)
            try await stage.app.verify()
        }
    }

    @Test func `a refund later takes back once, its reversal gives again, and what was spent is a loss`()
        async throws
    {
        try await bought { stage in
            #expect(try await stage.spend(70, by: "u-ann", id: "hat")["balance"] == "30")
            for _ in 0..<2 {
                try await stage.refund()
                _ = try await stage.run.pass(from: 0)
                #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 clawed_back"])
                #expect(try await (stage.balance(of: "u-ann"), stage.balance(of: "u-bob")) == (0, 0))
            }
            let path = "/v1/admin/rewards/programs/autumn/report"
            var report = try await stage.app.asked(path, stage.shop.admin)
            #expect(report["losses.0.amount"] == "70" && report["losses.0.unit"] == "coins")
            try await stage.reverseRefund()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 approved"])
            #expect(try await (stage.balance(of: "u-ann"), stage.balance(of: "u-bob")) == (30, 50))
            report = try await stage.app.asked(path, stage.shop.admin)
            #expect(report["losses.0.amount"] == nil)
            try await stage.app.verify()
            try await stage.refund(signed: -2)
            #expect(try await stage.balance(of: "u-ann") == 0)
            #expect(
                try await stage.told("u-ann") == [
                    "reward.earned", "reward.approved", "reward.clawed_back", "reward.approved",
                    "reward.clawed_back",
                ])
            try await stage.app.verify()
        }
    }

    @Test func `a refund of what the first period was upgraded to takes back`() async throws {
        try await bought { stage in
            let year: [String: Any] = [
                "productId": "yearly", "purchaseDate": PurchaseStage.milliseconds(PurchaseStage.day(-6)),
                "expiresDate": PurchaseStage.milliseconds(PurchaseStage.day(359)),
            ]
            try await stage.shop.notify(
                "DID_CHANGE_RENEWAL_PREF", stage.shop.month(2, signed: -6, year), signed: -6)
            try await stage.work()
            #expect(try await stage.balance(of: "u-ann") == 100)
            let refunded = year.merging([
                "revocationDate": PurchaseStage.milliseconds(PurchaseStage.day(-4)), "revocationReason": 1,
            ]) { $1 }
            try await stage.shop.notify("REFUND", stage.shop.month(2, signed: -4, refunded), signed: -4)
            try await stage.work()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 clawed_back"])
            try await stage.app.verify()
        }
    }

    private static let first = period("monthly", 0, 30)
    /// What was bought, and whether it is taken back.
    static let histories: [(String, [Purchase.Period], Bool)] = [
        ("nothing", [], false),
        ("the first one stands", [first], false),
        ("the first one was refunded", [period("monthly", 0, 30, revoked: 3)], true),
        ("a renewal was refunded", [first, period("monthly", 30, 60, revoked: 31)], false),
        (
            "another product followed and was refunded", [first, period("yearly", 30, 395, revoked: 31)],
            false
        ),
        ("an upgrade within the period stands", [first, period("yearly", 3, 368)], false),
        ("an upgrade within the period was refunded", [first, period("yearly", 3, 368, revoked: 5)], true),
        (
            "Apple says upgraded, and of the upgrade nothing yet",
            [period("monthly", 0, 30, isUpgraded: true)], false
        ),
        (
            "Apple says upgraded and refunds the old one, the new one stands",
            [period("monthly", 0, 30, isUpgraded: true, revoked: 3), period("yearly", 3, 368)], false
        ),
        (
            "two upgrades, the last one was refunded",
            [first, period("half", 2, 182), period("yearly", 3, 368, revoked: 5)], true
        ),
        (
            "refunded, and later another one bought",
            [period("monthly", 0, 30, revoked: 3), period("yearly", 5, 370)], true
        ),
        (
            "the refund was taken back", [period("monthly", 0, 30, revoked: 3, reversed: 4)], false
        ),
    ]

    @Test(arguments: histories)
    func `the first period counts, and what it was upgraded to`(
        what: String, periods: [Purchase.Period], isTakenBack: Bool
    ) {
        var purchase = Purchase(
            key: .init(id: "1", environment: .production), bundleID: "com.example.app",
            type: "Auto-Renewable Subscription",
            isFamilyShared: false, startedAt: Date())
        purchase.periods = periods
        #expect(purchase.isTakenBack == isTakenBack)
    }

    private static func period(
        _ product: String, _ from: Double, _ to: Double, isUpgraded: Bool = false, revoked: Double? = nil,
        reversed: Double? = nil
    ) -> Purchase.Period {
        func day(_ number: Double) -> Date { Date(timeIntervalSince1970: 1_800_000_000 + number * 86_400) }
        return .init(
            id: "\(product)\(from)", productID: product, purchasedAt: day(from), expiresAt: day(to),
            isUpgraded: isUpgraded,
            revokedAt: revoked.map(day), reversedAt: reversed.map(day), signedAt: day(from))
    }
}
