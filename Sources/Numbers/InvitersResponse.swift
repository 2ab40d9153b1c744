import Graph
import Hummingbird

/// Who brought most people, and who began what grew in a short time.
package struct InvitersResponse: ResponseCodable {
    /// The days. Nil if it is of minutes.
    let from: String?
    let to: String?
    let inviters: [Inviter]

    struct Inviter: Codable {
        let uid: String
        /// Nil for a deleted account.
        let username: String?
        let status: String
        /// Nil if the user's invites are not frozen.
        let frozen: InviteTree.Freeze?
        /// How many signed up: by the user's own invites, or of a branch also by those of users below.
        let signUps: Int
        /// Of a branch: how many of them by the user's own invites.
        let direct: Int?
        let rewards: Rewards
    }

    /// How many rewards of programs the user has for inviting, by what became of them.
    struct Rewards: Codable {
        var given = 0
        var waiting = 0
        var flagged = 0
        var rejected = 0
    }
}
