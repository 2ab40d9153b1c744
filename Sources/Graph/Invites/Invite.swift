package import Foundation
package import Kernel
import Web

/// A link with a code: the short form of a user's permanent link, or a custom one.
package struct Invite: Sendable {
    package var code: Code
    var friendship: Mode
    package var label: String?
    package var note: String?
    package var uses: Int
    package var maxUses: Int?
    package var expiresAt: Date?
    package var revokedAt: Date?
    var createdAt: Date

    /// Creates the invite as it will be stored. Its times are not known yet.
    init(_ draft: InviteRequest, as code: Code) {
        self.code = code
        friendship = draft.friendship
        label = draft.label
        note = draft.note
        uses = 0
        maxUses = draft.maxUses
        expiresAt = draft.expiresIn.map { _ in .distantPast }
        createdAt = .distantPast
    }

    /// What accepting the invite creates.
    package enum Mode: String, Codable, CaseIterable, Sendable {
        /// A friendship at once: handing out the link was the inviter's consent.
        case auto
        /// A request, which the inviter answers.
        case ask
    }
}

/// How an app names an invite: by a code, by what the permanent link holds, or by both.
package enum InviteReference: Equatable, Sendable {
    case code(Invite.Code)
    case name(Username.Key, User.UID?)
    /// A long link with a code. If the code is unknown or somebody else's, the link counts as one without it.
    case link(Invite.Code, Username.Key, User.UID)
    /// What an app claimed after its installation.
    case claim(ClaimToken)
    /// The text is not an invite of this server.
    case unrecognised
}

/// An invite that leads to a user.
package struct ProvenInvite: Sendable {
    package var inviter: User.Profile
    package var proof: Proof
    package var friendship: Invite.Mode
    package var code: Invite.Code?
    /// The claim by which it came through a store.
    package var claim: ClaimToken?
    /// Whether the invite is this user's only by likeness, without a proof.
    package var isLikely = false
    /// The visitor in experiments who came with it.
    package var unit: UUID?
    /// By what the visit of the claim is counted, as `ClaimedInvite` has it.
    package var visit: String?
    /// The name that proved the invite, and what must still hold for it when the invite is accepted.
    package var name: (key: Username.Key, proof: NameProof)?

    package enum Proof: String, Codable, Sendable {
        case current, past, code
        case nameOnly = "name_only"
    }

    /// What it makes of the inviter and a user with an account. Anybody can learn a name and a uid, so these
    /// only say who the inviter is. A code is the inviter's consent.
    package var friendshipForMembers: Invite.Mode { code == nil || isLikely ? .ask : friendship }

    /// What signing up with it makes, unless the inviter is against it. If the invite is only likely this
    /// user's, signing up expresses no wish.
    package var friendshipForNewcomers: InviteResult {
        switch (friendship, isLikely) {
        case (.auto, false): .friends
        case (.ask, false): .requested
        case (.auto, true): .incoming
        case (.ask, true): .none
        }
    }

    package var inviterID: User.ID { User.ID(of: inviter.uid) }
}

/// A link that was looked up by its code.
package struct FoundLink: Sendable {
    package var link: Invite
    /// Whether it is the short form of its owner's permanent link.
    package var isPersonal: Bool
    package var invite: ProvenInvite
    /// Why it does nothing any more: it is expired, exhausted or revoked.
    package var refusal: InviteError?
    /// Whether its owner switched their invites off, or an operator froze them. Then the link leads to their
    /// page only.
    package var isOff: Bool

    /// The invite, if it can be accepted now.
    var usable: ProvenInvite {
        get throws(InviteError) {
            if let refusal { throw refusal }
            guard !isOff else { throw .notFound }
            return invite
        }
    }
}

extension InviteResult {
    package init(_ friendship: Invite.Mode) {
        self = friendship == .auto ? .friends : .requested
    }
}

/// A user who joined with a link.
typealias Joined = User.Listed<Joining>

struct Joining: Encodable, Sendable {
    var at: Date
}

extension InviteReference {
    /// The code in the reference. Nil if there is none.
    var code: Invite.Code? {
        switch self {
        case .code(let code), .link(let code, _, _): code
        case .name, .claim, .unrecognised: nil
        }
    }
}
