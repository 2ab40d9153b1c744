import Foundation

/// The body in which an app shows a purchase.
struct PurchaseRequest: RequestBody, Sendable {
    /// The `jwsRepresentation` of StoreKit's verified transaction.
    var signedTransaction: String

    enum CodingKeys: CodingKey, CaseIterable { case signedTransaction }
}

/// The body of the App Store: Apple may add members.
struct AppStoreRequest: Decodable, Sendable {
    var signedPayload: String
}

/// The body of what an operator simulates.
struct SimulationRequest: RequestBody, Sendable {
    var act: String
    var campaign: String
    /// How long the period lasts that begins; 30 if absent.
    var days: Int?

    enum CodingKeys: CodingKey, CaseIterable { case act, campaign, days }

    static let mostDays = 400

    /// Throws a 400 that names the field.
    func checked() throws(Problem) -> (act: PurchaseSimulation.Act, campaign: OfferCampaign.Key, days: Int) {
        guard let act = PurchaseSimulation.Act(word: act) else {
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
