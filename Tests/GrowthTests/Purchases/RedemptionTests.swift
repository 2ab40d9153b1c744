import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kith
@testable import Web

/// Which campaign somebody came by, what matches no code of ours, and what operators simulate.
@Suite(.inTurns) struct RedemptionTests {
    @Test func `one call says which campaign a user came by, and until when`() async throws {
        try await PurchaseStage.run { stage in
            try await stage.putCampaign("spring")
            try await stage.deal("spring", to: "u-ann")
            let before = try await stage.app.get("/v1/me/purchases", as: "u-ann")
            #expect((before.json["assigned"] as? [[String: Any]])?.first?["campaign"] as? String == "spring")
            #expect((before.json["redemptions"] as? [Any])?.isEmpty == true)
            let month = stage.month(1, began: 0.01, PurchaseStage.code())
            #expect(try await stage.show(month, by: "u-ann").status == 201)
            let redemption = try #require(try await stage.redemptions(of: "u-ann").first)
            #expect(redemption["campaign"] as? String == "spring" && redemption["assignedAt"] is String)
            #expect(redemption["offer"] as? String == "Spring 2027" && redemption["active"] as? Bool == true)
            #expect(
                (redemption["until"] as? String)?.prefix(10)
                    == JSON.timestamp(PurchaseStage.day(30.01)).prefix(10))
            // A renewal is none.
            try await stage.notify("DID_RENEW", stage.month(2, began: 0.01), renews: true)
            #expect(try await stage.redemptions(of: "u-ann").count == 1)
        }
    }

    @Test func `an offer that gives several periods is one redemption, until the last of them ends`()
        async throws
    {
        try await PurchaseStage.run { stage in
            try await stage.putCampaign("spring")
            for month in 1...3 {
                let one = stage.month(month, began: -40, PurchaseStage.code())
                #expect(try await stage.show(one, by: "u-ann").status < 300)
            }
            let redemptions = try await stage.redemptions(of: "u-ann")
            #expect(redemptions.count == 1)
            #expect(
                (redemptions[0]["until"] as? String)?.prefix(10)
                    == JSON.timestamp(PurchaseStage.day(50)).prefix(10))
            let all = try await stage.app.get("/v1/admin/redemptions", headers: stage.admin)
            #expect((all.json["redemptions"] as? [Any])?.count == 1)
        }
    }

    /// Offer and product of a redemption, its offer type, and the campaign that it was by.
    @Test(arguments: [
        ("Spring 2027", "monthly", 3, "monthly"), ("Spring 2027", "yearly", 3, "any"),
        ("Spring 2027", "monthly", 1, nil), ("spring 2027", "monthly", 3, nil),
        ("Autumn", "monthly", 3, nil), ("Winter", "monthly", 3, nil), ("Summer", "monthly", 3, nil),
    ])
    func `a campaign is known by offer, product, app and environment`(
        offer: String, product: String, type: Int, campaign: String?
    ) async throws {
        try await PurchaseStage.run { stage in
            try await stage.putCampaign("any")
            try await stage.putCampaign("monthly", product: "monthly")
            try await stage.putCampaign("winter", offer: "Winter", environment: "sandbox")
            try await stage.putCampaign("summer", offer: "Summer", app: "987")
            let month = stage.month(
                1, ["offerType": type, "offerIdentifier": offer, "productId": product])
            #expect(try await stage.show(month, by: "u-ann").status == 201)
            let redemptions = try await stage.redemptions(of: "u-ann")
            #expect(redemptions.count == (type == 3 ? 1 : 0))
            #expect(redemptions.first?["campaign"] as? String == campaign)
        }
    }

    @Test func `operators see what matches no code of ours, and why`() async throws {
        try await PurchaseStage.run(users: ["ann", "bob", "cat"]) { stage in
            try await stage.putCampaign("spring")
            try await stage.deal("spring", to: "u-ann")
            _ = try await stage.show(stage.month(1, of: "1", began: 0.01, PurchaseStage.code()), by: "u-ann")
            _ = try await stage.show(stage.month(1, of: "2", began: -1, PurchaseStage.code()), by: "u-bob")
            _ = try await stage.show(
                stage.month(1, of: "3", began: -2, PurchaseStage.code("Other")), by: "u-cat")
            try await stage.notify("SUBSCRIBED", stage.month(1, of: "4", began: -3, PurchaseStage.code()))
            try await stage.notify(
                "SUBSCRIBED",
                stage.month(
                    1, of: "5", began: -4,
                    PurchaseStage.code().merging(["inAppOwnershipType": "FAMILY_SHARED"]) { $1 }))
            func list(_ query: String) async throws -> [String] {
                var (found, next) = ([String](), "")
                repeat {
                    let page = try await stage.app.get(
                        "/v1/admin/redemptions?\(query)\(next)", headers: stage.admin)
                    #expect(page.status == 200, "\(page.text)")
                    found += (page.json["redemptions"] as? [[String: Any]] ?? []).map {
                        "\($0["originalTransactionId"] ?? "") \($0["state"] ?? "")"
                    }
                    next = page["next"].map { "&after=\($0)" } ?? ""
                } while !next.isEmpty
                return found
            }
            let orphans = ["2 unassigned", "3 no_campaign", "4 no_user"]
            #expect(try await list("limit=2") == ["1 matched"] + orphans)
            #expect(try await list("orphans=true") == orphans)
            #expect(try await list("environment=sandbox") == [])
        }
    }

    @Test func `a code that was dealt closes one redemption, the oldest, and no other`() async throws {
        try await PurchaseStage.run(users: ["ann", "bob"]) { stage in
            try await stage.putCampaign("spring")
            try await stage.deal("spring", to: "u-ann")
            // What Apple tells last is the oldest; one was before the code.
            for (id, began) in [("1", 0.03), ("2", 0.02), ("3", 0.01), ("4", -1.0)] {
                let month = stage.month(1, of: id, began: began, PurchaseStage.code())
                #expect(try await stage.show(month, by: "u-ann").status == 201)
            }
            func matched() async throws -> [String] {
                try await stage.redemptions(of: "u-ann").filter { $0["assignedAt"] is String }
                    .compactMap { $0["originalTransactionId"] as? String }
            }
            #expect(try await matched() == ["3"])
            func list(_ query: String) async throws -> [String] {
                let page = try await stage.app.get("/v1/admin/redemptions?\(query)", headers: stage.admin)
                return (page.json["redemptions"] as? [[String: Any]] ?? []).map {
                    "\($0["originalTransactionId"] ?? "") \($0["state"] ?? "")"
                }
            }
            #expect(
                try await list("") == ["1 unassigned", "2 unassigned", "3 matched", "4 unassigned"])
            // Also on a page that has only the others.
            #expect(try await list("limit=2") == ["1 unassigned", "2 unassigned"])
            #expect(try await list("orphans=true") == ["1 unassigned", "2 unassigned", "4 unassigned"])
            // A second campaign of the offer dealt a code for another.
            try await stage.putCampaign("spring-too")
            try await stage.deal("spring-too", to: "u-ann")
            #expect(try await matched() == ["2", "3"])
        }
    }

    @Test func `what an operator simulates passes through all states in the sandbox, and is marked`()
        async throws
    {
        try await PurchaseStage.run { stage in
            try await stage.putCampaign("test", environment: "sandbox")
            #expect(try await stage.simulate("renew", for: "u-ann").code == "purchase_not_found")
            let first = try await stage.simulate("redeem", for: "u-ann", days: 7)
            #expect(first.status == 201 && first["simulated"] == "1" && first["active"] == "1")
            #expect(try await stage.simulate("redeem", for: "u-ann").status == 200)
            let redeemed = try #require(try await stage.redemptions(of: "u-ann", in: "sandbox").first)
            #expect(redeemed["campaign"] as? String == "test" && redeemed["active"] as? Bool == true)
            for (act, active, renews) in [
                ("renew", "1", "1"), ("cancel", "1", "0"), ("resume", "1", "1"), ("refund", "1", "1"),
                ("refund", "0", "1"), ("reverse_refund", "1", "1"), ("expire", "0", "0"),
            ] {
                let answer = try await stage.simulate(act, for: "u-ann")
                #expect(answer.status == 200, "\(act): \(answer.text)")
                #expect((answer["active"], answer["autoRenews"]) == (active, renews), "\(act)")
            }
            #expect(
                try await stage.told() == [
                    "purchase.started", "purchase.renewed", "purchase.cancelled", "purchase.resumed",
                    "purchase.refunded", "purchase.refunded", "purchase.refund_reversed",
                    "purchase.cancelled",
                    "purchase.ended",
                ])
            let facts = try await stage.app.events().filter { $0.type.hasPrefix("purchase.") }
            #expect(facts.allSatisfy { $0.data["simulated"] as? Bool == true })
            #expect(facts.allSatisfy { $0.data["environment"] as? String == "sandbox" })
            let production = try await stage.app.get("/v1/me/purchases", as: "u-ann")
            #expect((production.json["purchases"] as? [Any])?.isEmpty == true)
            let acts = try await stage.app.get("/v1/admin/audit?uid=u-ann", headers: stage.admin)
            #expect(acts.text.contains("simulate_purchase"))
            try await stage.app.verify()
        }
    }

    @Test func `a code for everybody is given to all, and its redemptions are the campaign's`() async throws {
        try await PurchaseStage.run(users: ["ann", "bob"], configure: { $0.secretsKey = nil }) { stage in
            func put(_ key: String, _ fields: [String: String]) async throws -> TestApp.Answer {
                let base = ["appStoreId": "123456789", "offer": "Spring 2027"]
                return try await stage.app.call(
                    .put, "/v1/admin/offers/\(key)", headers: stage.admin,
                    body: .init(stringLiteral: base.merging(fields) { $1 }.json))
            }
            let refused = try await put("spring_2027", ["sharedCode": "SPRING 27"])
            #expect((refused.status, refused["field"]) == (400, "sharedCode"))
            #expect(try await put("other", ["productId": "monthly"]).status == 201)
            let campaign = try await put("spring_2027", ["sharedCode": "spring27"])
            #expect((campaign.status, campaign["sharedCode"]) == (201, "SPRING27"), "\(campaign.text)")
            for uid in ["u-ann", "u-bob", "u-bob"] {
                let given = try await stage.app.call(.post, "/v1/me/offers/spring_2027", as: uid)
                #expect(
                    (given.status, given["code"], given["expiresAt"]) == (200, "SPRING27", nil),
                    "\(given.text)")
                #expect(given["url"]?.hasSuffix("ctx=offercodes&id=123456789&code=SPRING27") == true)
                #expect(given["qr"]?.contains("<svg") == true)
            }
            _ = try await stage.show(stage.month(1, PurchaseStage.code()), by: "u-ann")
            let redeemed = try await stage.redemptions(of: "u-ann").first
            #expect(redeemed?["campaign"] as? String == "spring_2027" && redeemed?["assignedAt"] == nil)
            let all = try await stage.app.get("/v1/admin/redemptions", headers: stage.admin)
            #expect(all["redemptions.0.state"] == "shared" && all["redemptions.0.campaign"] == "spring_2027")
            let orphans = try await stage.app.get("/v1/admin/redemptions?orphans=true", headers: stage.admin)
            #expect((orphans.json["redemptions"] as? [Any])?.isEmpty == true, "\(orphans.text)")
            // Without the code it is anybody's custom code again.
            #expect(try await put("spring_2027", [:]).status == 200)
            #expect(
                try await stage.app.get("/v1/admin/redemptions", headers: stage.admin)["redemptions.0.state"]
                    == "unassigned")
            #expect(
                try await stage.app.call(.post, "/v1/me/offers/spring_2027", as: "u-bob").code
                    == "no_secrets_key")
        }
    }

    @Test func `of acts that are simulated at once each is one more`() async throws {
        try await PurchaseStage.run { stage in
            try await stage.putCampaign("test", environment: "sandbox")
            let first = try await stage.simulate("redeem", for: "u-ann")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        let status = try await stage.simulate("renew", for: "u-ann").status
                        #expect(status == 200)
                    }
                }
                try await group.waitForAll()
            }
            let record = try await stage.record(first["originalTransactionId"] ?? "", in: "sandbox")
            #expect((record.json["periods"] as? [Any])?.count == 7, "\(record.text)")
        }
    }

    @Test func `nothing is simulated in production, nor for nobody`() async throws {
        try await PurchaseStage.run { stage in
            try await stage.putCampaign("spring")
            let refused = try await stage.simulate("redeem", for: "u-ann", campaign: "spring")
            #expect(refused.status == 400 && refused["field"] == "campaign")
            #expect(try await stage.simulate("redeem", for: "u-ann").code == "campaign_not_found")
            #expect(try await stage.simulate("redeem", for: "u-nobody").code == "user_not_found")
            #expect(try await stage.simulate("steal", for: "u-ann")["field"] == "act")
            #expect(try await stage.simulate("redeem", for: "u-ann", days: 0)["field"] == "days")
            await #expect(throws: (any Error).self) {
                try await stage.app.db.write.run(
                    """
                    INSERT INTO purchases (original_transaction_id, environment, change_id, bundle_id, type, family_shared, started_at)
                    VALUES ('sim-1', 'production', gen_random_uuid(), 'x', 'x', false, now())
                    """)
            }
        }
    }
}
