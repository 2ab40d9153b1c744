package import Foundation

/// Something that a visitor or an app did with a link.
package struct Click: Sendable {
    package var link: ClickedLink
    package var event: Event
    package var visitor: Visitor

    /// An event as it is stored.
    package enum Event: String, CaseIterable, Sendable {
        /// Somebody opened the link, and got a page.
        case page
        /// Somebody opened the link, and was sent on at once.
        case redirect
        /// Somebody went from the page to a store.
        case tap
        /// The app came from a store by the link.
        case install
        /// The app claimed the link at its first start.
        case firstOpen
        /// The app, which was already installed, asked what the link is.
        case reopen

        /// The statistics in which it counts.
        package var statistics: [Statistic] {
            switch self {
            case .page: [.click]
            case .redirect: [.click, .redirect]
            // Firebase's statistics have no such event.
            case .tap: []
            case .install: [.install]
            case .firstOpen: [.firstOpen]
            case .reopen: [.reopen]
            }
        }
    }

    /// The statistics of Firebase (`DynamicLinkEventStat.event`).
    package enum Statistic: String, CaseIterable, Sendable {
        case click, redirect, install, firstOpen, reopen
    }

    package enum Platform: String, CaseIterable, Codable, Sendable {
        case ios, android, desktop, other
    }

    /// What is kept about a visitor: nothing that tells who they are.
    package struct Visitor: Hashable, Sendable {
        package var platform: Platform
        /// By what else their visit is counted, as `ClickParts` writes it.
        package var parts: String
        /// Address and browser, hashed with a salt of the day. Nil for an app.
        package var trace: UUID?
    }
}
