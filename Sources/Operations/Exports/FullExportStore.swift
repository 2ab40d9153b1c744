import Imports
import Kernel
import Links
package import Postgres

/// Reads everything that belongs to the operator of an app as CSV files, as of one moment.
///
/// On a Citus cluster each node has its own moment, so nobody should write meanwhile.
package struct FullExportStore: Sendable {
    private let db: Database

    package init(_ db: Database) { self.db = db }

    /// Writes each file in the order of `ExportedFile`, first its header, then some thousand lines at a time.
    package nonisolated(nonsending) func run(
        _ write:
            nonisolated(nonsending) (_ file: ExportedFile, _ lines: String, _ rows: Int) async throws ->
            Void
    ) async throws {
        try await db.withConnection { session in
            try await session.transaction { session in
                try await session.script(
                    """
                    SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY;
                    SET LOCAL jit = off;
                    SET LOCAL client_connection_check_interval = '2s';
                    SET LOCAL citus.max_intermediate_result_size = -1
                    """)
                for file in ExportedFile.allCases {
                    if let kind = file.kind {
                        try await write(file, CSVLine.text(kind.columns.all) + "\n", 0)
                        try await read(file, columns: kind.columns.all.count, session) {
                            try await write(file, $0, $1)
                        }
                    } else {
                        try await write(file, ShortLinkExportStore.header + "\n", 0)
                        for domain in try await ShortLinkExportStore.domains(on: session) {
                            try await ShortLinkExportStore.export(domain: domain, on: session) {
                                try await write(file, $0 + "\n", $1)
                            }
                        }
                    }
                }
            }
        }
    }

    private nonisolated(nonsending) func read(
        _ file: ExportedFile, columns: Int, _ session: Session,
        _ write: nonisolated(nonsending) (_ lines: String, _ rows: Int) async throws -> Void
    ) async throws {
        try await session.run("DECLARE exported NO SCROLL CURSOR FOR \(Self.rows(of: file))")
        while true {
            let lines = try await session.query("FETCH 5000 FROM exported") { row in
                try CSVLine.text((0..<columns).map { _ in try row.next(as: String?.self) })
            }
            if lines.isEmpty { break }
            try await write(lines.joined(separator: "\n") + "\n", lines.count)
        }
        try await session.run("CLOSE exported")
    }

    /// Returns the rows of a file as text, in the order of the columns of its import.
    private static func rows(of file: ExportedFile) -> Statement {
        switch file {
        case .users: users
        case .nameStates: nameStates
        case .usernames: usernames
        case .relationships: relationships
        case .friendships: friendships
        case .invites: invites
        case .inviteUses: inviteUses
        case .inviters: inviters
        case .links: ""
        }
    }

    /// Returns SQL for a time, exact to the microsecond, in UTC.
    private static func time(_ column: Statement) -> Statement {
        "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
    }

    private static let users: Statement = """
        SELECT u.uid, CASE WHEN u.status <> 'deleted' THEN u.username END, u.display_name, \(time("u.created_at")),
               \(time("p.valid_from")), u.avatar_url, u.metadata, u.status, u.status_reason, u.invites,
               \(time("u.frozen_at")), u.frozen_reason, u.history_complete::text
        FROM users u LEFT JOIN username_periods p ON p.user_id = u.id AND p.valid_to IS NULL
        ORDER BY u.id
        """

    private static let nameStates: Statement = """
        WITH names AS MATERIALIZED (
            SELECT name_key, state, user_id, held_until FROM usernames WHERE state <> 'active'),
        ids AS MATERIALIZED (SELECT DISTINCT user_id FROM names),
        owners AS MATERIALIZED (SELECT u.id, u.uid FROM ids JOIN users u ON u.id = ids.user_id)
        SELECT n.name_key, n.state, o.uid, \(time("n.held_until"))
        FROM names n LEFT JOIN owners o ON o.id = n.user_id ORDER BY n.name_key
        """

    private static let usernames: Statement = """
        SELECT u.uid, p.username, \(time("p.valid_from")), \(time("p.valid_to")), p.severed::text
        FROM username_periods p JOIN users u ON u.id = p.user_id
        WHERE p.valid_to IS NOT NULL ORDER BY p.user_id, p.valid_from, p.name_key
        """

    /// What users did to others, except friendships of two active users. A request is also shown to a user
    /// who has no account yet, so the asking user's line says when it was.
    private static let relationships: Statement = """
        WITH own AS MATERIALIZED (
            SELECT r.user_id, r.other_id, u.uid, r.other_uid, r.since, r.asked_at, r.blocked_at, r.declines, r.quiet_until,
                   r.ended_at
            FROM relationships r JOIN users u ON u.id = r.user_id
            WHERE (r.i_want AND (r.since IS NULL OR r.they_away OR u.status = 'suspended')) OR r.i_block
               OR r.declines > 0 OR r.ended_at IS NOT NULL),
        shown AS MATERIALIZED (
            SELECT user_id, other_id, heard_at FROM relationships WHERE heard_at IS NOT NULL)
        SELECT own.uid, own.other_uid, \(time("own.since")), \(time("own.asked_at")), \(time("shown.heard_at")),
               \(time("own.blocked_at")), nullif(own.declines, 0)::text, \(time("own.quiet_until")), \(time("own.ended_at"))
        FROM own LEFT JOIN shown ON shown.user_id = own.other_id AND shown.other_id = own.user_id
        ORDER BY own.user_id, own.other_id
        """

    private static let friendships: Statement = """
        SELECT u.uid, r.other_uid, \(time("r.since"))
        FROM relationships r JOIN users u ON u.id = r.user_id
        WHERE r.user_id < r.other_id AND r.since IS NOT NULL AND NOT r.they_away AND u.status = 'active'
        ORDER BY r.user_id, r.other_id
        """

    private static let invites: Statement = """
        WITH codes AS MATERIALIZED (
            SELECT code, owner_id, kind, mode, label, note, max_uses, expires_at, revoked_at, created_at FROM invites)
        SELECT l.code, u.uid, l.kind, l.mode, l.label, l.note, l.max_uses::text, \(time("l.expires_at")),
               \(time("l.revoked_at")), \(time("l.created_at"))
        FROM codes l JOIN users u ON u.id = l.owner_id ORDER BY l.code
        """

    private static let inviteUses: Statement = """
        WITH used AS MATERIALIZED (SELECT code, user_id, used_at FROM invite_uses)
        SELECT w.code, u.uid, \(time("w.used_at"))
        FROM used w JOIN users u ON u.id = w.user_id ORDER BY w.code, w.user_id
        """

    private static let inviters: Statement = """
        WITH joined AS MATERIALIZED (
            SELECT a.invitee_id, u.uid, a.inviter_id, a.code, a.accepted_at
            FROM acceptances a JOIN users u ON u.id = a.invitee_id)
        SELECT j.uid, i.uid, j.code, \(time("j.accepted_at"))
        FROM joined j JOIN users i ON i.id = j.inviter_id ORDER BY j.invitee_id
        """
}
