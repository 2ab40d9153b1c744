import Foundation
package import Kernel
import Postgres
import Web

/// What is kept about a user's relationships, each list newest first. A deletion ends them:
/// `FriendStore.delete`.
extension FriendStore: UserDataStore {
    package static func export(into document: inout ExportDocument) async throws {
        try await document.list("friends") { reader, cursor in
            try await related(reader, "since", FriendStore.isVisibleFriend(), cursor) {
                other, at -> Friend? in
                guard other.row.relationship == .friends, let profile = other.profile else { return nil }
                return Friend(profile, Friendship(since: at))
            }
        }
        try await document.object("requests", exportRequests)
        try await document.list("blocks") { reader, cursor in
            try await related(reader, "blocked_at", "blocked_at IS NOT NULL", cursor) { other, at in
                BlockedUser(uid: other.uid, profile: other.profile, detail: Block(blockedAt: at))
            }
        }
        try await document.list("declined") { reader, cursor in
            try await reader.part(
                """
                SELECT touched_at, other_id::text, other_uid, declines, quiet_until FROM relationships
                WHERE user_id = \(reader.user) AND declines > 0
                  AND (\(cursor?.id)::uuid IS NULL OR other_id > \(cursor?.id)::uuid)
                ORDER BY other_id LIMIT \(reader.rows)
                """
            ) { row, _ in try ExportedDecline(uid: row.next(), times: row.next(), quietUntil: row.next()) }
        }
        try await document.list("dismissed") { reader, cursor in
            try await reader.part(
                """
                SELECT dismissed_at, other_id::text, other_uid FROM dismissals
                WHERE user_id = \(reader.user) AND (\(cursor?.id)::uuid IS NULL OR other_id > \(cursor?.id)::uuid)
                ORDER BY other_id LIMIT \(reader.rows)
                """
            ) { row, cursor in try ExportedDismissal(uid: row.next(), at: cursor.at) }
        }
    }

    private static func exportRequests(into document: inout ExportDocument) async throws {
        try await document.list("incoming") { reader, cursor in
            try await related(reader, "heard_at", "heard_at IS NOT NULL AND NOT they_away", cursor) {
                other, at in
                other.row.relationship == .incoming ? other.request(at) : nil
            }
        }
        try await document.list("outgoing") { reader, cursor in
            try await related(reader, "asked_at", "asked_at IS NOT NULL", cursor) { other, at in
                other.row.relationship == .outgoing ? other.request(at) : nil
            }
        }
    }

    private struct Other {
        var uid: User.UID
        var profile: User.Profile?
        var row: RelationshipRow

        func request(_ at: Date) -> FriendRequest {
            FriendRequest(uid: uid, profile: profile, detail: PendingRequest(requestedAt: at))
        }
    }

    /// - Parameters:
    ///   - column: the time by which the list is sorted.
    ///   - isListed: the condition for rows of the list.
    private static func related<Item: Sendable>(
        _ reader: ExportReader, _ column: Statement, _ isListed: Statement, _ cursor: Cursor?,
        _ item: (Other, Date) -> Item?
    ) async throws -> ExportReader.Part<Item> {
        try await reader.part(
            """
            WITH mine AS MATERIALIZED (
                SELECT \(column) AS at, other_id, other_uid, i_block, they_block, they_away, since, asked_at, heard_at
                FROM relationships
                WHERE user_id = \(reader.user) AND \(isListed)
                  AND \(Cursor.page(behind: cursor, column, "other_id", limit: reader.rows))),
            \(UserStore.seen(in: "mine", by: "other_id"))
            SELECT mine.at, mine.other_id::text, mine.other_uid, \(User.Profile.columns("seen.")),
                   mine.i_block, mine.they_block, mine.they_away, mine.since, mine.asked_at, mine.heard_at
            FROM mine LEFT JOIN seen ON seen.id = mine.other_id
            ORDER BY mine.at DESC, mine.other_id
            """
        ) { row, cursor in
            let other = try Other(
                uid: User.UID(stored: row.next()), profile: User.Profile(seen: &row),
                row: RelationshipRow(row: &row))
            return item(other, cursor.at)
        }
    }

    private struct ExportedDecline: Encodable, Sendable {
        var uid: String
        var times: Int
        /// How long new requests are hidden.
        var quietUntil: Date?
    }

    private struct ExportedDismissal: Encodable, Sendable {
        var uid: String
        var at: Date
    }
}
