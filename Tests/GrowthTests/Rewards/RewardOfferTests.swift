import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Growth
@testable import Imports
@testable import Kernel
@testable import Kith

/// Offer codes as rewards.
@Suite(.inTurns) struct RewardOfferTests {
    private static let codes = [
        "qualify": "signed_up", "inviter.offer": "spring", "invitee.offer": "spring", "hold": "0",
    ]

    private func run(_ test: @Sendable (RewardStage) async throws -> Void) async throws {
        try await RewardStage.run(Self.codes) { stage in
            let put = try await stage.app.call(
                .put, "/v1/admin/offers/spring", headers: stage.shop.admin,
                body: [
                    "appStoreId": String(stage.shop.signer.appAppleID), "offer": "Spring 2027",
                    "rewardsOnly": true,
                ])
            try #require(put.status == 201, "\(put.text)")
            var chunks = [Array("ABCD1234\nEFGH5678\nIJKL9012\n".utf8)]
            let report = try await OfferImportStore(stage.app.db, stage.app.app.config).run(
                into: "spring", expiresAt: Date() + 40 * 86_400, from: { chunks.popLast() })
            try #require(report.imported == 3)
            try await stage.join("bob", by: "ann")
            try await test(stage)
        }
    }

    private func deal(_ stage: RewardStage, _ uid: String) async throws -> TestApp.Answer {
        try await stage.app.call(.post, "/v1/me/offers/spring", as: uid)
    }

    @Test func `only a reward gives a code of a campaign for rewards, one code for each user`() async throws {
        try await run { stage in
            #expect(try await deal(stage, "u-ann").code == "offer_not_earned")
            try await stage.work()
            let first = try await deal(stage, "u-ann")
            #expect(first.status == 201)
            #expect(try await deal(stage, "u-ann")["code"] == first["code"])
            #expect(try await stage.rewards(of: "u-ann") == ["inviter offer spring 1 assigned"])
            try await stage.join("cat", by: "ann")
            try await stage.work()
            #expect(try await stage.rewards(of: "u-ann").last == "inviter offer spring 1 rejected")
            #expect(try await stage.rewards(of: "u-cat") == ["invitee offer spring 1 approved"])
            try await stage.app.verify()
        }
    }

    @Test func `a redemption settles it, and a code that nobody redeems expires`() async throws {
        try await run { stage in
            try await stage.work()
            for uid in ["u-ann", "u-bob"] { _ = try await deal(stage, uid) }
            let month = stage.shop.month(1, began: 0, PurchaseStage.code())
            #expect(try await stage.shop.show(month, by: "u-bob").status == 201)
            try await stage.work()
            #expect(try await stage.rewards(of: "u-bob") == ["invitee offer spring 1 settled"])
            try await stage.app.db.write.run(
                "UPDATE rewards SET created_at = (created_at AT TIME ZONE 'UTC' - interval '50 days') AT TIME ZONE 'UTC'"
            )
            try await stage.run.clean()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter offer spring 1 assigned"])
            try await stage.app.db.write.run(
                """
                UPDATE offer_codes
                SET expires_at = now() - interval '1 day', dealt_at = (dealt_at AT TIME ZONE 'UTC' - interval '50 days') AT TIME ZONE 'UTC'
                """
            )
            try await stage.run.clean()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter offer spring 1 expired"])
            #expect(try await stage.told("u-bob").last == "reward.settled")
            try await stage.app.verify()
        }
    }

    @Test func `what was redeemed before settles no code that is dealt later`() async throws {
        try await run { stage in
            let first = stage.shop.month(1, began: -40, PurchaseStage.code())
            #expect(try await stage.shop.show(first, by: "u-bob").status == 201)
            try await stage.work()
            _ = try await deal(stage, "u-bob")
            #expect(try await stage.shop.show(stage.shop.month(2, began: -40), by: "u-bob").status < 300)
            try await stage.work()
            #expect(try await stage.rewards(of: "u-bob") == ["invitee offer spring 1 assigned"])
        }
    }

    @Test func `all codes that expired end, however many there are`() async throws {
        try await run { stage in
            try await stage.join("cat", by: "bob")
            try await stage.work()
            for uid in ["u-ann", "u-bob", "u-cat"] { #expect(try await deal(stage, uid).status == 201) }
            try await stage.app.db.write.run(
                """
                UPDATE offer_codes
                SET expires_at = now() - interval '1 day', dealt_at = (dealt_at AT TIME ZONE 'UTC' - interval '50 days') AT TIME ZONE 'UTC'
                """
            )
            try await stage.run.making.endUnused(atOnce: 1)
            #expect(try await stage.app.count("rewards WHERE state = 'expired'") == 3)
            try await stage.app.verify()
        }
    }

    @Test func `taken back, a code that was dealt is a loss, and one that was not is none`() async throws {
        try await run { stage in
            try await stage.work()
            _ = try await deal(stage, "u-bob")
            for uid in ["u-ann", "u-bob"] {
                #expect(try await stage.decide("claw_back", on: uid)["state"] == "clawed_back")
            }
            let report = try await stage.app.asked(
                "/v1/admin/rewards/programs/autumn/report", stage.shop.admin)
            #expect(report["losses.0.unit"] == "offer:spring" && report["losses.0.amount"] == "1")
            #expect(try await deal(stage, "u-ann").code == "offer_not_earned")
            try await stage.app.verify()
        }
    }

    @Test func `dealing and taking back at once leave the ledger and the states agreed`() async throws {
        try await run { stage in
            try await stage.work()
            for round in 0..<6 {
                async let dealt = deal(stage, "u-ann")
                async let decided = stage.decide(
                    round.isMultiple(of: 2) ? "claw_back" : "approve", on: "u-ann")
                let (one, other) = try await (dealt, decided)
                #expect(one.status < 500 && other.status < 500)
                try await stage.app.verify()
            }
        }
    }

    @Test(arguments: [false, true])
    func `a code that was redeemed, before it was taken back or after, is settled when it is given again`(
        isLate: Bool
    ) async throws {
        try await run { stage in
            try await stage.work()
            let code = try await deal(stage, "u-bob")["code"]
            func redeem() async throws {
                let month = stage.shop.month(1, began: 0, PurchaseStage.code())
                #expect(try await stage.shop.show(month, by: "u-bob").status == 201)
                try await stage.work()
            }
            if !isLate { try await redeem() }
            #expect(try await stage.decide("claw_back", on: "u-bob")["state"] == "clawed_back")
            if isLate { try await redeem() }
            #expect(try await stage.rewards(of: "u-bob") == ["invitee offer spring 1 clawed_back"])
            #expect(try await stage.decide("approve", on: "u-bob")["state"] == "settled")
            #expect(try await deal(stage, "u-bob")["code"] == code)
            #expect(try await stage.rewards(of: "u-bob") == ["invitee offer spring 1 settled"])
            try await stage.app.verify()
        }
    }

    @Test func `a code that was dealt is so again when it is given again`() async throws {
        try await run { stage in
            try await stage.work()
            _ = try await deal(stage, "u-bob")
            for (decision, state) in [("claw_back", "clawed_back"), ("approve", "assigned")] {
                #expect(try await stage.decide(decision, on: "u-bob")["state"] == state)
            }
            #expect(try await stage.decide("claw_back", on: "u-ann")["state"] == "clawed_back")
            #expect(try await stage.decide("approve", on: "u-ann")["state"] == "approved")
            let month = stage.shop.month(1, began: 0, PurchaseStage.code())
            #expect(try await stage.shop.show(month, by: "u-bob").status == 201)
            try await stage.work()
            #expect(try await stage.rewards(of: "u-bob") == ["invitee offer spring 1 settled"])
            try await stage.app.verify()
        }
    }

    @Test func `a campaign that a program gives stays of its app`() async throws {
        try await RewardStage.run(Self.codes) { stage in
            func put(_ app: Int, lowWater: Int) async throws -> TestApp.Answer {
                try await stage.app.call(
                    .put, "/v1/admin/offers/spring", headers: stage.shop.admin,
                    body: ["appStoreId": String(app), "offer": "Spring 2027", "lowWater": lowWater])
            }
            #expect(try await put(1, lowWater: 1).status == 201)
            let moved = try await put(2, lowWater: 7)
            #expect(moved.status == 409 && moved.code == "campaign_rewarded")
            let listed = try await stage.app.asked("/v1/admin/offers", stage.shop.admin)
            #expect(listed["campaigns.0.appStoreId"] == "1" && listed["campaigns.0.lowWater"] == "1")
            #expect(try await put(1, lowWater: 2).status == 200)
            try await stage.apply([:])
            #expect(try await put(2, lowWater: 7).status == 200)
        }
    }

    private func expireCodes(_ stage: RewardStage) async throws {
        try await stage.app.db.write.run(
            """
            UPDATE offer_codes
            SET expires_at = now() - interval '1 second', dealt_at = (dealt_at AT TIME ZONE 'UTC' - interval '50 days') AT TIME ZONE 'UTC'
            """)
        try await stage.run.clean()
    }

    @Test func `a code that was redeemed in time is settled, though Kith hears of it after it expired`()
        async throws
    {
        try await run { stage in
            try await stage.work()
            _ = try await deal(stage, "u-bob")
            try await expireCodes(stage)
            #expect(try await stage.rewards(of: "u-bob") == ["invitee offer spring 1 expired"])
            let month = stage.shop.month(1, began: -3, PurchaseStage.code())
            #expect(try await stage.shop.show(month, by: "u-bob").status == 201)
            try await stage.work()
            #expect(try await stage.rewards(of: "u-bob") == ["invitee offer spring 1 settled"])
            #expect(try await stage.told("u-bob").suffix(2) == ["reward.ended", "reward.settled"])
            try await stage.app.verify()
        }
    }

    @Test func `a code that was redeemed before its reward was given does not expire`() async throws {
        try await run { stage in
            try await stage.work()
            _ = try await deal(stage, "u-bob")
            let month = stage.shop.month(1, began: 0, PurchaseStage.code())
            #expect(try await stage.shop.show(month, by: "u-bob").status == 201)
            try await stage.work()
            // As if the reward had come later than the redemption.
            try await stage.app.db.write.run(
                "UPDATE rewards SET state = 'assigned', settled_at = NULL WHERE state = 'settled'")
            try await expireCodes(stage)
            #expect(try await stage.rewards(of: "u-bob") == ["invitee offer spring 1 settled"])
            try await stage.app.verify()
        }
    }
}
