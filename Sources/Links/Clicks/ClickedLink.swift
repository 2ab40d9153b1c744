import Foundation
import Graph
import Kernel

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
