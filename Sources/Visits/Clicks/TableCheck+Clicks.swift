import Counts
import Kernel
import Postgres

/// The checks of what was counted of links.
extension TableCheck {
    /// Visits may still come while an account is deleted.
    static let clickCounts = TableCheck(
        table: "counts", home: .text("subject"), sliceRows: 200_000,
        invariants: [
            Invariant("counts_of_deleted", "numbers are kept of the invites of a deleted account", .repair)
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT DISTINCT subject AS home, subject AS key FROM counts WHERE \(within("subject")))
            SELECT home, key, home IN (\(deleted(among: "SELECT home FROM mine"))) AS counts_of_deleted FROM mine
            """
        },
        repairs: { subjects in
            [CountStore.forget(subjects: "ARRAY(\(deleted(among: "SELECT unnest(\(subjects)::text[])")))")]
        })

    /// Returns a query for the invites of users who deleted their account: all of a user's, and each code.
    private static func deleted(among subjects: Statement) -> Statement {
        """
        WITH owned AS MATERIALIZED (
            SELECT i.code, i.owner_id FROM (\(subjects)) AS s (given) JOIN invites i ON \(found("i.code", "s.given")))
        SELECT id::text FROM users
        WHERE status = 'deleted' AND id IN (
            SELECT given::uuid FROM (\(subjects)) AS s (given) WHERE given ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$')
        UNION ALL
        SELECT owned.code FROM owned JOIN users u ON \(found("u.id", "owned.owner_id")) WHERE u.status = 'deleted'
        """
    }
}
