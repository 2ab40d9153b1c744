/// An invite as a client names it: `{url}`, `{code}`, or `{username, invitedBy?}`.
struct InviteReferenceRequest: RequestBody, Sendable {
    var url: String?
    var code: String?
    var username: String?
    var invitedBy: String?

    enum CodingKeys: CodingKey, CaseIterable { case url, code, username, invitedBy }

    /// Throws a 400 unless the body has exactly one of the three forms; a text that is not an invite is `unrecognised`.
    func reference(_ links: InviteLinks, field prefix: String = "") throws(Problem) -> InviteReference {
        switch (url, code, username, invitedBy) {
        case (let url?, nil, nil, nil):
            return links.reference(in: url)
        case (nil, let code?, nil, nil):
            return Invite.Code(code).map { .code($0) } ?? .unrecognised
        case (nil, nil, let username?, _):
            guard let key = Username.Key(username) else { return .unrecognised }
            return .name(username: key, invitedBy: invitedBy)
        default:
            throw .invalid(
                prefix.isEmpty ? "url" : prefix,
                "must name the invite: by `url`, by `code`, or by `username` and, if known, `invitedBy`")
        }
    }
}
