import Foundation
import Testing

@testable import AppTesting
@testable import Growth
@testable import Web

/// What is said of periods that Apple took back, of payments that fail, and of other products.
extension PurchaseTests {
    private static let back = ["revocationDate": PurchaseStage.milliseconds(PurchaseStage.day(-1))]

    private static func last(_ type: String, _ stage: PurchaseStage) async throws -> [String: Any] {
        try #require(try await stage.app.events().last { $0.type == type }?.data, "no \(type)")
    }

    @Test func `after a refund of the newest period the answer and the event say what was refunded`()
        async throws
    {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1, began: -310), by: "u-ann")
            try await stage.notify("SUBSCRIBED", stage.month(11, began: -310), renews: true, signed: -10)
            let refunded = stage.month(11, began: -310, signed: -0.5, Self.back)
            try await stage.notify("REFUND", refunded, signed: -0.5)
            let purchase = try await stage.purchase(of: "u-ann")
            #expect(purchase["active"] as? Bool == false && purchase["autoRenews"] as? Bool == true)
            #expect(purchase["transactionId"] as? String == "1000011")
            let told = try await Self.last("purchase.refunded", stage)
            let refund = try #require(purchase["refunded"] as? [String: Any])
            for name in ["transactionId", "productId", "purchasedAt", "expiresAt", "revokedAt"] {
                let said = try #require(purchase[name] as? String, "\(name)")
                #expect(told[name] as? String == said && refund[name] as? String == said, "\(name)")
            }
            #expect(told["active"] as? Bool == false)
            let expected = JSON.timestamp(PurchaseStage.day(20)).prefix(13)
            #expect((purchase["expiresAt"] as? String)?.hasPrefix(expected) == true, "\(purchase)")
            try await stage.notify("REFUND_REVERSED", stage.month(11, began: -310, signed: 0), signed: 0)
            let again = try await stage.purchase(of: "u-ann")
            #expect(again["active"] as? Bool == true && again["revokedAt"] == nil && again["refunded"] == nil)
            let reversed = try await Self.last("purchase.refund_reversed", stage)
            #expect(reversed["transactionId"] as? String == "1000011" && reversed["active"] as? Bool == true)
        }
    }

    @Test func `an export says which transactions were refunded, and when`() async throws {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1, began: -40), by: "u-ann")
            try await stage.notify("DID_RENEW", stage.month(2, began: -40), signed: -10)
            func refunds() async throws -> [String?] {
                let export = try await stage.app.get("/v1/me/export", as: "u-ann")
                let transactions = try #require(export.objects("purchases").first?["transactions"])
                return try #require(transactions as? [[String: Any]]).map { $0["revokedAt"] as? String }
            }
            #expect(try await refunds() == [nil, nil])
            let refunded = stage.month(2, began: -40, signed: -0.5, Self.back)
            try await stage.notify("REFUND", refunded, signed: -0.5)
            let told = try #require(try await Self.last("purchase.refunded", stage)["revokedAt"] as? String)
            #expect(try await refunds() == [nil, told])
        }
    }

    @Test func `while an older period runs, a refund of the newest leaves it, and says what went`()
        async throws
    {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1), by: "u-ann")
            let longer =
                ["expiresDate": PurchaseStage.milliseconds(PurchaseStage.day(300)), "productId": "yearly"]
                as [String: Any]
            let newest = stage.month(2, signed: -2, longer).merging([
                "purchaseDate": PurchaseStage.milliseconds(PurchaseStage.day(-3))
            ]) { $1 }
            try await stage.notify("DID_RENEW", newest, signed: -2)
            #expect(try await stage.purchase(of: "u-ann")["productId"] as? String == "yearly")
            let refunded = newest.merging(Self.back) { $1 }.merging([
                "signedDate": PurchaseStage.milliseconds(PurchaseStage.day(-1))
            ]) { $1 }
            try await stage.notify("REFUND", refunded, signed: -1)
            let purchase = try await stage.purchase(of: "u-ann")
            #expect(purchase["active"] as? Bool == true && purchase["revokedAt"] == nil)
            #expect(
                purchase["transactionId"] as? String == "1000"
                    && purchase["productId"] as? String == "monthly")
            let refund = purchase["refunded"] as? [String: Any]
            #expect(
                refund?["transactionId"] as? String == "100002" && refund?["productId"] as? String == "yearly"
            )
            let told = try await Self.last("purchase.refunded", stage)
            #expect(told["active"] as? Bool == true && told["productId"] as? String == "yearly")
        }
    }

    @Test func `what was upgraded is not the period that counts, however long it would have lasted`()
        async throws
    {
        try await PurchaseStage.run { stage in
            let upgraded =
                [
                    "isUpgraded": true, "expiresDate": PurchaseStage.milliseconds(PurchaseStage.day(300)),
                    "productId": "yearly",
                ] as [String: Any]
            _ = try await stage.show(stage.month(1, began: -50, upgraded), by: "u-ann")
            _ = try await stage.show(stage.month(2, began: -80, ["productId": "lifetime-month"]), by: "u-ann")
            let purchase = try await stage.purchase(of: "u-ann")
            #expect(
                purchase["productId"] as? String == "lifetime-month" && purchase["active"] as? Bool == false)
        }
    }

    @Test func `once all is over, what was upgraded is still not what they had last`() async throws {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1, began: -80, ["productId": "basic"]), by: "u-ann")
            let upgraded = stage.month(2, began: -80, ["isUpgraded": true, "productId": "monthly"])
            try await stage.notify("DID_RENEW", upgraded, signed: -50)
            let purchase = try await stage.purchase(of: "u-ann")
            #expect(purchase["productId"] as? String == "basic" && purchase["active"] as? Bool == false)
        }
    }

    @Test(arguments: [(5.0, nil), (nil, true), (nil, nil)] as [(Double?, Bool?)])
    func `a payment that fails is told, and that it was made after all`(grace: Double?, retries: Bool?)
        async throws
    {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1, began: -31), by: "u-ann")
            func fail(signed: Double) async throws -> [String: Any] {
                try await stage.notify(
                    "DID_FAIL_TO_RENEW", of: "1000", renews: true, signed: signed, grace: grace,
                    retries: retries)
                return try await stage.purchase(of: "u-ann")
            }
            let failed = try await fail(signed: -1)
            // It is told once.
            _ = try await fail(signed: -0.5)
            #expect(failed["billingFailed"] as? Bool == true && failed["active"] as? Bool == (grace != nil))
            let told = try await Self.last("purchase.billing_failed", stage)
            #expect(told["active"] as? Bool == (grace != nil))
            #expect(told["graceUntil"] as? String == failed["graceUntil"] as? String)
            #expect((told["graceUntil"] == nil) == (grace == nil))
            try await stage.notify("DID_RENEW", stage.month(2, began: -30.2), renews: true, signed: 0)
            let paid = try await stage.purchase(of: "u-ann")
            #expect(paid["billingFailed"] as? Bool == false && paid["active"] as? Bool == true)
            #expect(
                try await stage.told() == [
                    "purchase.started", "purchase.billing_failed", "purchase.renewed", "purchase.recovered",
                ])
        }
    }

    @Test func `who gives up paying has not recovered`() async throws {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1, began: -95), by: "u-ann")
            try await stage.notify("DID_FAIL_TO_RENEW", of: "1000", renews: true, signed: -64, retries: true)
            try await stage.notify("EXPIRED", of: "1000", renews: false, signed: -1, retries: false)
            #expect(
                try await stage.told() == [
                    "purchase.started", "purchase.billing_failed", "purchase.cancelled", "purchase.ended",
                ])
        }
    }

    @Test func `another product is told once: when it is chosen, or at once by an upgrade`() async throws {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1, began: -31), by: "u-ann")
            try await stage.notify("SUBSCRIBED", of: "1000", renews: true, signed: -30.9, product: "monthly")
            for signed in [-5.0, -4.0] {
                try await stage.notify(
                    "DID_CHANGE_RENEWAL_PREF", of: "1000", renews: true, signed: signed, product: "yearly")
            }
            #expect(try await stage.purchase(of: "u-ann")["renewsAs"] as? String == "yearly")
            let told = try await Self.last("purchase.changed", stage)
            #expect(told["productId"] as? String == "monthly" && told["renewsAs"] as? String == "yearly")
            let next = stage.month(2, began: -31, ["productId": "yearly"])
            try await stage.notify("DID_RENEW", next, renews: true, signed: -1, product: "yearly")
            let upgrade = stage.month(3, began: -60.5, ["productId": "pro"])
            try await stage.notify(
                "DID_CHANGE_RENEWAL_PREF", upgrade, renews: true, signed: -0.4, product: "pro")
            #expect(
                try await stage.told() == [
                    "purchase.started", "purchase.changed", "purchase.renewed", "purchase.renewed",
                    "purchase.changed",
                ])
            let last = try await Self.last("purchase.changed", stage)
            #expect(last["productId"] as? String == "pro" && last["renewsAs"] as? String == "pro")
        }
    }

    @Test func `another product is told, too, while a period that Apple renewed ahead has not begun`()
        async throws
    {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1, began: -29.5), by: "u-ann")
            try await stage.notify("SUBSCRIBED", of: "1000", renews: true, signed: -29, product: "monthly")
            let next = stage.month(2, began: -29.5, signed: -0.2)
            try await stage.notify("DID_RENEW", next, renews: true, signed: -0.2, product: "monthly")
            try await stage.notify(
                "DID_CHANGE_RENEWAL_PREF", next, renews: true, signed: -0.1, product: "yearly")
            // The app shows the period once more, as Apple signs it anew.
            _ = try await stage.show(stage.month(2, began: -29.5, signed: -0.01), by: "u-ann")
            #expect(try await stage.told() == ["purchase.started", "purchase.renewed", "purchase.changed"])
            #expect(try await stage.purchase(of: "u-ann")["renewsAs"] as? String == "yearly")
        }
    }

    @Test func `that a payment failed and the next product wait for the purchase, too`() async throws {
        try await PurchaseStage.run { stage in
            try await stage.notify(
                "DID_FAIL_TO_RENEW", of: "1000", renews: true, signed: -1, retries: true, product: "yearly")
            _ = try await stage.show(stage.month(1, began: -33), by: "u-ann")
            let purchase = try await stage.purchase(of: "u-ann")
            #expect(purchase["billingFailed"] as? Bool == true && purchase["renewsAs"] as? String == "yearly")
            #expect(try await stage.told() == ["purchase.started"])
        }
    }

    private static func transaction(
        _ number: Int, _ began: Double, signed: Double, _ product: String, revoked: Double? = nil
    )
        -> AppStoreTransaction
    {
        AppStoreTransaction(
            originalTransactionId: "1", transactionId: "\(number)", bundleId: "b", productId: product,
            type: "t",
            environment: "Production", purchaseDate: PurchaseStage.day(began),
            originalPurchaseDate: PurchaseStage.day(-70), signedDate: PurchaseStage.day(signed),
            expiresDate: PurchaseStage.day(began + 30), quantity: 2,
            revocationDate: revoked.map(PurchaseStage.day))
    }

    private static func news(
        _ type: String, _ signed: Double, _ transaction: AppStoreTransaction? = nil,
        product: String? = nil,
        retries: Bool? = nil, grace: Double? = nil
    ) -> Purchase.News {
        Purchase.News(
            transaction: transaction,
            renewal: product.map {
                AppStoreRenewal(
                    originalTransactionId: "1", environment: "Production", autoRenewStatus: 1,
                    gracePeriodExpiresDate: grace.map(PurchaseStage.day), autoRenewProductId: $0,
                    isInBillingRetryPeriod: retries, signedDate: PurchaseStage.day(signed))
            },
            notice: .init(
                id: "\(type) \(signed)", type: type, subtype: nil, signedAt: PurchaseStage.day(signed)))
    }

    /// Each is what Apple tells, in its order; all 720 others must lead to the same.
    @Test func `in whatever order Apple's word arrives, the purchase becomes the same`() throws {
        let all = [
            Self.news("SUBSCRIBED", -70, Self.transaction(1, -70, signed: -70, "a"), product: "a"),
            Self.news("DID_FAIL_TO_RENEW", -40, product: "a", retries: nil, grace: -34),
            Self.news(
                "DID_RENEW", -35, Self.transaction(2, -35, signed: -35, "a"), product: "a", retries: false),
            Self.news("DID_CHANGE_RENEWAL_PREF", -20, product: "b"),
            Self.news("DID_RENEW", -5, Self.transaction(3, -5, signed: -5, "b"), product: "b"),
            Self.news("REFUND", -2, Self.transaction(3, -5, signed: -2, "b", revoked: -3)),
        ]
        let first = Purchase(Self.transaction(1, -70, signed: -70, "a"), .production, appStoreID: nil)
        func result(_ order: [Purchase.News]) -> Purchase {
            order.reduce(into: first) { _ = $0.take($1) }
        }
        let expected = result(all)
        #expect(expected.newest?.id == "3" && expected.refunded?.id == "3" && !expected.isBillingFailed)
        #expect(expected.renewsAs == "b" && expected.periods.allSatisfy { $0.quantity == 2 })
        var orders: [[Purchase.News]] = [[]]
        for one in all {
            orders = orders.flatMap { order in
                (0...order.count).map { place in order[..<place] + [one] + order[place...] }
            }
        }
        #expect(orders.count == 720)
        #expect(orders.allSatisfy { result($0) == expected })
    }
}
