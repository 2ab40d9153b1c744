import Counts
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
    static func invites(of user: User.ID) -> Self { invites(of: user.uuid) }

    static func invites(of user: UUID) -> Self { .init(text: user.uuidString.lowercased()) }

    /// Returns one of a user's links.
    static func invite(_ code: Invite.Code) -> Self { .init(text: code.text) }

    /// Whether it is a deep link, and no invite.
    var isDeepLink: Bool { text.utf8.contains(UInt8(ascii: "/")) }

    /// Whose invites these are, if they are all of a user.
    var owner: UUID? { isDeepLink ? nil : UUID(uuidString: text) }

    /// With what the names of its measures begin.
    var family: String { isDeepLink ? "links" : "invites" }

    func measure(of event: Click.Event) -> String { "\(family).\(event.rawValue)" }

    /// What a visit of it counts for: itself, and everything together. An invite's code counts for itself
    /// alone, since all invites of its user count beside it.
    /// - Parameter domains: all domains of deep links.
    func subjects(
        _ parts: [CountDimension: String], in domains: [LinkDomain]
    ) -> [(subject: String, parts: [CountDimension: String])] {
        if isDeepLink { return CountSubject.ofDeepLink(text, in: domains).map { ($0, parts) } }
        // Whoever invites sees by platform who came.
        let own = [(text, parts.filter { $0.key == .platform })]
        return owner == nil ? own : own + [("", parts)]
    }
}
