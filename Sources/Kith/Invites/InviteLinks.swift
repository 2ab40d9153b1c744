import Foundation

/// The links that Kith hands out, and what they say when they come back.
struct InviteLinks: Sendable {
    /// `KITH_LINK_URL`: scheme, host and port, without a slash at the end.
    let origin: String
    /// `KITH_APP_SCHEME`, in lower case.
    var appScheme: String?

    /// The link for ever: readable by its name, true by its uid.
    func permanent(_ user: User.Profile) -> String {
        "\(profile(user))?invitedBy=\(PercentEncoding.encode(user.uid))"
    }

    /// The page of a user, without an invite.
    func profile(_ user: User.Profile) -> String {
        "\(origin)/users/\(PercentEncoding.encode(user.username))"
    }

    /// Where a code leads: the permanent link, with the code that says what it allows.
    func custom(_ code: Invite.Code, of user: User.Profile) -> String {
        "\(permanent(user))&code=\(code)"
    }

    func short(_ code: Invite.Code) -> String {
        "\(origin)/\(code)"
    }

    /// The same link for the app itself; nil where the operator named no scheme.
    func inApp(_ link: String) -> String? {
        appScheme.map { "\($0):/\(link.dropFirst(origin.utf8.count))" }
    }

    /// The picture of the permanent link.
    func qr(_ user: User.Profile, _ format: String) -> String {
        "\(profile(user))/qr.\(format)?invitedBy=\(PercentEncoding.encode(user.uid))"
    }
}

extension InviteLinks {
    /// What a URL that an app was opened with says. A code in it goes before name and uid.
    func reference(in url: String) -> InviteReference {
        guard url.utf8.count <= 8192,
            // What was pasted may bring some along.
            let parts = URLComponents(string: onTheWeb(url.trimmingCharacters(in: .whitespacesAndNewlines))),
            isOurs(parts)
        else {
            return .unrecognised
        }
        let query = Query(parts.percentEncodedQuery)
        guard let values = try? (code: query.value("code"), invitedBy: query.value("invitedBy")) else {
            return .unrecognised
        }
        let path = parts.percentEncodedPath.split(separator: "/").compactMap {
            PercentEncoding.decode($0.utf8)
        }
        if path.count == 1, let code = Invite.Code(path[0]) { return .code(code) }
        guard path.count == 2, path[0] == "users", let name = Username.Key(path[1]) else {
            return .unrecognised
        }
        if let code = values.code.flatMap({ Invite.Code($0) }),
            let uid = values.invitedBy.flatMap({ User.UID($0) })
        {
            return .code(code, of: uid)
        }
        return .name(username: name, invitedBy: values.invitedBy)
    }

    /// The page's button opens the app by a URL of its own scheme: the same link otherwise.
    private func onTheWeb(_ url: String) -> String {
        guard let appScheme, url.lowercased().hasPrefix("\(appScheme)://") else { return url }
        return "\(origin)/\(url.dropFirst(appScheme.utf8.count + 3))"
    }

    private func isOurs(_ parts: URLComponents) -> Bool {
        guard let ours = URLComponents(string: origin), parts.user == nil, parts.password == nil else {
            return false
        }
        return parts.scheme?.lowercased() == ours.scheme?.lowercased()
            && parts.host?.lowercased() == ours.host?.lowercased() && parts.port == ours.port
    }
}

extension InviteReference {
    /// A name with a text that cannot be a uid leads nowhere: without a uid it would be a weaker invite
    /// than the one that was meant.
    static func name(username: Username.Key, invitedBy: String?) -> InviteReference {
        guard let invitedBy else { return .name(username, nil) }
        guard let uid = User.UID(invitedBy) else { return .unrecognised }
        return .name(username, uid)
    }
}
