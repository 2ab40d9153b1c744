import Foundation
import Kernel
import Postgres

/// Paths between users.
extension FriendGraphStore {
    /// Returns a shortest path of at most three steps. No user on it is suspended, and the caller blocks none
    /// of those between. A path leads to or over a user who blocks the caller like any other.
    func path(from user: User.ID, to other: User.ID) async throws -> FriendPath {
        let walks = db.walks.with(key: user)
        let ends = try await ends(user, other, walks)
        guard let goal = ends.goal, !ends.isClosed else { return FriendPath(path: []) }
        if ends.mine.contains(other) { return FriendPath(degrees: 1, path: [goal]) }
        let between =
            // The smallest id is the same one each time.
            if let common = ends.mine.intersection(ends.theirs).min() { [common] } else {
                try await step(ends, walks)
            }
        let profiles = try await UserStore.profiles(of: Set(between), on: walks)
        let path = between.compactMap { profiles[$0] }
        guard !between.isEmpty, path.count == between.count else { return FriendPath(path: []) }
        return FriendPath(degrees: path.count + 1, path: path + [goal])
    }

    /// What is known about the two users: their friends, and whether a path may be shown at all.
    private struct Ends {
        /// The other user's profile. Nil if they may not be seen.
        var goal: User.Profile?
        var isClosed: Bool
        var mine: Set<User.ID>
        var theirs: Set<User.ID>
        /// The users whom the caller blocks.
        var blocked: Set<User.ID>
    }

    /// Reads both ends in one round trip. Each statement reads rows of one user.
    private func ends(_ user: User.ID, _ other: User.ID, _ walks: Lane) async throws -> Ends {
        func friends(of user: User.ID) -> Statement {
            """
            SELECT coalesce(array_agg(other_id), '{}') FROM relationships
            WHERE user_id = \(user) AND \(FriendStore.isVisibleFriend())
            """
        }
        func ids(_ rows: Rows) throws -> Set<User.ID> {
            Set(try rows.first { try $0.next(as: [UUID].self).map(User.ID.init) } ?? [])
        }
        let rows = try await walks.together([
            "SELECT \(User.Profile.columns()) FROM users WHERE id = \(other) AND \(UserStore.isVisible(""))",
            "SELECT i_block OR they_away FROM relationships WHERE user_id = \(user) AND other_id = \(other)",
            friends(of: user), friends(of: other),
            """
            SELECT coalesce(array_agg(other_id), '{}') FROM relationships
            WHERE user_id = \(user) AND blocked_at IS NOT NULL
            """,
        ])
        return try Ends(
            goal: rows[0].first(User.Profile.init(row:)),
            isClosed: rows[1].first { try $0.next() } ?? false,
            mine: ids(rows[2]), theirs: ids(rows[3]), blocked: ids(rows[4]))
    }

    /// Returns a friend of the user and a friend of the other one who are friends. Empty if there are none.
    /// It starts from the side with fewer friends.
    private func step(_ ends: Ends, _ walks: Lane) async throws -> [User.ID] {
        let theirs = ends.theirs.subtracting(ends.blocked)
        let isForwards = ends.mine.count <= theirs.count
        let (near, far) = isForwards ? (ends.mine, theirs) : (theirs, ends.mine)
        guard !near.isEmpty else { return [] }
        // IS TRUE keeps IN from becoming a join, which would read everything before the first match.
        let found = try await walks.first(
            """
            SELECT user_id, other_id FROM relationships
            WHERE user_id = ANY(\(near.map(\.uuid))) AND (other_id IN (SELECT unnest(\(far.map(\.uuid))))) IS TRUE
              AND \(FriendStore.isVisibleFriend())
            LIMIT 1
            """
        ) { try [User.ID($0.next()), User.ID($0.next())] }
        guard let found else { return [] }
        return isForwards ? found : found.reversed()
    }
}
