import Foundation
import Kernel
import Web

/// The body in which an app shows a purchase.
struct PurchaseRequest: JSONBody, Sendable {
    /// The `jwsRepresentation` of StoreKit's verified transaction.
    var signedTransaction: String

    enum CodingKeys: CodingKey, CaseIterable { case signedTransaction }
}

/// The body with which a backend says that it gave a consumable.
struct ConsumptionRequest: JSONBody, Sendable {
    var uid: String
    var originalTransactionId: String
    /// The environment. If it is absent, it is `production`.
    var environment: String?
    /// The backend's id of the act.
    var id: String

    enum CodingKeys: CodingKey, CaseIterable { case uid, originalTransactionId, environment, id }

    /// Returns the purchase and the user. Throws a 400 that names the field.
    func checked() throws(Problem) -> (key: Purchase.Key, user: User.ID) {
        guard let environment = OfferCampaign.Environment(rawValue: environment ?? "production") else {
            throw .invalid("environment", "must be \(OfferCampaign.Form.environment)")
        }
        guard Purchase.Key.isID(originalTransactionId) else {
            throw .invalid(
                "originalTransactionId",
                "must be 1 to 64 letters and digits, or the id of a simulated purchase")
        }
        guard BackendID.isOne(id) else { throw .invalid("id", BackendID.form) }
        return (
            Purchase.Key(id: originalTransactionId, environment: environment),
            User.ID(of: try User.UID.checked(uid))
        )
    }
}

/// The body that the App Store sends. Apple may add members.
struct AppStoreRequest: Decodable, Sendable {
    var signedPayload: String
}

/// The body with which an operator simulates a purchase.
struct SimulationRequest: JSONBody, Sendable {
    var act: String
    var campaign: String
    /// How many days the beginning period lasts. If it is absent, 30.
    var days: Int?

    enum CodingKeys: CodingKey, CaseIterable { case act, campaign, days }

    static let mostDays = 400

    /// Returns the values. Throws a 400 that names the field.
    func checked() throws(Problem) -> (act: PurchaseSimulation.Act, campaign: OfferCampaign.Key, days: Int) {
        guard let act = PurchaseSimulation.Act(rawValue: act) else {
            let all = PurchaseSimulation.Act.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("act", "must be one of \(all)")
        }
        guard let campaign = OfferCampaign.Key(campaign) else {
            throw .invalid("campaign", "must be the key of a campaign of the sandbox")
        }
        guard (1...Self.mostDays).contains(days ?? 30) else {
            throw .invalid("days", "must be from 1 to \(Self.mostDays)")
        }
        return (act, campaign, days ?? 30)
    }
}
