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
    var outcome: InviteAnswer

    enum InviteAnswer: Equatable, Sendable {
        case accepted(inviter: User.Profile, InviteResult)
        case ignored(reason: String)
        case none
    }
}

/// Why a sign-up was not written.
enum SignupError: Error {
    case alreadySignedUp, suspended, deleted, usernameTaken
    /// Nothing is wrong with the sign-up but its invite.
    case invite(InviteOutcome)
    case limitReached
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
