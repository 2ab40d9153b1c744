import Foundation
import Kernel
package import Postgres
import Web

/// Reads the changes of a user's relationships, in an order in which none is missed.
///
/// A writer that changes a row leaves it without a number. The owner's next sync gives all such rows that it
/// sees the same number, greater than those before, under the lock on the owner. A change that is not
/// committed yet is not seen, and gets a greater number from a later sync. So writers need no common clock,
/// and a sync that finds nothing new writes nothing.
package struct FriendSyncStore: Sendable {
    let db: Database
    private let server = ServerNumber()

    package init(db: Database) {
        self.db = db
    }

    /// How far a sync has come.
    struct Position: Sendable {
        /// The name of the database that numbered the changes. A restored database has another name.
        var database: String
        /// The number up to which changes are known. It is -1 if nothing is known.
        var since: Int64 = -1
        /// The last number when this sync began, at which the next one begins.
        var until: Int64 = 0
        /// The last change on the previous page. Nil at the beginning of a sync.
        var last: (number: Int64, id: UUID)?
    }

    /// The error that the position belongs to another database or to a lost state of this one, or is older
    /// than the ends that are kept.
    struct Lost: Error {}

    /// Returns up to `limit` changes after a position, and the next position. Throws `Lost`.
    /// - Parameter position: where the last sync ended. Nil for the current state, without ended
    ///   relationships.
    func changes(of user: User.ID, from position: Position?, limit: Int) async throws -> (
        changes: [FriendChange], next: Position, hasMore: Bool
    ) {
        async let own = database()
        let look = Self.look(at: user, after: position, limit: limit)
        var seen = try Page(await db.lists.with(key: user).rows(look))
        let database = try await own
        if let position, position.database != database || !position.isCovered(by: seen) { throw Lost() }
        if position?.last == nil {
            let renamed = try await renamed(among: seen.waiting)
            if seen.hasUnnumbered || !renamed.isEmpty {
                do {
                    let results = try await db.write.with(key: user).batch(
                        Self.number(of: user, and: renamed) + [look])
                    seen = try Page(results[results.count - 1])
                } catch let error as PostgresError where error.isOutage && position != nil {
                    // Nobody can write now. Changes without a number yet come with a later sync.
                }
            }
        }
        var next = position ?? Position(database: database)
        if next.last == nil { next.until = seen.lastNumber }
        let changes = seen.changes.prefix(limit)
        let isUnfinished = seen.changes.count > limit
        next.last = isUnfinished ? changes.last.map { ($0.number, $0.id) } : nil
        if !isUnfinished { next.since = next.until }
        // A sync returns changes up to its beginning, so there may be more by now.
        let hasMore =
            isUnfinished || seen.lastNumber > next.until || (position?.last != nil && seen.hasUnnumbered)
        return (try await named(Array(changes)), next, hasMore)
    }
}

extension FriendSyncStore.Position {
    /// Whether the database still has everything that the position knows, and all ends since.
    fileprivate func isCovered(by seen: FriendSyncStore.Page) -> Bool {
        until <= seen.lastNumber && seen.endsForgotten <= (since < 0 ? until : since)
    }
}

/// The statements of a sync.
extension FriendSyncStore {
    /// Returns the name of the database. `kith restored` changes the secret in it, and a restore from a dump
    /// changes the number of the table or the server.
    private func database() async throws -> String {
        let isServerSecret = await server.isSecret
        let kept: Statement = """
            SELECT (SELECT encode(bytes, 'hex') FROM secrets WHERE name = 'sync'),
                   (SELECT convert_from(bytes, 'UTF8') FROM secrets WHERE name = 'database')
            """
        do {
            let numbers = RestoreStore.askNumber(withServer: !isServerSecret)
            let found = try await db.read.together([kept, numbers])
            let texts = try found[0].first { try [$0.next(as: String?.self), $0.next(as: String?.self)] }
            let (secret, noted) = (texts?[0], texts?[1])
            let number = try found[1].first { try DatabaseNumber(&$0) }
            let shown = number.map { NotedDatabase.shown(for: $0, noted.flatMap { NotedDatabase($0) }) }
            return "\(secret?.prefix(16) ?? "").\(shown?.description ?? "")"
        } catch let error as PostgresError where error.sqlState == "42501" && !isServerSecret {
            await server.keepSecret()
            return try await database()
        }
    }

    /// Reads a page of changes, and what is needed to judge the position. Without a position, and until that
    /// sync ends, only visible relationships are listed.
    private static func look(at user: User.ID, after position: Position?, limit: Int) -> Statement {
        let since = position?.since ?? -1
        let last = position?.last ?? (max(since, 0), .greatest)
        let until = position?.last == nil ? .max : position?.until ?? .max
        return """
            WITH page AS MATERIALIZED (
                SELECT change, other_id, other_uid, i_block, they_block, they_away, since, asked_at, heard_at,
                       blocked_at, other_username, other_display_name, other_avatar_url, other_metadata
                FROM relationships
                WHERE user_id = \(user) AND (change, other_id) > (\(last.number), \(last.id)) AND change <= \(until)
                  AND (\(since >= 0) OR i_block OR asked_at IS NOT NULL
                       OR ((since IS NOT NULL OR heard_at IS NOT NULL) AND NOT they_away))
                ORDER BY change, other_id LIMIT \(limit + 1)),
            waiting AS MATERIALIZED (
                SELECT array_agg(other_id) AS ids, array_agg(coalesce(other_revision, 0)) AS revisions
                FROM (SELECT other_id, other_revision FROM relationships
                      WHERE user_id = \(user) AND asked_at IS NOT NULL
                      UNION ALL
                      SELECT other_id, other_revision FROM relationships
                      WHERE user_id = \(user) AND heard_at IS NOT NULL AND NOT they_away) requests)
            SELECT u.changes, u.ends_forgotten,
                   EXISTS (SELECT 1 FROM relationships WHERE user_id = \(user) AND change IS NULL),
                   waiting.ids, waiting.revisions,
                   page.change, page.other_id, page.other_uid, page.i_block, page.they_block, page.they_away,
                   page.since, page.asked_at, page.heard_at, page.blocked_at, \(User.Profile.copied("page."))
            FROM users u CROSS JOIN waiting LEFT JOIN page ON true WHERE u.id = \(user)
            ORDER BY page.change, page.other_id
            """
    }

    /// Returns the users whose names or status differ from what phones were told, with their current version.
    private func renamed(among told: [(id: UUID, revision: Int)]) async throws -> [(id: UUID, revision: Int)]
    {
        guard !told.isEmpty else { return [] }
        let known = Dictionary(told.map { ($0.id, $0.revision) }) { one, _ in one }
        return try await db.lists.query(
            "SELECT id, revision FROM users WHERE id = ANY(\(told.map(\.id))) AND \(UserStore.isVisible(""))"
        ) { try (id: $0.next(as: UUID.self), revision: $0.next(as: Int.self)) }
        .filter { known[$0.id] != $0.revision }
    }

    /// Numbers the changes that have no number, and the requests of renamed users. It leaves rows that others
    /// are changing for the next time, so it waits only for the user's own acts.
    private static func number(of user: User.ID, and renamed: [(id: UUID, revision: Int)]) -> [Statement] {
        [
            UserStore.numberChange(of: user),
            """
            WITH new AS MATERIALIZED (
                SELECT other_id FROM relationships WHERE user_id = \(user) AND change IS NULL
                FOR NO KEY UPDATE SKIP LOCKED)
            UPDATE relationships r SET change = u.changes
            FROM users u
            WHERE u.id = \(user) AND r.user_id = \(user) AND r.other_id = ANY(ARRAY(SELECT other_id FROM new))
            """,
            """
            WITH told AS MATERIALIZED (
                SELECT other_id FROM relationships
                WHERE user_id = \(user) AND other_id = ANY(\(renamed.map(\.id)))
                FOR NO KEY UPDATE SKIP LOCKED)
            UPDATE relationships r SET change = u.changes, other_revision = now.revision
            FROM users u, unnest(\(renamed.map(\.id)), \(renamed.map(\.revision))) AS now (id, revision)
            WHERE u.id = \(user) AND r.user_id = \(user) AND r.other_id = now.id
              AND r.other_id = ANY(ARRAY(SELECT other_id FROM told))
            """,
        ]
    }

    /// Adds the profiles of users who are not friends. Friends' profiles are stored with the friendship.
    private func named(_ changes: [Change]) async throws -> [FriendChange] {
        let strangers = changes.filter { ![.none, .friends].contains($0.change.detail.relationship) }
        let known = try await UserStore.profiles(
            of: Set(strangers.map { User.ID($0.id) }), on: db.lists)
        return changes.map { item in
            var change = item.change
            change.profile = known[User.ID(item.id)] ?? change.profile
            return change
        }
    }

    /// The answer of the statement: the changes of a page, and what decides whether they are all.
    fileprivate struct Page {
        var lastNumber: Int64 = 0
        var endsForgotten: Int64 = 0
        var hasUnnumbered = false
        /// The users whose requests wait, sent or received, and the version of them that phones were told.
        var waiting: [(id: UUID, revision: Int)] = []
        var changes: [Change] = []

        init(_ rows: Rows) throws {
            changes = try rows.map { row in
                (lastNumber, endsForgotten, hasUnnumbered) = try (row.next(), row.next(), row.next())
                let (ids, revisions): ([UUID]?, [Int]?) = try (row.next(), row.next())
                waiting = zip(ids ?? [], revisions ?? []).map { ($0, $1) }
                return try Change(row: &row)
            }.compactMap { $0 }
        }
    }

    fileprivate struct Change {
        var number: Int64
        var id: UUID
        var change: FriendChange

        /// Reads a change. Nil if the page is empty.
        init?(row: inout Row) throws {
            guard let number: Int64 = try row.next() else { return nil }
            self.number = number
            id = try row.next()
            let uid = try User.UID(stored: row.next())
            let state = try RelationshipRow(row: &row)
            let blockedAt: Date? = try row.next()
            let relationship = state.relationship
            let since: Date? =
                switch relationship {
                case .none: nil
                case .friends: state.since
                case .outgoing: state.askedAt
                case .incoming: state.heardAt
                case .blocked: blockedAt
                }
            let profile = try User.Profile(seen: &row)
            change = FriendChange(
                uid: uid, profile: relationship == .friends ? profile : nil,
                detail: RelationshipChange(relationship: relationship, since: since))
        }
    }
}

extension UUID {
    /// The id that sorts after all others.
    fileprivate static let greatest = UUID(
        uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))
}

/// The position as a cursor: database, since, until and, within a sync, number and id.
extension FriendSyncStore.Position {
    init?(_ cursor: Cursor?) {
        guard let parts = cursor?.parts, parts.count >= 3, let since = Int64(parts[1]),
            let until = Int64(parts[2])
        else { return nil }
        self.init(database: parts[0], since: since, until: until)
        if parts.count == 5, let number = Int64(parts[3]), let id = UUID(uuidString: parts[4]) {
            last = (number, id)
        }
    }

    var cursor: Cursor {
        Cursor(
            parts: [database, String(since), String(until)]
                + (last.map { [String($0.number), $0.id.uuidString] } ?? []))
    }
}
