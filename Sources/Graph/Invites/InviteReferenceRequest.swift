import Kernel
package import Web

/// An invite as a client names it: `{url}`, `{code}`, `{username, invitedBy?}`, or `{claim}`.
package struct InviteReferenceRequest: JSONBody, Sendable {
    var url: String?
    var code: String?
    var username: String?
    var invitedBy: String?
    var claim: String?

    package enum CodingKeys: CodingKey, CaseIterable { case url, code, username, invitedBy, claim }

    /// Returns the invite. Throws a 400 unless the body has exactly one of the four forms. A text that is not
    /// an invite is `unrecognised`.
    package func reference(_ links: InviteLinks, field prefix: String = "") throws(Problem) -> InviteReference
    {
        switch (url, code, username, invitedBy, claim) {
        case (let url?, nil, nil, nil, nil):
            return links.reference(in: url)
        case (nil, let code?, nil, nil, nil):
            return Invite.Code(inLink: code).map { .code($0) } ?? .unrecognised
        case (nil, nil, nil, nil, let claim?):
            return ClaimToken(claim).map { .claim($0) } ?? .unrecognised
        case (nil, nil, let username?, _, nil):
            // The client took the link apart at the wrong place.
            if invitedBy == nil, username.utf8.count <= WebURL.longest, StuckText.mentionsUID(username) {
                return links.reference(in: "\(links.origin)/users/\(username)")
            }
            guard let key = Username.Key(username) else { return .unrecognised }
            return .name(username: key, invitedBy: invitedBy)
        default:
            throw .invalid(
                prefix.isEmpty ? "url" : prefix,
                "must name the invite: by `url`, `code` or `claim`, or by `username` and, if known, `invitedBy`"
            )
        }
    }
}
