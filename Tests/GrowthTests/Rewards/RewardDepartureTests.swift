import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Events
@testable import Growth
@testable import Kernel

/// What comes in an unlucky order: who leaves while rewards are made, refunds before the purchase, codes
/// redeemed in silence.
@Suite(.inTurns) struct RewardDepartureTests {
    private static let monthly = RewardStage.monthly

    private func leave(_ stage: RewardStage, _ uid: String) async throws {
        #expect(try await stage.app.call(.delete, "/v1/me", as: uid).status == 204)
    }

    @Test(arguments: ["0", "14"])
    func `a purchase pays once, though its buyer leaves while the rewards are made`(hold: String) async throws
    {
        try await RewardStage.run(Self.monthly, ["hold": hold]) { stage in
            for name in ["bob", "cat"] { try await stage.join(name, by: "ann", daysAgo: 20) }
            #expect(try await stage.shop.show(stage.shop.month(1), by: "u-bob").status == 201)
            try await stage.app.numberEvents()
            let programs = try await AppliedStore(db: stage.app.db).rewardPrograms().rules
            let program = try #require(programs["autumn"])
            let last = try await stage.run.events.last()
            for news in try await stage.run.positions.news(
                after: 0, through: last, of: RewardEventHandler.kinds, limit: 100)
            {
                try await stage.run.following.take(news, [program])
            }
            let due = try #require(try await stage.run.referrals.due(in: ["autumn"], limit: 1).first)
            try await leave(stage, "u-bob")
            try await stage.run.making.make(due, in: program)
            try await stage.work()
            #expect(try await stage.shop.show(stage.shop.month(1), by: "u-cat").status == 201)
            try await stage.work()
            try await stage.wait()
            #expect(try await stage.rewards(of: "u-cat") == [])
            #expect(try await stage.balance(of: "u-ann") <= 100)
            try await stage.app.verify()
            try await stage.refund()
            try await stage.run.clean()
            #expect(try await stage.balance(of: "u-ann") == 0)
            try await stage.app.verify()
        }
    }

    @Test func `nobody who left makes a reward of the other side come back`() async throws {
        try await RewardStage.run(Self.monthly, ["hold": "14"]) { stage in
            try await stage.join("bob", by: "ann", daysAgo: 20)
            #expect(try await stage.shop.show(stage.shop.month(1), by: "u-bob").status == 201)
            try await stage.refund()
            #expect(try await stage.rewards(of: "u-ann") == [])
            try await stage.reverseRefund()
            try await stage.refund(signed: -2)
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 voided"])
            try await leave(stage, "u-bob")
            try await stage.reverseRefund(signed: -1)
            try await stage.run.clean()
            try await stage.wait()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 voided"])
            try await stage.app.verify()
        }
    }

    @Test func `a refund that came before the purchase was shown pays nobody`() async throws {
        try await RewardStage.run(Self.monthly) { stage in
            try await stage.join("bob", by: "ann", daysAgo: 20)
            try await stage.shop.notify("SUBSCRIBED", stage.shop.month(1), signed: -9)
            try await stage.refund()
            try await stage.shop.notify("SUBSCRIBED", stage.shop.month(2, signed: -3), signed: -3)
            #expect(try await stage.shop.show(stage.shop.month(2, signed: -3), by: "u-bob").status < 300)
            try await stage.work()
            #expect(try await stage.balance(of: "u-ann") == 0)
            try await leave(stage, "u-bob")
            try await stage.run.clean()
            #expect(try await stage.balance(of: "u-ann") == 0)
            try await stage.app.verify()
        }
    }

    /// Of what Apple tells of one purchase, in any order.
    @Test(arguments: [[0, 1], [1, 0]])
    func `the refund of what was upgraded counts for nothing, whichever comes first`(order: [Int])
        async throws
    {
        try await RewardStage.run(Self.monthly) { stage in
            try await stage.join("bob", by: "ann", daysAgo: 20)
            #expect(try await stage.shop.show(stage.shop.month(1), by: "u-bob").status == 201)
            try await stage.work()
            let year: [String: Any] = [
                "productId": "yearly", "purchaseDate": PurchaseStage.milliseconds(PurchaseStage.day(-6)),
                "expiresDate": PurchaseStage.milliseconds(PurchaseStage.day(359)),
            ]
            for step in order {
                if step == 0 {
                    try await stage.refund()
                } else {
                    try await stage.shop.notify(
                        "DID_CHANGE_RENEWAL_PREF", stage.shop.month(2, signed: -6, year), signed: -6)
                }
                try await stage.work()
            }
            #expect(try await stage.balance(of: "u-ann") == 100)
            try await leave(stage, "u-bob")
            try await stage.run.clean()
            #expect(try await stage.balance(of: "u-ann") == 100)
        }
    }

    @Test func `what somebody upgraded to qualifies, though another product was shown first`() async throws {
        try await RewardStage.run(Self.monthly, ["qualify.purchase.products": "yearly"]) { stage in
            try await stage.join("bob", by: "ann", daysAgo: 20)
            #expect(try await stage.shop.show(stage.shop.month(1), by: "u-bob").status == 201)
            try await stage.work()
            #expect(try await stage.rewards(of: "u-ann") == [])
            let year: [String: Any] = [
                "productId": "yearly", "purchaseDate": PurchaseStage.milliseconds(PurchaseStage.day(-6)),
                "expiresDate": PurchaseStage.milliseconds(PurchaseStage.day(359)),
            ]
            #expect(
                try await stage.shop.show(stage.shop.month(2, signed: -6, year), by: "u-bob").status < 300)
            try await stage.work()
            #expect(try await stage.balance(of: "u-ann") == 100)
        }
    }

    @Test func `what an operator gave before a refund is taken back, though its code was dealt meanwhile`()
        async throws
    {
        try await RewardStage.run(Self.monthly, ["fraud.velocityHour.threshold": "1", "hold": "14"]) {
            stage in
            try await stage.join("bob", by: "ann", daysAgo: 20)
            #expect(try await stage.shop.show(stage.shop.month(1), by: "u-bob").status == 201)
            try await stage.work()
            #expect(try await stage.decide("approve", on: "u-ann")["state"] == "approved")
            // As dealing moves it.
            try await stage.app.db.write.run(
                """
                UPDATE rewards SET changed_at = (changed_at AT TIME ZONE 'UTC' + interval '1 hour') AT TIME ZONE 'UTC'
                WHERE state = 'approved'
                """)
            try await stage.refund()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 clawed_back"])
        }
    }
}
