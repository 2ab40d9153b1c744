import Foundation
import Kernel
import Web

/// What happened to a user, for operators.
struct TimelineEntry: Encodable, Sendable {
    var at: Date
    var what: What
    /// The other user.
    var other: UserRecord.Brief?
    /// The spelling of a name, how long they had it, and whether its links lead nowhere.
    var username: String?
    var until: Date?
    var severed: Bool?
    /// The code of an invite, and whether it is `custom` or `personal`.
    var code: String?
    var kind: String?
    /// An operator's act, its reason, and who did it.
    var act: String?
    var reason: String?
    var actor: String?

    enum What: String, Encodable, CaseIterable, Sendable {
        /// They signed up. The entry has the inviter if they came by an invite.
        case signedUp = "user.signed_up"
        case suspended = "user.suspended"
        case returned = "user.returned"
        case deleted = "user.deleted"
        case frozen = "user.frozen"
        /// They took a name.
        case name = "username.taken"
        case inviteCreated = "invite.created"
        case inviteRevoked = "invite.revoked"
        /// The other user signed up by their invite.
        case invited = "invite.joined"
        case befriended = "friend.created"
        case parted = "friend.ended"
        /// The other user was suspended, or is back. The friendship stands.
        case friendAway = "friend.away"
        case friendBack = "friend.back"
        case operatorAct = "operator.act"
    }
}

/// A page of the timeline, newest first.
struct Timeline: Sendable {
    var user: UserRecord
    var page: ListPage<TimelineEntry>
    /// When the log begins. Earlier events are known only as far as other tables still say it.
    var logBegins: Date
}
