import Charts
import Foundation
import Hummingbird
import Kernel
import Web

/// The codes of users to whom an operator dealt.
struct OfferDealsResponse: ResponseEncodable {
    let campaign: String
    let deals: [Deal]

    /// A user's code, or why they get none.
    struct Deal: Encodable, Sendable {
        let uid: String
        var code: String?
        var url: String?
        var expiresAt: Date?
        /// Whether this call dealt it.
        var isNew: Bool?
        /// The code of a problem.
        var problem: String?
    }

    /// The same for a spreadsheet.
    var table: CSV {
        CSV(
            name: "offer-codes_\(campaign)",
            rows: [["uid", "code", "url", "expires_at", "problem"]]
                + deals.map {
                    [
                        $0.uid, $0.code ?? "", $0.url ?? "", $0.expiresAt.map(JSON.timestamp) ?? "",
                        $0.problem ?? "",
                    ]
                })
    }
}
