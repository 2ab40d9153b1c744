package import Imports
import Kernel

/// A kind of import from another system, from one CSV file.
package enum Import: Sendable {
    /// `uid,username[,display_name][,created_at]`, and the other columns that `kith export all` writes for a
    /// user.
    ///
    /// With `keepNames`, usernames that users may not choose are accepted too. With `historyComplete`, these
    /// users had no other usernames before, or the file of those usernames follows.
    case users(keepNames: Bool, historyComplete: Bool)
    /// `uid,username,valid_from,valid_to[,severed]`: earlier usernames of users.
    ///
    /// With `complete`, this file completes the earlier usernames of the users in it.
    case usernames(complete: Bool)
    /// `uid,friend_uid[,since]`: pairs of friends.
    case friendships(oneSided: OneSided)
    /// `username,state[,uid][,held_until]`: names that nobody has now.
    case nameStates
    /// `uid,other_uid` and what a user did to another: asked, blocked, declined, ended.
    case relationships
    /// `code,uid,kind` and what a link does: short codes of permanent links, and custom links.
    case invites
    /// `code,uid,used_at`: who used which link.
    case inviteUses
    /// `uid,inviter_uid[,code],accepted_at`: who joined by whose invite.
    case inviters

    /// How to import a friendship that only one side lists.
    package enum OneSided: String, CaseIterable, Sendable {
        /// The friendship is imported.
        case friends
        /// It becomes a request of the side that lists it.
        case request
        case refuse
    }

    package var name: String {
        switch self {
        case .users: "users"
        case .usernames: "usernames"
        case .friendships: "friendships"
        case .nameStates: "name-states"
        case .relationships: "relationships"
        case .invites: "invites"
        case .inviteUses: "invite-uses"
        case .inviters: "inviters"
        }
    }

    /// The tables that the import fills.
    package var tables: String {
        switch self {
        case .users, .usernames: "users, usernames, username_periods"
        case .nameStates: "usernames"
        case .friendships, .relationships: "relationships"
        case .invites: "invites, invites_by_owner, users"
        case .inviteUses: "invites, invite_uses"
        case .inviters: "acceptances"
        }
    }

    package var columns: ImportColumns {
        switch self {
        case .users:
            file(
                ["uid", "username"],
                [
                    "display_name", "created_at", "username_since", "avatar_url", "metadata", "status",
                    "reason",
                    "invites", "frozen_at", "frozen_reason", "history_complete",
                ],
                times: ["created_at", "username_since", "frozen_at"],
                types: ["metadata": "jsonb", "history_complete": "boolean"])
        case .usernames:
            file(
                ["uid", "username", "valid_from", "valid_to"], ["severed"],
                times: ["valid_from", "valid_to"],
                types: ["severed": "boolean"])
        case .friendships: file(["uid", "friend_uid"], ["since"], times: ["since"])
        case .nameStates: file(["username", "state"], ["uid", "held_until"], times: ["held_until"])
        case .relationships:
            file(
                ["uid", "other_uid"],
                [
                    "friends_since", "asked_at", "shown_at", "blocked_at", "declines", "quiet_until",
                    "ended_at",
                ],
                times: ["friends_since", "asked_at", "shown_at", "blocked_at", "quiet_until", "ended_at"],
                types: ["declines": "smallint"])
        case .invites:
            file(
                ["code", "uid", "kind"],
                ["mode", "label", "note", "max_uses", "expires_at", "revoked_at", "created_at"],
                times: ["expires_at", "revoked_at", "created_at"], types: ["max_uses": "integer"])
        case .inviteUses: file(["code", "uid"], ["used_at"], times: ["used_at"])
        case .inviters: file(["uid", "inviter_uid"], ["code", "accepted_at"], times: ["accepted_at"])
        }
    }

    private func file(
        _ required: [String], _ optional: [String], times: [String], types: [String: String] = [:]
    ) -> ImportColumns {
        let ofTimes = Dictionary(uniqueKeysWithValues: times.map { ($0, "timestamptz") })
        return ImportColumns(of: name, required, optional, types: types.merging(ofTimes) { own, _ in own })
    }
}
