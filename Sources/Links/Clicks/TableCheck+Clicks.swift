import Kernel
import Postgres

/// The checks of click counts.
extension TableCheck {
    /// Checks the days for which single clicks of the link are kept. For other days only counts are left. A
    /// link without any counts belongs to a deleted account.
    ///
    /// Both tables are grouped in one query without a join, so that on Citus each shard answers it alone, as
    /// of one moment.
    static let clickCounts = TableCheck(
        table: "click_counts", home: .text("link"), sliceRows: 200_000,
        invariants: [
            Invariant("clicks_uncounted", "clicks of a day are more than their count", .repair),
            Invariant(
                "counted_beyond_clicks", "the count of a day is higher than the clicks that are kept of it",
                .person("find out who deleted clicks, unless KITH_CLICK_DAYS was 0 for a part of the day")),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT link AS home, concat_ws(' ', link, day, event, platform) AS key,
                       sum(kept) > sum(counted) AND sum(sum(counted)) OVER (PARTITION BY link) > 0 AS clicks_uncounted,
                       sum(counted) > sum(kept) AND sum(sum(kept)) OVER (PARTITION BY link, day) > 0
                           AS counted_beyond_clicks
                FROM (SELECT n.link, n.day, n.event, n.platform, n.count AS counted, 0 AS kept
                      FROM click_counts n WHERE \(within("n.link"))
                      UNION ALL
                      SELECT c.link, c.day, c.event, c.platform, 0 AS counted, 1 AS kept
                      FROM clicks c WHERE \(within("c.link"))) AS both_tables
                GROUP BY link, day, event, platform)
            SELECT * FROM mine
            """
        },
        repairs: { links in
            [
                // A transaction that is counting goes first.
                "UPDATE click_counts SET count = count WHERE link = ANY(\(links)::text[])",
                // These are clicks that came during the deletion of an account.
                "DELETE FROM click_counts WHERE link = ANY(\(links)::text[]) AND link IN (\(deleted(among: links)))",
                """
                INSERT INTO click_counts (link, day, event, platform, count)
                SELECT c.link, c.day, c.event, c.platform, count(*)
                FROM clicks c WHERE c.link = ANY(\(links)::text[]) AND c.link NOT IN (\(deleted(among: links)))
                GROUP BY c.link, c.day, c.event, c.platform
                ON CONFLICT (link, day, event, platform) DO UPDATE SET count = excluded.count
                    WHERE click_counts.count < excluded.count
                """,
            ]
        })

    /// Returns a query for the invites of users who deleted their account.
    private static func deleted(among links: [String]) -> Statement {
        """
        SELECT id::text FROM users
        WHERE status = 'deleted' AND id IN (
            SELECT given::uuid FROM unnest(\(links)::text[]) AS given WHERE given ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$')
        """
    }
}
