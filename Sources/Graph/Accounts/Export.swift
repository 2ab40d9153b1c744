import Foundation
import Kernel

/// The account itself, in its export. Each `UserDataStore` adds what its feature stores.
struct Export: Encodable, Sendable {
    var profile: Profile

    struct Profile: Encodable, Sendable {
        var uid: String
        var username: String
        var displayName: String?
        var avatarUrl: String?
        var metadata: User.Metadata?
        var status: String
        var createdAt: Date
        /// What the user's invites may do.
        var invites: String
        /// The short code of the permanent link.
        var inviteCode: String?
        /// When an operator froze the user's invites.
        var invitesFrozenAt: Date?
    }
}
