import Foundation
import Graph
import Kernel

/// What Kith keeps of a user, as operators see it.
package struct UserRecord: Encodable, Sendable {
    var uid: String
    /// Nil if the account was deleted.
    var username: String?
    var displayName: String?
    var status: String
    /// Why an operator suspended them.
    var statusReason: String?
    var frozen: InviteTree.Freeze?
    /// What the user lets their invites do; a freeze stands above it.
    var invites: Inviting
    var createdAt: Date
    /// False: imported without the names they had before.
    var historyComplete: Bool

    /// The same in a list.
    struct Brief: Encodable, Equatable, Sendable {
        var uid: String
        var username: String?
        var status: String
    }

    var brief: Brief { Brief(uid: uid, username: username, status: status) }
}

extension UserRecord.Brief {
    /// For people: `u-ann (ann)`, or `u-ann (deleted)`.
    var text: String { "\(uid) (\(username.map { status == "active" ? $0 : "\($0), \(status)" } ?? status))" }
}
