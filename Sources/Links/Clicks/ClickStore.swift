import Foundation
import Graph
import Kernel
package import Postgres
import Web

/// Every statement on `clicks` and `click_counts`.
package struct ClickStore: Sendable {
    package var db: Database
    package var policy = ClickPolicy()

    package init(db: Database, policy: ClickPolicy = ClickPolicy()) {
        self.db = db
        self.policy = policy
    }

    /// Writes clicks and counts them, both or neither.
    func add(_ clicks: [Click]) async throws {
        do {
            try await write(clicks)
        } catch let error as PostgresError where error.lacksPartition {
            // There is no partition for today: the database is new, or no server has run for days.
            try await keepDays()
            try await write(clicks)
        }
    }

    private func write(_ clicks: [Click]) async throws {
        let (links, events) = (clicks.map(\.link.text), clicks.map(\.event.rawValue))
        let platforms = clicks.map(\.visitor.platform.rawValue)
        var statements: [Statement] = [
            // Visitors wait for this.
            "SET LOCAL lock_timeout = '500ms'",
            // Rows are written in one order, so that two groups never wait for each other.
            """
            INSERT INTO click_counts (link, day, event, platform, count)
            SELECT t.link, \(Self.today), t.event, t.platform, count(*)
            FROM unnest(\(links), \(events), \(platforms)) AS t (link, event, platform)
            GROUP BY t.link, t.event, t.platform
            ORDER BY t.link, t.event, t.platform
            ON CONFLICT (link, day, event, platform)
                DO UPDATE SET count = click_counts.count + excluded.count
            """,
        ]
        if policy.days > 0 {
            statements.insert(
                """
                INSERT INTO clicks (link, day, at, event, platform, country, trace)
                SELECT t.link, \(Self.today), now(), t.event, t.platform, nullif(t.country, ''),
                       nullif(t.trace, \(UUID.zero))
                FROM unnest(\(links), \(events), \(platforms), \(clicks.map { $0.visitor.country ?? "" }),
                            \(clicks.map { $0.visitor.trace ?? .zero }))
                     AS t (link, event, platform, country, trace)
                """, at: 1)
        }
        try await db.write.with(deadline: .seconds(2)).batch(statements)
    }

    /// Creates the parts of `clicks` for the next days, and drops those that are too old and that nobody
    /// reads.
    package func keepDays() async throws {
        try await db.write.run("SELECT keep_days('clicks', \(Int64(policy.days)))")
    }

    /// Merges the counts of each month that ended long enough ago into one, for some links at a time. Days
    /// whose single clicks are kept stay, since `kith verify` compares them.
    package func keepMonths() async throws {
        let days = max(policy.countDays, policy.days)
        let month = try await db.bulk.first(
            """
            SELECT date_trunc('month', least(\(Self.today) - \(Int64(days))::int, (
                SELECT min(to_date(right(c.relname, 8), 'YYYYMMDD'))
                FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'clicks'::regclass)))::date::text
            """
        ) { try $0.next(as: String.self) }
        while let month {
            let links = try await links(before: month)
            if links.isEmpty { return }
            try await sum(links, before: month)
        }
    }

    /// Deletes the counts of links that are gone, except those of days whose single clicks are kept, since
    /// `kith verify` compares them.
    func forget(_ links: [ClickedLink]) async throws {
        try await db.bulk.run(
            """
            DELETE FROM click_counts
            WHERE link = ANY(\(links.map(\.text))) AND day < \(Self.today) - \(Int64(policy.days))::int
            """)
    }

    private static let isInMonth: Statement = "extract(day FROM day) <> 1"

    /// Returns some links that have counts of days before a month, which must be merged into months.
    private func links(before month: String) async throws -> [String] {
        try await db.bulk.ofPrimary.query(
            """
            SELECT DISTINCT link FROM (
                SELECT link FROM click_counts WHERE day < \(month)::date AND \(Self.isInMonth) ORDER BY day LIMIT 500) AS old
            """
        ) { try $0.next() }
    }

    private func sum(_ links: [String], before month: String) async throws {
        let old: Statement = "link = ANY(\(links)) AND day < \(month)::date AND \(Self.isInMonth)"
        try await db.bulk.batch([
            // Only one server does this at a time. What it has summed, another does not find.
            "SELECT pg_advisory_xact_lock(hashtext('click_counts'))",
            """
            INSERT INTO click_counts (link, day, event, platform, count)
            SELECT link, date_trunc('month', day)::date, event, platform, sum(count)::bigint
            FROM click_counts WHERE \(old)
            GROUP BY link, date_trunc('month', day)::date, event, platform
            ON CONFLICT (link, day, event, platform) DO UPDATE SET count = click_counts.count + excluded.count
            """,
            "DELETE FROM click_counts WHERE \(old)",
        ])
    }

    /// How often something happened to a link on a day.
    struct Count: Sendable {
        var day: String
        var event: Click.Statistic
        var platform: Click.Platform
        var count: Int
    }

    /// Returns the counts of the last days, including today, oldest first. After `KITH_CLICK_COUNT_DAYS` a
    /// month counts on its first day.
    func counts(of link: ClickedLink, days: Int) async throws -> [Count] {
        let statistics = Click.Event.allCases.flatMap { event in event.statistics.map { (event, $0) } }
        return try await db.read.query(
            """
            SELECT day::text, s.statistic, platform, sum(count)::bigint
            FROM click_counts
            JOIN unnest(\(statistics.map(\.0.rawValue)), \(statistics.map(\.1.rawValue))) AS s (event, statistic) USING (event)
            WHERE link = \(link.text) AND day > \(Self.today) - \(Int64(days))::int
            GROUP BY day, s.statistic, platform
            ORDER BY day, s.statistic, platform
            """
        ) { row in
            try Count(
                day: row.next(), event: Click.Statistic(rawValue: row.next()) ?? .click,
                platform: Click.Platform(rawValue: row.next()) ?? .other,
                count: Int(row.next(as: Int64.self)))
        }
    }

    /// Returns the last day of `counts`.
    func lastDay() async throws -> String? {
        try await db.read.first("SELECT \(Self.today)::text") { try $0.next() }
    }

    /// How many users signed up by a user's links on a day, and how many of them are now friends whom the
    /// user sees.
    struct SignUps: Sendable {
        var day: String
        var count: Int
        var friends: Int
    }

    /// - Parameter code: the code of one of the links. Nil for sign-ups by any link.
    func signUps(by inviter: User.ID, code: Invite.Code?, days: Int) async throws -> [SignUps] {
        try await db.read.query(
            """
            SELECT (a.accepted_at AT TIME ZONE 'UTC')::date::text, count(*),
                   count(r.user_id) FILTER (WHERE \(UserStore.isVisible()))
            FROM acceptances a
            JOIN users u ON u.id = a.invitee_id
            LEFT JOIN relationships r ON r.user_id = a.invitee_id AND r.other_id = a.inviter_id
                                      AND r.since IS NOT NULL
            WHERE a.inviter_id = \(inviter) AND (\(code?.text)::text IS NULL OR a.code = \(code?.text))
              AND (a.accepted_at AT TIME ZONE 'UTC')::date > \(Self.today) - \(Int64(days))::int
            GROUP BY 1 ORDER BY 1
            """
        ) { row in
            try SignUps(
                day: row.next(), count: Int(row.next(as: Int64.self)), friends: Int(row.next(as: Int64.self)))
        }
    }

    private static let today: Statement = "(now() AT TIME ZONE 'UTC')::date"
}
