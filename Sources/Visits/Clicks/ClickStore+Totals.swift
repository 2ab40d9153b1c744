import Counts
import Postgres

/// How often links of a list were used.
extension ClickStore {
    package struct Totals: Equatable, Sendable {
        package var clicks = 0
        /// The clicks of the last 30 days, including today.
        package var recentClicks = 0
        package var installs = 0
        /// Who signed up by the link, and the friendships that came of that.
        package var (signUps, friendships) = (0, 0)

        package init() {}
    }

    /// Returns the totals of links, as their statistics tell them. A link with no visits has none.
    package func totals(of links: [ClickedLink]) async throws -> [ClickedLink: Totals] {
        guard !links.isEmpty else { return [:] }
        let subjects = links.map(\.text)
        let isClick: Statement = "measure IN ('links.page', 'links.redirect')"
        let rows = try await db.read.query(
            """
            SELECT subject, coalesce(sum(count) FILTER (WHERE \(isClick)), 0)::bigint,
                   coalesce(sum(count) FILTER (WHERE \(isClick) AND day > \(policy.today) - 30), 0)::bigint,
                   coalesce(sum(count) FILTER (WHERE measure = 'links.install'), 0)::bigint,
                   coalesce(sum(count) FILTER (WHERE measure = 'links.sign_ups'), 0)::bigint,
                   coalesce(sum(count) FILTER (WHERE measure = 'links.friendships'), 0)::bigint
            FROM (
                SELECT subject, measure, day, count FROM counts
                WHERE subject = ANY(\(subjects))
                  AND measure IN ('links.page', 'links.redirect', 'links.install', 'links.sign_ups', 'links.friendships')
                UNION ALL
                -- What waits for being counted is read at the same moment.
                SELECT link, 'links.' || event, \(policy.day(of: "at")), 1 FROM clicks
                WHERE link = ANY(\(subjects)) AND event IN ('page', 'redirect', 'install')
            ) AS used (subject, measure, day, count)
            GROUP BY subject
            """
        ) { row in
            let link = try ClickedLink(text: row.next())
            var totals = Totals()
            totals.clicks = try row.next()
            totals.recentClicks = try row.next()
            totals.installs = try row.next()
            totals.signUps = try row.next()
            totals.friendships = try row.next()
            return (link, totals)
        }
        return Dictionary(rows) { first, _ in first }
    }
}
