import Foundation

/// What a user sends to complete their sign-up.
struct Signup: Sendable {
    var uid: User.UID
    var username: Username
    var displayName: String?
    var invite: InviteReference?

    var userID: User.ID { User.ID(of: uid) }
}

/// The answer to a sign-up, kept word for word: a replay gets the same.
struct SignupReceipt: Equatable, Sendable {
    var username: String
    var displayName: String?
    var createdAt: Date
    var outcome: InviteOutcome

    enum InviteOutcome: Equatable, Sendable {
        case accepted(inviter: User.Profile, InviteResult)
        case ignored(reason: String)
        case none
    }
}

/// Why a sign-up was not written.
enum SignupError: String, Error {
    case alreadySignedUp, suspended, deleted
    case usernameTaken = "username_taken"
    /// The inviter is not active, or name and uid do not belong together.
    case inviteUnproven = "invite_unproven"
    case limitReached
    case linkUnusable = "link_unusable"
    /// The inviter blocks this uid: only a request can be left.
    case inviteUnwelcome = "invite_unwelcome"
}

/// The invite with which a sign-up is written, and what is left to prove by the same transaction.
struct SignupInvitation: Sendable {
    var inviter: User.UID
    /// What must hold of the name in the link; nil if a code proves the invite.
    var name: (key: Username.Key, proof: NameProof)?
    var code: Invite.Code?
    var friendship: Invite.Mode

    var inviterID: User.ID { User.ID(of: inviter) }
}
