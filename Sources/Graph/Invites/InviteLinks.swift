import Foundation
package import Kernel
package import Web

/// Writes and reads the links of invites.
package struct InviteLinks: Sendable {
    /// `KITH_LINK_URL`: scheme, host and port, without a slash at the end.
    package let origin: String
    /// The origin, which each visit of a link compares with. Nil only if it is no URL.
    private let originURL: WebURL?
    /// `KITH_APP_SCHEME`, in lower case.
    var appScheme: String?
    /// `KITH_VANITY_LINKS`: whether `/@{username}` is a link.
    package var hasVanityLinks = false
    /// Further links of this server that lead to the same people: those of other hosts and apps.
    package var others: [InviteLinks] = []

    package init(
        origin: String, appScheme: String? = nil, hasVanityLinks: Bool = false, others: [InviteLinks] = []
    ) {
        self.origin = origin
        originURL = try? WebURL(origin)
        self.appScheme = appScheme
        self.hasVanityLinks = hasVanityLinks
        self.others = others
    }

    /// Returns the permanent link, with a name that people can read and a uid that stays correct.
    package func permanent(_ user: User.Profile) -> String {
        "\(profile(user))?invitedBy=\(PercentEncoding.encode(user.uid.text))"
    }

    /// Returns the link that a page hands on: the permanent link or the one with the name alone. For a page
    /// without an invite it has an empty uid, which means no invite.
    package func shown(_ user: User.Profile, _ invitation: LinkTarget.Invitation) -> String {
        switch invitation {
        case .friends, .request: permanent(user)
        case .nameOnly: profile(user)
        case .none: "\(profile(user))?invitedBy="
        }
    }

    /// Returns the link to a user's page by the name alone.
    package func profile(_ user: User.Profile) -> String {
        "\(origin)/users/\(PercentEncoding.encode(user.username))"
    }

    /// Returns the link to which a code leads: the permanent one with the code added.
    package func custom(_ code: Invite.Code, of user: User.Profile) -> String {
        "\(permanent(user))&code=\(code)"
    }

    /// Returns the link to which a short link leads, with the rest of its query.
    package func custom(_ code: Invite.Code, of user: User.Profile, keeping query: Query) -> String {
        custom(code, of: user) + (query.dropping(["invitedBy", "code"]).map { "&\($0)" } ?? "")
    }

    /// Returns a link under the user's current name, with its query byte for byte.
    package func renamed(_ user: User.Profile, _ query: Query) -> String {
        profile(user) + (query.raw.map { "?\($0)" } ?? "")
    }

    package func short(_ code: Invite.Code) -> String {
        "\(origin)/\(code)"
    }

    /// Returns the short link for a QR symbol. In capitals it takes fewer modules, and leads to the same
    /// place.
    package func scanned(_ code: Invite.Code) -> String {
        short(code).uppercased()
    }

    /// Returns the link in the app's own scheme. Nil if the operator set none.
    package func inApp(_ link: String) -> String? {
        appScheme.map { "\($0):/\(link.dropFirst(origin.utf8.count))" }
    }

    /// Returns the URL of something below a user's link: its picture, its way to a store.
    package func below(_ link: String, _ name: String) -> String {
        let parts = link.split(separator: "?", maxSplits: 1)
        return "\(parts[0])/\(name)" + (parts.count == 2 ? "?\(parts[1])" : "")
    }

    /// Returns the URL of the short link's picture.
    func qr(_ code: Invite.Code, _ format: String) -> String {
        "\(short(code))/qr.\(format)"
    }
}

extension InviteLinks {
    /// Returns the invite in a URL that opened an app. The URL may wrap ours, or have something stuck to
    /// either end. A code takes precedence over name and uid.
    /// - Parameter text: the text in which it stands.
    package func reference(in url: String, of text: String? = nil) -> InviteReference {
        guard url.utf8.count <= WebURL.longest else { return .unrecognised }
        let whole = url.trimmingCharacters(in: .whitespacesAndNewlines)
        let found = Self.texts(of: whole).lazy.flatMap { layers(of: $0) }
            .map { unwrappedReference(in: $0) }.first { $0 != .unrecognised }
        guard let found else { return .unrecognised }
        // The name may belong to somebody else by now, and if the text names a uid somewhere, that one was
        // meant.
        if case .name(_, nil) = found, StuckText.mentionsUID(text ?? whole) {
            return .unrecognised
        }
        return found
    }

    /// Returns a text, and the first link in it if that is not the whole text.
    package static func texts(of whole: String) -> [String] {
        [whole] + whole.links(most: 1).filter { $0 != whole }
    }

    /// Returns the invite in a URL of this server, but not in one that wraps it.
    package func unwrappedReference(in text: String) -> InviteReference {
        let url = try? WebURL(StuckText.repaired(text))
        return ([self] + others).lazy.map { links in
            (links.isInApp(text) ? links.ownURL(of: text) : url.flatMap { links.isOurs($0) ? $0 : nil }).map(
                links.reference(ofOwn:))
                ?? .unrecognised
        }.first { $0 != .unrecognised } ?? .unrecognised
    }

    /// Returns the user's link at a URL, `/users/{username}` or `/@{username}`. Nil if it is another link, or
    /// none of this server. Throws a 400 for a uid that is given twice.
    package func userLink(at url: WebURL) throws(Problem) -> UserLink? {
        guard let own = ([self] + others).first(where: { $0.isOurs(url) }) else { return nil }
        let path = url.path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2)
        if path.count == 1, own.hasVanityLinks, let name = Self.vanityName(path[0]) {
            return try UserLink(segment: name, Query(url.query))
        }
        guard path.count == 2, PercentEncoding.decode(path[0]) == "users" else { return nil }
        return try UserLink(segment: String(Substring(path[1])), Query(url.query))
    }

    /// Returns the name in `@{username}`, as written. Nil for another segment.
    private static func vanityName(_ segment: Substring.UTF8View) -> String? {
        guard PercentEncoding.decode(segment)?.hasPrefix("@") == true else { return nil }
        let length = segment.first == UInt8(ascii: "@") ? 1 : "%40".utf8.count
        return String(Substring(segment.dropFirst(length)))
    }

    private func reference(ofOwn url: WebURL) -> InviteReference {
        let path = url.path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1)
        if path.count == 1, let code = Invite.Code(inLink: Substring(path[0])) { return .code(code) }
        return (try? userLink(at: url))?.reference ?? .unrecognised
    }

    /// Returns a URL of this server in the form of a link on the web. Nil for another URL.
    package func ownURL(of url: String) -> WebURL? {
        guard let url = try? WebURL(StuckText.repaired(onTheWeb(url))), isOurs(url) else { return nil }
        return url
    }

    /// Converts a URL in the app's own scheme, by which the page's button opens the app, to the same link on
    /// the web.
    func onTheWeb(_ url: String) -> String {
        guard let appScheme, isInApp(url) else { return url }
        return "\(origin)/\(url.dropFirst(appScheme.utf8.count + 3))"
    }

    private func isInApp(_ url: String) -> Bool {
        guard let appScheme else { return false }
        return url.prefix(appScheme.utf8.count + 3).lowercased() == "\(appScheme)://"
    }

    private func isOurs(_ url: WebURL) -> Bool { originURL?.hasOrigin(of: url) == true }
}

extension InviteReference {
    /// Makes a reference of name and uid. A name with a malformed uid leads nowhere: without a uid it would
    /// be a weaker invite than the one that was meant.
    static func name(username: Username.Key, invitedBy: String?) -> InviteReference {
        guard let invitedBy else { return .name(username, nil) }
        guard let uid = User.UID(invitedBy) else { return .unrecognised }
        return .name(username, uid)
    }
}
