import Foundation
import Graph
import Kernel

/// What Kith stores about a user, as operators see it.
package struct UserRecord: Encodable, Sendable {
    var uid: String
    /// The username. Nil if the account was deleted.
    var username: String?
    var displayName: String?
    var status: String
    /// Why an operator suspended them.
    var statusReason: String?
    var frozen: InviteTree.Freeze?
    /// What the user's invites may do. A freeze overrides it.
    var invites: InviteMode
    var createdAt: Date
    /// Whether all their names are known. False if they were imported without the names that they had before.
    var historyComplete: Bool

    /// A user in a list, in short.
    struct Brief: Encodable, Equatable, Sendable {
        var uid: String
        var username: String?
        var status: String
    }

    var brief: Brief { Brief(uid: uid, username: username, status: status) }
}

extension UserRecord.Brief {
    /// The user for people: `u-ann (ann)`, or `u-ann (deleted)`.
    var text: String { "\(uid) (\(username.map { status == "active" ? $0 : "\($0), \(status)" } ?? status))" }
}
