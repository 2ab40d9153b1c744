import Foundation
import Graph
import Kernel

/// Something that a visitor or an app did with a link.
struct Click: Sendable {
    var link: ClickedLink
    var event: Event
    var visitor: Visitor

    /// An event as it is stored.
    enum Event: String, CaseIterable, Sendable {
        /// Somebody opened the link, and got a page.
        case page
        /// Somebody opened the link, and was sent on at once.
        case redirect
        /// The app came from a store by the link.
        case install
        /// The app claimed the link at its first start.
        case firstOpen
        /// The app, which was already installed, asked what the link is.
        case reopen

        /// The statistics in which it counts.
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

    /// The statistics of Firebase (`DynamicLinkEventStat.event`).
    enum Statistic: String, CaseIterable, Sendable {
        case click, redirect, install, firstOpen, reopen
    }

    enum Platform: String, CaseIterable, Codable, Sendable {
        case ios, android, desktop, other
    }

    /// What is kept about a visitor: nothing that tells who they are.
    struct Visitor: Hashable, Sendable {
        var platform: Platform
        /// The country as two capital letters, if a proxy says it.
        var country: String?
        /// Address and browser, hashed with a salt of the day. Nil for an app.
        var trace: UUID?
    }
}

/// The link for which clicks are counted.
struct ClickedLink: Hashable, Sendable {
    let text: String

    /// Returns a short link, by its URL.
    static func short(_ domain: LinkDomain, code: String) -> Self { short(domain.text, code: code) }

    /// - Parameter domain: the domain as it is stored.
    static func short(_ domain: String, code: String) -> Self { .init(text: "\(domain)/\(code)") }

    /// Returns all long links of a domain together. Each of them is a link of its own, so nobody could limit
    /// their number.
    static func long(_ domain: LinkDomain) -> Self { .init(text: "\(domain.text)/") }

    /// Returns all invites of a user together.
    static func invites(of user: User.ID) -> Self { .init(text: user.uuid.uuidString.lowercased()) }

    /// Returns one of a user's links.
    static func invite(_ code: Invite.Code) -> Self { .init(text: code.text) }
}

/// Settings of clicks.
package struct ClickPolicy: Sendable {
    /// `KITH_CLICK_DAYS`; 90. How many days single clicks are kept. With 0 Kith only counts them.
    package var days = 90
    /// `KITH_CLICK_COUNT_DAYS`; 400. How many days have counts of their own. After that the days of a month
    /// become one count.
    package var countDays = 400
    /// `KITH_COUNTRY_HEADER`; none. The header in which a proxy names the visitor's country.
    package var countryHeader: String?

    package init() {}
}
