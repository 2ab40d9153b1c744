import Foundation
import Kernel

/// The account itself, in its export. Each `UserDataStore` adds what its feature stores.
struct Export: Encodable, Sendable {
    var profile: User.Listed<Account>

    struct Account: Encodable, Sendable {
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
