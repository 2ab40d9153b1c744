import Foundation
import Postgres

/// Paths between users.
extension FriendGraphStore {
    /// A shortest path of at most three steps. No user on it is suspended, and the caller blocks none of those between. A
    /// path leads to or over a user who blocks the caller like any other.
    func path(from user: User.ID, to other: User.ID) async throws -> FriendPath {
        let walks = db.walks.with(key: user)
        let ends = try await ends(user, other, walks)
        guard let goal = ends.goal, !ends.isClosed else { return FriendPath(path: []) }
        if ends.mine.contains(other.uuid) { return FriendPath(degrees: 1, path: [goal]) }
        let between =
            if let common = Set(ends.mine).intersection(ends.theirs).first { [common] } else {
                try await step(ends, walks)
            }
        let profiles = try await UserStore.profiles(of: Set(between.map(User.ID.init)), on: walks)
        let path = between.compactMap { profiles[User.ID($0)] }
        guard !between.isEmpty, path.count == between.count else { return FriendPath(path: []) }
        return FriendPath(degrees: path.count + 1, path: path + [goal])
    }

    /// What is known of the two users: their friends, and whether a path may be shown at all.
    private struct Ends {
        /// Nil if the other user may not be seen.
        var goal: User.Profile?
        var isClosed: Bool
        var mine: [UUID]
        var theirs: [UUID]
        /// The users whom the caller blocks.
        var blocked: [UUID]
    }

    /// One round trip. Each statement reads rows of one user.
    private func ends(_ user: User.ID, _ other: User.ID, _ walks: Lane) async throws -> Ends {
        func friends(of user: User.ID) -> Statement {
            """
            SELECT coalesce(array_agg(other_id), '{}') FROM relationships
            WHERE user_id = \(user) AND \(FriendStore.isVisibleFriend())
            """
        }
        let rows = try await walks.together([
            "SELECT uid, username, display_name FROM users WHERE id = \(other) AND \(UserStore.isVisible(""))",
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
            mine: rows[2].first { try $0.next() } ?? [], theirs: rows[3].first { try $0.next() } ?? [],
            blocked: rows[4].first { try $0.next() } ?? [])
    }

    /// A friend of the user and a friend of the other one who are friends; empty if there are none. Starts from the side with
    /// fewer friends.
    private func step(_ ends: Ends, _ walks: Lane) async throws -> [UUID] {
        let theirs = Array(Set(ends.theirs).subtracting(ends.blocked))
        let isForwards = ends.mine.count <= theirs.count
        let (near, far) = isForwards ? (ends.mine, theirs) : (theirs, ends.mine)
        // IS TRUE keeps IN from becoming a join, which would read all before the first match.
        let found = try await walks.first(
            """
            SELECT user_id, other_id FROM relationships
            WHERE user_id = ANY(\(near)) AND (other_id IN (SELECT unnest(\(far)))) IS TRUE
              AND \(FriendStore.isVisibleFriend())
            LIMIT 1
            """
        ) { try [$0.next(as: UUID.self), $0.next(as: UUID.self)] }
        guard let found else { return [] }
        return isForwards ? found : found.reversed()
    }
}
