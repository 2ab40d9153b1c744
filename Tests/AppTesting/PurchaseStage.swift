import Foundation
import HTTPTypes
import Testing

@testable import Growth
@testable import Kernel
@testable import Kith

/// A product that believes the synthetic App Store, and what that store says.
struct PurchaseStage {
    let app: TestApp
    let admin: HTTPFields
    let signer = AppStoreSigner.shared

    static func run(
        users: [String] = ["ann"], configure: (inout Config) -> Void = { _ in },
        _ test: @Sendable (PurchaseStage) async throws -> Void
    ) async throws {
        try await TestApp.run(configure: {
            $0.secretsKey = SecretsKey(Data(repeating: 7, count: 32).base64EncodedString())
            withAppStore(&$0)
            configure(&$0)
        }) { app in
            for name in users { try await app.signUp(name) }
            try await test(PurchaseStage(app: app, admin: try await app.keyed()))
        }
    }

    /// An app whose purchases are verified.
    static func withAppStore(_ config: inout Config) {
        config.appStoreRoots = AppStoreSigner.shared.roots
        (config.app.iosTeamID, config.app.iosBundleID) = ("ABCDE12345", AppStoreSigner.shared.bundleID)
        config.app.appStoreID = String(AppStoreSigner.shared.appAppleID)
    }

    /// A time, in days from now.
    static func day(_ days: Double) -> Date { Date() + days * 86_400 }

    static func milliseconds(_ date: Date) -> Int { Int((date.timeIntervalSince1970 * 1000).rounded()) }

    /// A month of a subscription that began some days ago.
    /// - Parameters:
    ///   - number: of the month; the first has the id of the whole purchase.
    ///   - signed: in days from now.
    func month(
        _ number: Int, of purchase: String = "1000", began: Double = -10, signed: Double? = nil,
        _ changes: [String: Any] = [:]
    ) -> [String: Any] {
        let start = began + Double(number - 1) * 30
        let base: [String: Any] = [
            "originalTransactionId": purchase,
            "transactionId": number == 1 ? purchase : "\(purchase)0\(number)",
            "bundleId": signer.bundleID, "productId": "monthly", "type": "Auto-Renewable Subscription",
            "environment": "Production", "inAppOwnershipType": "PURCHASED",
            "purchaseDate": Self.milliseconds(Self.day(start)),
            "originalPurchaseDate": Self.milliseconds(Self.day(began)),
            "expiresDate": Self.milliseconds(Self.day(start + 30)),
            "signedDate": Self.milliseconds(Self.day(signed ?? start)),
        ]
        return base.merging(changes) { $1 }
    }

    static func code(_ offer: String = "Spring 2027") -> [String: Any] {
        ["offerType": 3, "offerIdentifier": offer]
    }

    func show(_ transaction: [String: Any], by uid: String) async throws -> TestApp.Answer {
        try await app.post(
            "/v1/me/transactions", as: uid, ["signedTransaction": try signer.sign(transaction)])
    }

    /// What Apple posts.
    /// - Parameters:
    ///   - purchase: the id of the purchase, without a transaction.
    ///   - renews: what it says of the end of the period; nil: nothing.
    ///   - signed: in days from now.
    func payload(
        _ type: String, _ transaction: [String: Any]? = nil, of purchase: String? = nil, renews: Bool? = nil,
        signed: Double = 0, id: String = UUID().uuidString, grace: Double? = nil, retries: Bool? = nil,
        product: String? = nil
    ) throws -> String {
        let environment = transaction?["environment"] as? String ?? "Production"
        var data: [String: Any] = [
            "bundleId": signer.bundleID, "appAppleId": signer.appAppleID, "environment": environment,
        ]
        data["signedTransactionInfo"] = try transaction.map(signer.sign)
        if let renews, let purchase = purchase ?? transaction?["originalTransactionId"] {
            var renewal: [String: Any] = [
                "originalTransactionId": purchase,
                "environment": environment,
                "autoRenewStatus": renews ? 1 : 0, "signedDate": Self.milliseconds(Self.day(signed)),
            ]
            renewal["gracePeriodExpiresDate"] = grace.map { Self.milliseconds(Self.day($0)) }
            renewal["isInBillingRetryPeriod"] = retries
            renewal["autoRenewProductId"] = product
            data["signedRenewalInfo"] = try signer.sign(renewal)
        }
        return try signer.sign([
            "notificationType": type, "notificationUUID": id, "version": "2.0",
            "signedDate": Self.milliseconds(Self.day(signed)), "data": data,
        ])
    }

    func post(_ payload: String) async throws -> TestApp.Answer {
        try await app.post("/hooks/appstore", as: nil, ["signedPayload": payload])
    }

    /// Expects that Kith takes it.
    func notify(
        _ type: String, _ transaction: [String: Any]? = nil, of purchase: String? = nil, renews: Bool? = nil,
        signed: Double = 0, id: String = UUID().uuidString, grace: Double? = nil, retries: Bool? = nil,
        product: String? = nil
    ) async throws {
        let answer = try await post(
            payload(
                type, transaction, of: purchase, renews: renews, signed: signed, id: id, grace: grace,
                retries: retries, product: product))
        #expect(answer.status == 200, "\(type): \(answer.text)")
    }

    /// The only purchase of a user, as they see it.
    func purchase(of uid: String, in environment: String = "production") async throws -> [String: Any] {
        let answer = try await app.get("/v1/me/purchases?environment=\(environment)", as: uid)
        let purchases = answer.json["purchases"] as? [[String: Any]] ?? []
        try #require(purchases.count == 1, "\(answer.text)")
        return purchases[0]
    }

    func redemptions(of uid: String, in environment: String = "production") async throws -> [[String: Any]] {
        let answer = try await app.get("/v1/me/purchases?environment=\(environment)", as: uid)
        return answer.json["redemptions"] as? [[String: Any]] ?? []
    }

    func record(_ id: String = "1000", in environment: String = "production") async throws -> TestApp.Answer {
        try await app.get("/v1/admin/purchases/\(id)?environment=\(environment)", headers: admin)
    }

    /// The types of what purchases told, in their order.
    func told() async throws -> [String] {
        try await app.events().map(\.type).filter { $0.hasPrefix("purchase.") }
    }

    func simulate(_ act: String, for uid: String, campaign: String = "test", days: Int? = nil) async throws
        -> TestApp.Answer
    {
        try await app.call(
            .post, "/v1/admin/users/\(uid)/simulated-purchases", headers: admin,
            body: ["act": act, "campaign": campaign, "days": days])
    }

    func putCampaign(
        _ key: String, offer: String = "Spring 2027", product: String? = nil,
        environment: String = "production", app number: String = "123456789"
    ) async throws {
        let answer = try await app.call(
            .put, "/v1/admin/offers/\(key)", headers: admin,
            body: [
                "appStoreId": number, "offer": offer, "productId": product, "environment": environment,
                "lowWater": 0,
            ])
        try #require(answer.status == 201, "\(answer.text)")
    }

    func deal(_ campaign: String, to uid: String) async throws {
        var chunks = [Array("CODE\(Int.random(in: 1_000_000...9_999_999))".utf8)]
        _ = try await OfferImportStore(app.db, app.app.config).run(
            into: campaign, expiresAt: Self.day(100), from: { chunks.popLast() })
        try #require(try await app.call(.post, "/v1/me/offers/\(campaign)", as: uid).status == 201)
    }
}
