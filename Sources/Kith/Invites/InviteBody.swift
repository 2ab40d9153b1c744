import Foundation
import HTTPTypes

/// An invite as a client names it: `{url}`, `{code}`, or `{username, invitedBy?}`.
struct InviteReferenceBody: RequestBody, Sendable {
    var url: String?
    var code: String?
    var username: String?
    var invitedBy: String?

    static let fields: Set = ["url", "code", "username", "invitedBy"]

    /// Anything but exactly one of the three forms is a 400; what is merely no invite is `unrecognised`.
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
            throw .malformed(
                "Name the invite by one of url, code, or username with invitedBy.",
                field: prefix.isEmpty ? "url" : prefix)
        }
    }
}

/// An extra link as its owner sees it.
struct InviteBody: Encodable {
    let code: String
    let url: String
    let shortUrl: String
    let label: String?
    let friendship: Invite.Friendship
    let maxUses: Int?
    let uses: Int
    let expiresAt: Date?
    let revokedAt: Date?
    let createdAt: Date
    var joined: [JoinedBody]?
    var next: String?

    struct JoinedBody: Encodable {
        let uid: String
        let username: String
        let displayName: String?
        let at: Date
    }

    init(_ invite: Invite, of owner: User.Profile, _ links: InviteLinks) {
        code = invite.code.text
        url = links.extra(invite.code, of: owner)
        shortUrl = links.short(invite.code)
        label = invite.label
        friendship = invite.friendship
        maxUses = invite.maxUses
        uses = invite.uses
        expiresAt = invite.expiresAt
        revokedAt = invite.revokedAt
        createdAt = invite.createdAt
    }
}

/// A user's permanent link.
struct PermanentInviteBody: Encodable {
    let url: String
    let shortUrl: String
    let code: String
    let qr: QR

    struct QR: Encodable {
        let svg: String
        let png: String
    }

    init(_ owner: User.Profile, code: Invite.Code, _ links: InviteLinks) {
        url = links.permanent(owner)
        shortUrl = links.short(code)
        self.code = code.text
        qr = QR(svg: links.qr(owner, "svg"), png: links.qr(owner, "png"))
    }
}

extension InviteRefusal {
    /// To one who asked for just this invite.
    var problem: Problem {
        switch self {
        case .notFound: .notFound("invite_not_found", "This invite leads to nobody.")
        case .expired: .notFound("invite_expired", "This invite has expired.")
        case .exhausted: .notFound("invite_exhausted", "This invite was used as often as it allows.")
        case .revoked: .notFound("invite_revoked", "This invite was taken back.")
        case .selfInvite: Problem(.unprocessableContent, "self_invite", "This is your own invite.")
        case .limitReached: FriendRefusal.friendLimitOther.problem
        case .unblockFirst: FriendRefusal.unblockFirst.problem
        }
    }
}
