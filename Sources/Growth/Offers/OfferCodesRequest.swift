import Foundation
import Web

/// The body that loads codes into a campaign: `{"codes": "ABCD1234\nEFGH5678", "expires": "2027-03-31"}`.
struct OfferCodesRequest: JSONBody, Sendable {
    /// The text of a file, as `kith import offer-codes` takes it.
    let codes: String
    /// When the codes expire whose lines do not say it.
    let expires: String?

    enum CodingKeys: CodingKey, CaseIterable { case codes, expires }

    /// Returns the expiry. Nil if only the lines say it. Throws a 400 that names the field.
    func expiry(at now: Date) throws(Problem) -> Date? {
        guard let expires else { return nil }
        guard let time = OfferCodeFile.time(expires), time > now else {
            throw .invalid("expires", "must be a day that is still to come, as in 2027-03-31")
        }
        return time
    }
}
