import Kernel
import Postgres

/// The check of short links.
extension TableCheck {
    static let links = TableCheck(
        table: "links", home: .text("code"),
        invariants: [
            Invariant(
                "link_clicks_differ", "a link was not opened as often as its numbers say", .repair)
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT code AS home, domain, clicks FROM links WHERE \(within("code")) AND kind <> 'deleted'),
            counted AS MATERIALIZED (\(counted(of: "home")))
            SELECT m.home, m.domain || '/' || m.home AS key, m.clicks <> coalesce(c.clicks, 0) AS link_clicks_differ
            FROM mine m LEFT JOIN counted c ON c.code = m.home AND c.domain = m.domain
            """
        },
        repairs: { codes in
            [
                // It locks the rows, so that others count afterwards. Citus takes no FOR UPDATE.
                "UPDATE links SET clicks = clicks WHERE code = ANY(\(codes))",
                """
                WITH mine AS MATERIALIZED (
                    SELECT code, domain FROM links WHERE code = ANY(\(codes)) AND kind <> 'deleted'),
                counted AS MATERIALIZED (\(counted(of: "code"))),
                sound AS MATERIALIZED (
                    SELECT m.code, m.domain, coalesce(c.clicks, 0) AS clicks
                    FROM mine m LEFT JOIN counted c ON c.code = m.code AND c.domain = m.domain)
                UPDATE links l SET clicks = s.clicks FROM sound s
                WHERE l.code = ANY(\(codes)) AND l.code = s.code AND l.domain = s.domain
                """,
            ]
        })

    /// Returns a query for how often the links in `mine` were opened by their numbers.
    /// - Parameter code: the column of `mine` that has the code.
    private static func counted(of code: Statement) -> Statement {
        """
        SELECT mine.\(code) AS code, mine.domain, sum(c.count)::bigint AS clicks FROM counts c
        JOIN mine ON \(found("c.subject", "mine.domain || '/' || mine.\(code)"))
        WHERE c.measure IN ('links.page', 'links.redirect')
        GROUP BY mine.\(code), mine.domain
        """
    }
}
