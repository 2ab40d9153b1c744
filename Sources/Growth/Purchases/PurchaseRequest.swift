import Foundation
import Kernel
import Web

/// The body in which an app shows a purchase.
struct PurchaseRequest: JSONBody, Sendable {
    /// The `jwsRepresentation` of StoreKit's verified transaction.
    var signedTransaction: String

    enum CodingKeys: CodingKey, CaseIterable { case signedTransaction }
}

/// The body by which a backend says that it gave what a consumable is.
struct ConsumptionRequest: JSONBody, Sendable {
    var uid: String
    var originalTransactionId: String
    /// `production` if absent.
    var environment: String?
    /// Of the act, by the backend.
    var id: String

    enum CodingKeys: CodingKey, CaseIterable { case uid, originalTransactionId, environment, id }

    /// Throws a 400 that names the field.
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

/// The body of the App Store: Apple may add members.
struct AppStoreRequest: Decodable, Sendable {
    var signedPayload: String
}

/// The body of what an operator simulates.
struct SimulationRequest: JSONBody, Sendable {
    var act: String
    var campaign: String
    /// How long the period lasts that begins; 30 if absent.
    var days: Int?

    enum CodingKeys: CodingKey, CaseIterable { case act, campaign, days }

    static let mostDays = 400

    /// Throws a 400 that names the field.
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
