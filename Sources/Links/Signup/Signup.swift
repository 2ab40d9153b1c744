import Foundation
package import Graph
package import Kernel

/// What a user sends to complete their sign-up.
package struct Signup: Sendable {
    package var uid: User.UID
    package var username: Username
    package var displayName: String?
    var avatarUrl: String?
    var metadata: User.Metadata?
    package var invite: InviteReference?
    package var origin = SignupOrigin()
    /// The new code of their own permanent link.
    package var code: Invite.Code

    package init(
        uid: User.UID, username: Username, displayName: String? = nil, avatarUrl: String? = nil,
        metadata: User.Metadata? = nil, invite: InviteReference? = nil, origin: SignupOrigin = SignupOrigin(),
        code: Invite.Code
    ) {
        self.uid = uid
        self.username = username
        self.displayName = displayName
        self.avatarUrl = avatarUrl
        self.metadata = metadata
        self.invite = invite
        self.origin = origin
        self.code = code
    }

    var userID: User.ID { User.ID(of: uid) }

    var profile: User.Profile {
        User.Profile(
            uid: uid, username: username.text, displayName: displayName, avatarUrl: avatarUrl,
            metadata: metadata)
    }
}

/// The answer to a sign-up. Everything except the link is stored, so that a replay gets the same.
package struct SignupReceipt: Equatable, Sendable {
    var username: String
    var displayName: String?
    var avatarUrl: String?
    var metadata: User.Metadata?
    var createdAt: Date
    var outcome: InviteAnswer
    /// The user's permanent link as it is now, not as it was stored. Nil if it has no code.
    var link: Link?

    struct Link: Equatable, Sendable {
        var username: String
        var code: Invite.Code
    }

    enum InviteAnswer: Equatable, Sendable {
        case accepted(inviter: User.Profile, InviteResult)
        case ignored(reason: String)
        case none
    }
}

/// Why a sign-up was not written.
package enum SignupError: Error {
    case alreadySignedUp, suspended, deleted, usernameTaken
    /// Only the invite is not valid.
    case invite(InviteOutcome)
    case limitReached
}

/// The invite with which a sign-up is written, and what the same transaction must still prove.
struct SignupInvitation: Sendable {
    var inviter: User.UID
    /// What must hold for the name in the link. Nil if a code proves the invite.
    var name: (key: Username.Key, proof: NameProof)?
    var code: Invite.Code?
    var claim: ClaimToken?
    /// Whether the inviter wants to be friends or to be asked, by their link.
    var friendship: Invite.Mode
    /// Whether it is only likely that the invite is the user's. Then the user expresses no wish by signing
    /// up.
    var isLikely = false
    /// The visitor in experiments who came with it.
    var unit: UUID?

    var inviterID: User.ID { User.ID(of: inviter) }
}
