import Foundation
import Hummingbird
import Kernel
import Visits

/// A short link, as the API shows it.
package struct ShortLinkResponse: ResponseEncodable {
    let url: String
    let domain: String
    let code: String
    let suffix: ShortLink.Kind
    let parameters: [String: String]
    let name: String?
    let note: String?
    /// Nil if there are none.
    let tags: [String]?
    let createdAt: Date
    let archivedAt: Date?
    let expiresAt: Date?
    /// The id of the key that made it. Apps do not learn it.
    let keyId: String?
    /// How often it was used. It is only in lists.
    let counts: Counts?
    /// What is wrong with the parameters that are left out. It is only in the answer to a call that gave
    /// them.
    let warnings: [Warning]?
    /// Where it leads whom. It is only in the answer that shows one link, and nil if it leads nowhere.
    let leads: [LinkWay]?

    struct Warning: Encodable, Sendable {
        let code: String
        let parameter: String

        init(_ warning: LinkWarning) {
            (code, parameter) = (warning.code.rawValue, warning.parameter)
        }
    }

    struct Counts: Encodable {
        /// How often it was opened, and how often of that in the last 30 days.
        let clicks, recentClicks: Int
        /// How often the app came from a store by it.
        let installs: Int
        /// How many signed up by it, and how many friendships came of that.
        let signUps, friendships: Int

        init(_ totals: ClickStore.Totals) {
            (clicks, recentClicks, installs) = (totals.clicks, totals.recentClicks, totals.installs)
            (signUps, friendships) = (totals.signUps, totals.friendships)
        }
    }

    init(
        _ row: ShortLinkStore.Row, in domain: LinkDomain, _ warnings: [LinkWarning]? = nil,
        counts: ClickStore.Totals? = nil, leads: [LinkWay]? = nil
    ) {
        (url, self.domain, code) = ("\(domain.text)/\(row.code.text)", domain.text, row.code.text)
        (suffix, parameters, name) = (row.kind, row.parameters, row.name)
        (note, tags) = (row.note, row.tags.isEmpty ? nil : row.tags)
        (createdAt, archivedAt, expiresAt) = (row.createdAt, row.archivedAt, row.expiresAt)
        (keyId, self.counts, self.leads) = (row.createdBy, counts.map(Counts.init), leads)
        self.warnings = warnings?.map(Warning.init)
    }
}
