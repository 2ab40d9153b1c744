import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Web

/// Whose purchases are, and what becomes of them.
@Suite(.inTurns) struct PurchaseTests {
    @Test func `an app shows a purchase, and it is its user's, whoever shows it later`() async throws {
        try await PurchaseStage.run(users: ["ann", "bob"]) { stage in
            let first = try await stage.show(stage.month(1), by: "u-ann")
            #expect(first.status == 201 && first["active"] == "1" && first["productId"] == "monthly")
            #expect(first["simulated"] == "0" && first["environment"] == "production")
            #expect(try await stage.show(stage.month(1), by: "u-ann").status == 200)
            let other = try await stage.show(stage.month(1), by: "u-bob")
            #expect((other.status, other.code) == (409, "purchase_taken"))
            #expect(try await stage.purchase(of: "u-ann")["originalTransactionId"] as? String == "1000")
            #expect(try await stage.told() == ["purchase.started"])
            try await stage.app.verify()
        }
    }

    @Test func `of 20 who show one purchase at once, one gets it`() async throws {
        let names = (0..<20).map { "user\($0)" }
        try await PurchaseStage.run(users: names) { stage in
            let transaction = try stage.signer.sign(stage.month(1))
            let answers = try await withThrowingTaskGroup { group in
                for name in names {
                    group.addTask {
                        try await stage.app.post(
                            "/v1/me/transactions", as: "u-\(name)", ["signedTransaction": transaction])
                    }
                }
                return try await group.reduce(into: [TestApp.Answer]()) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 201 } == 1)
            #expect(answers.allSatisfy { $0.status == 201 || $0.code == "purchase_taken" })
            #expect(try await stage.told() == ["purchase.started"])
        }
    }

    @Test func `a notification may come before anybody knows whose the purchase is`() async throws {
        try await PurchaseStage.run { stage in
            try await stage.notify("SUBSCRIBED", stage.month(1), renews: true, signed: -10)
            try await stage.notify("DID_CHANGE_RENEWAL_STATUS", stage.month(1), renews: false, signed: -5)
            #expect(try await stage.told() == [])
            #expect(try await stage.record()["uid"] == nil)
            #expect(try await stage.show(stage.month(1), by: "u-ann").status == 201)
            #expect(try await stage.purchase(of: "u-ann")["autoRenews"] as? Bool == false)
            #expect(try await stage.told() == ["purchase.started"])
            #expect(try await stage.record()["uid"] == "u-ann")
        }
    }

    @Test func `appAccountToken says whose a purchase is, before and against anybody who shows it`()
        async throws
    {
        try await PurchaseStage.run(users: ["ann", "bob"]) { stage in
            let token = try #require(
                try await stage.app.get("/v1/me/purchases", as: "u-ann")["appAccountToken"])
            let month = stage.month(1, ["appAccountToken": token])
            #expect(try await stage.show(month, by: "u-bob").code == "purchase_taken")
            #expect(try await stage.record().status == 404)
            try await stage.notify("SUBSCRIBED", month, renews: true)
            #expect(try await stage.record()["uid"] == "u-ann")
            #expect(try await stage.told() == ["purchase.started"])
            // A token of the app's own names nobody.
            let own = stage.month(1, of: "2000", ["appAccountToken": UUID().uuidString])
            #expect(try await stage.show(own, by: "u-bob").status == 201)
            // So does what is none.
            for (number, token) in ["", "no uuid"].enumerated() {
                let none = stage.month(1, of: "300\(number)", ["appAccountToken": token])
                #expect(try await stage.show(none, by: "u-bob").status == 201)
            }
        }
    }

    @Test func `after the deletion of an account its purchases are nobody's, and the next may have them`()
        async throws
    {
        try await PurchaseStage.run(users: ["ann", "bob"]) { stage in
            let token = User.ID(of: User.UID(stored: "u-ann")).uuid.uuidString
            let month = stage.month(1, ["appAccountToken": token])
            #expect(try await stage.show(month, by: "u-ann").status == 201)
            let export = try await stage.app.get("/v1/me/export", as: "u-ann")
            let bought = (export.json["purchases"] as? [[String: Any]])?.first
            #expect(bought?["originalTransactionId"] as? String == "1000")
            #expect((bought?["transactions"] as? [[String: Any]])?.count == 1)
            try await stage.app.setStatus("deleted", of: "u-ann")
            #expect(try await stage.record()["uid"] == nil)
            try await stage.notify("DID_RENEW", stage.month(2, ["appAccountToken": token]), renews: true)
            #expect(try await stage.record()["uid"] == nil)
            try await stage.app.verify()
            #expect(try await stage.show(month, by: "u-bob").status == 201)
            #expect(try await stage.record()["uid"] == "u-bob")
        }
    }

    @Test func `notifications meet the deletion of the account, and no purchase stays with it`() async throws
    {
        let names = (0..<10).map { "gone\($0)" }
        try await PurchaseStage.run(users: names) { stage in
            try await withThrowingTaskGroup { group in
                for (number, name) in names.enumerated() {
                    let purchase = String(5000 + number)
                    #expect(try await stage.show(stage.month(1, of: purchase), by: "u-\(name)").status == 201)
                    group.addTask { try await stage.app.setStatus("deleted", of: "u-\(name)") }
                    for month in 2..<6 {
                        group.addTask {
                            try await stage.notify(
                                "DID_RENEW", stage.month(month, of: purchase), renews: true)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await stage.app.count("purchases WHERE user_id IS NOT NULL") == 0)
            #expect(try await stage.app.count("purchase_periods") == 50)
            try await stage.app.verify()
        }
    }

    @Test func `the sandbox is apart from production`() async throws {
        try await PurchaseStage.run { stage in
            let sandbox = stage.month(1, ["environment": "Sandbox", "productId": "yearly"])
            try await stage.notify("SUBSCRIBED", sandbox, renews: true)
            #expect(try await stage.show(sandbox, by: "u-ann").status == 201)
            #expect(try await stage.show(stage.month(1), by: "u-ann").status == 201)
            #expect(try await stage.purchase(of: "u-ann")["productId"] as? String == "monthly")
            #expect(try await stage.purchase(of: "u-ann", in: "sandbox")["productId"] as? String == "yearly")
            #expect(try await stage.record()["purchase.environment"] == "production")
            #expect(try await stage.record(in: "sandbox")["purchase.environment"] == "sandbox")
        }
    }
}

/// The three cases of the article that Kith starts from, and their like.
extension PurchaseTests {
    @Test func `renewed: the purchase goes on, and its history has each period`() async throws {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1, began: -40), by: "u-ann")
            #expect(try await stage.purchase(of: "u-ann")["active"] as? Bool == false)
            try await stage.notify("DID_RENEW", stage.month(2, began: -40), renews: true, signed: -10)
            let purchase = try await stage.purchase(of: "u-ann")
            #expect(purchase["active"] as? Bool == true && purchase["autoRenews"] as? Bool == true)
            #expect(
                (purchase["expiresAt"] as? String)?.prefix(10)
                    == JSON.timestamp(PurchaseStage.day(20)).prefix(10))
            let record = try await stage.record()
            #expect((record.json["periods"] as? [Any])?.count == 2)
            #expect((record.json["notifications"] as? [Any])?.count == 1)
            #expect(try await stage.told() == ["purchase.started", "purchase.renewed"])
        }
    }

    @Test func `cancelled and back: it goes on to its end, and renews again once the user is back`()
        async throws
    {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1), by: "u-ann")
            try await stage.notify("DID_CHANGE_RENEWAL_STATUS", stage.month(1), renews: false, signed: -8)
            var purchase = try await stage.purchase(of: "u-ann")
            #expect(purchase["active"] as? Bool == true && purchase["autoRenews"] as? Bool == false)
            try await stage.notify("DID_CHANGE_RENEWAL_STATUS", stage.month(1), renews: true, signed: -6)
            purchase = try await stage.purchase(of: "u-ann")
            #expect(purchase["active"] as? Bool == true && purchase["autoRenews"] as? Bool == true)
            #expect(
                try await stage.told() == ["purchase.started", "purchase.cancelled", "purchase.resumed"])
        }
    }

    @Test func `expired, and bought again later`() async throws {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1, began: -50), by: "u-ann")
            try await stage.notify("EXPIRED", stage.month(1, began: -50), renews: false, signed: -20)
            var purchase = try await stage.purchase(of: "u-ann")
            #expect(purchase["active"] as? Bool == false && purchase["endedAt"] is String)
            let again = stage.month(3, began: -65, signed: -5, ["originalPurchaseDate": 1])
            try await stage.notify("SUBSCRIBED", again, renews: true, signed: -5)
            purchase = try await stage.purchase(of: "u-ann")
            #expect(purchase["active"] as? Bool == true)
            #expect(
                try await stage.told() == [
                    "purchase.started", "purchase.cancelled", "purchase.ended", "purchase.renewed",
                    "purchase.resumed",
                ])
        }
    }

    @Test func `cancelled by Apple: a refund ends it at once, and its reversal gives it back`() async throws {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1), by: "u-ann")
            let refunded = stage.month(
                1, signed: -4,
                ["revocationDate": PurchaseStage.milliseconds(PurchaseStage.day(-5)), "revocationReason": 1])
            try await stage.notify("REFUND", refunded, renews: false, signed: -4)
            var purchase = try await stage.purchase(of: "u-ann")
            #expect(purchase["active"] as? Bool == false && purchase["revokedAt"] is String)
            // Whether the transaction still has its revocationDate makes no difference.
            try await stage.notify(
                "REFUND_REVERSED",
                refunded.merging(["signedDate": PurchaseStage.milliseconds(PurchaseStage.day(-1))]) { $1 },
                signed: -1)
            purchase = try await stage.purchase(of: "u-ann")
            #expect(purchase["active"] as? Bool == true && purchase["revokedAt"] == nil)
            let period = (try await stage.record().json["periods"] as? [[String: Any]])?.first
            #expect(period?["revokedAt"] is String && period?["reversedAt"] is String)
            #expect(
                try await stage.told() == [
                    "purchase.started", "purchase.refunded", "purchase.cancelled", "purchase.refund_reversed",
                ])
            try await stage.notify(
                "REVOKE",
                stage.month(1, signed: 0, ["revocationDate": PurchaseStage.milliseconds(Date())]))
            #expect(try await stage.purchase(of: "u-ann")["active"] as? Bool == false)
        }
    }

    @Test func `a failed payment leaves it on for the days of grace`() async throws {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1, began: -31), by: "u-ann")
            try await stage.notify(
                "DID_FAIL_TO_RENEW", stage.month(1, began: -31), renews: true, grace: 5)
            let purchase = try await stage.purchase(of: "u-ann")
            #expect(purchase["active"] as? Bool == true && purchase["graceUntil"] is String)
        }
    }
}
