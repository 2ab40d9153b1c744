import Foundation
import Graph
import Kernel

/// Something that a visitor or an app did with a link.
struct Click: Sendable {
    var link: ClickedLink
    var event: Event
    var visitor: Visitor

    /// As it is kept.
    enum Event: String, CaseIterable, Sendable {
        /// Somebody opened the link, and got a page.
        case page
        /// Somebody opened the link, and was sent on at once.
        case redirect
        /// The app came from a store by the link.
        case install
        /// The app claimed the link at its first start.
        case firstOpen
        /// The app, already there, asked what the link is.
        case reopen

        /// What it counts as.
        var statistics: [Statistic] {
            switch self {
            case .page: [.click]
            case .redirect: [.click, .redirect]
            case .install: [.install]
            case .firstOpen: [.firstOpen]
            case .reopen: [.reopen]
            }
        }
    }

    /// Those of Firebase (`DynamicLinkEventStat.event`).
    enum Statistic: String, CaseIterable, Sendable {
        case click, redirect, install, firstOpen, reopen
    }

    enum Platform: String, CaseIterable, Codable, Sendable {
        case ios, android, desktop, other
    }

    /// What is kept of a visitor: nothing that tells who they are.
    struct Visitor: Hashable, Sendable {
        var platform: Platform
        /// Two capital letters, if a proxy says so.
        var country: String?
        /// Address and browser, hashed with a salt of the day. Nil: an app.
        var trace: UUID?
    }
}

/// What clicks are counted by.
struct ClickedLink: Hashable, Sendable {
    let text: String

    /// A short link, by its URL.
    static func short(_ domain: LinkDomain, code: String) -> Self { short(domain.text, code: code) }

    /// - Parameter domain: as it is stored.
    static func short(_ domain: String, code: String) -> Self { .init(text: "\(domain)/\(code)") }

    /// All long links of a domain: each is its own, so that nobody could bound their number.
    static func long(_ domain: LinkDomain) -> Self { .init(text: "\(domain.text)/") }

    /// All invites of a user.
    static func invites(of user: User.ID) -> Self { .init(text: user.uuid.uuidString.lowercased()) }

    /// One of their links.
    static func invite(_ code: Invite.Code) -> Self { .init(text: code.text) }
}

/// Settings of clicks.
package struct ClickPolicy: Sendable {
    /// `KITH_CLICK_DAYS`; 90. How many days single clicks are kept; 0: Kith only counts them.
    package var days = 90
    /// `KITH_CLICK_COUNT_DAYS`; 400. How many days are counted apart; then those of a month are one count.
    package var countDays = 400
    /// `KITH_COUNTRY_HEADER`; none. The header in which a proxy names the visitor's country.
    package var countryHeader: String?

    package init() {}
}
