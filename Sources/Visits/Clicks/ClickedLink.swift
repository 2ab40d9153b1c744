package import Counts
package import Foundation
package import Graph
package import Kernel

/// The link for which clicks are counted.
package struct ClickedLink: Hashable, Sendable {
    package let text: String

    /// Returns a short link, by its URL.
    package static func short(_ domain: LinkDomain, code: String) -> Self { short(domain.text, code: code) }

    /// - Parameter domain: the domain as it is stored.
    package static func short(_ domain: String, code: String) -> Self { .init(text: "\(domain)/\(code)") }

    /// Returns all long links of a domain together. Each of them is a link of its own, so nobody could limit
    /// their number.
    package static func long(_ domain: LinkDomain) -> Self { .init(text: "\(domain.text)/") }

    /// Returns all invites of a user together.
    package static func invites(of user: User.ID) -> Self { invites(of: user.uuid) }

    package static func invites(of user: UUID) -> Self { .init(text: user.uuidString.lowercased()) }

    /// Returns one of a user's links.
    package static func invite(_ code: Invite.Code) -> Self { .init(text: code.text) }

    /// Whether it is a deep link, and no invite.
    package var isDeepLink: Bool { text.utf8.contains(UInt8(ascii: "/")) }

    /// Whose invites these are, if they are all of a user.
    package var owner: UUID? { isDeepLink ? nil : UUID(uuidString: text) }

    /// With what the names of its measures begin.
    package var family: String { isDeepLink ? "links" : "invites" }

    package func measure(of event: Click.Event) -> String { "\(family).\(event.rawValue)" }

    /// What a visit of it counts for: itself, and everything together. An invite's code counts for itself
    /// alone, since all invites of its user count beside it.
    /// - Parameter domains: all domains of deep links.
    package func subjects(
        _ parts: [CountDimension: String], in domains: [LinkDomain]
    ) -> [(subject: String, parts: [CountDimension: String])] {
        if isDeepLink { return CountSubject.ofDeepLink(text, in: domains).map { ($0, parts) } }
        // Whoever invites sees by platform who came.
        let own = [(text, parts.filter { $0.key == .platform })]
        return owner == nil ? own : own + [("", parts)]
    }
}
