import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Events
@testable import Kernel
@testable import Kith
@testable import Numbers
@testable import Web

/// A year of a made-up world: each measure is what SQL finds in the visits and events themselves.
@Suite(.inTurns) struct YearTests {
    /// 1,500 people, of whom each third one came alone, and 20,000 visits. Whoever has number n came by
    /// n / 3.
    private static let world = """
        CREATE TABLE tests.people AS
            SELECT n, user_id('u-p' || n) AS id, TIMESTAMPTZ '2025-12-01 00:17Z' + n * interval '350 minutes' AS at,
                   CASE WHEN n % 3 <> 0 AND n > 3 THEN n / 3 END AS inviter,
                   CASE WHEN n % 5 = 0 THEN 'c' || n / 3 WHEN n % 5 = 1 THEN 'd' || n / 3 END AS code,
                   CASE WHEN n % 4 = 0 THEN 'https://go.example.com/l' || n % 8 END AS link
            FROM generate_series(1, 1500) n;
        INSERT INTO users (id, uid, username, created_at) SELECT id, 'u-p' || n, 'p' || n, at FROM tests.people;
        INSERT INTO invites (code, owner_id, kind)
            SELECT DISTINCT ON (p.code) p.code, i.id, CASE WHEN p.code LIKE 'c%' THEN 'custom' ELSE 'personal' END
            FROM tests.people p JOIN tests.people i ON i.n = p.inviter WHERE p.code IS NOT NULL;
        INSERT INTO acceptances (invitee_id, inviter_id, code, accepted_at)
            SELECT p.id, i.id, p.code, p.at FROM tests.people p JOIN tests.people i ON i.n = p.inviter;
        INSERT INTO links (code, domain, kind, parameters)
            SELECT 'l' || n, 'https://go.example.com', 'custom', '{"link": "https://example.com/"}' FROM generate_series(0, 39) n;
        INSERT INTO signups (user_id, name_key, username, outcome, result, link) SELECT id, 'p' || n, 'p' || n, 'none', 'none', link FROM tests.people;
        CREATE TABLE tests.told AS
            SELECT 'user.signed_up' AS type, p.id AS user_id, i.id AS other_id, p.at, json_strip_nulls(json_build_object(
                'platform', CASE WHEN p.n % 2 = 0 THEN 'ios' ELSE 'android' END, 'country', CASE p.n % 7 WHEN 0 THEN 'JP' WHEN 1 THEN 'US' END,
                'language', 'ja', 'link', p.link, 'campaign', CASE WHEN p.n % 8 = 0 THEN 'spring' END))::text AS facts
            FROM tests.people p LEFT JOIN tests.people i ON i.n = p.inviter
            UNION ALL SELECT 'friend.created', a, b, p.at + interval '1 hour', NULL
            FROM tests.people p JOIN tests.people i ON i.n = p.inviter, LATERAL (VALUES (p.id, i.id), (i.id, p.id)) AS pair (a, b)
            WHERE p.n % 7 <> 0
            UNION ALL SELECT 'friend.created', a, b, q.at + interval '1 day', NULL
            FROM tests.people p JOIN tests.people q ON q.n = p.n + 2, LATERAL (VALUES (p.id, q.id), (q.id, p.id)) AS pair (a, b)
            UNION ALL SELECT 'friend.ended', a, b, q.at + interval '9 days', NULL
            FROM tests.people p JOIN tests.people q ON q.n = p.n + 2, LATERAL (VALUES (p.id, q.id), (q.id, p.id)) AS pair (a, b)
            WHERE p.n % 11 = 0
            UNION ALL SELECT type, id, NULL, at + interval '2 days', facts
            FROM tests.people, LATERAL (VALUES
                (9, 'user.renamed', NULL), (50, 'user.deleted', NULL), (60, 'user.suspended', NULL), (120, 'user.returned', NULL),
                (6, 'invite.created', '{"kind":"custom"}'), (8, 'friend.requested', NULL),
                (10, 'offer.dealt', '{"campaign":"spring"}'), (30, 'offer.dealt', '{"campaign":"autumn"}'),
                (12, 'purchase.started', '{"environment":"production","productId":"monthly","offer":"spring"}'),
                (13, 'purchase.renewed', '{"environment":"production","productId":"yearly"}'),
                (14, 'purchase.started', '{"environment":"sandbox","productId":"monthly"}'),
                (15, 'reward.earned', '{"program":"autumn"}'), (16, 'reward.flagged', '{"program":"autumn","verdict":"flag"}'),
                (17, 'reward.settled', '{"program":"autumn"}')) AS made (every, type, facts)
            WHERE n % every = 0;
        INSERT INTO outbox (user_id, type, other_id, facts, at) SELECT user_id, type, other_id, facts, at FROM tests.told ORDER BY at;
        CREATE TABLE tests.visits AS
            SELECT k, TIMESTAMPTZ '2025-12-01 00:05Z' + k * interval '26 minutes' AS at,
                   CASE WHEN k % 3 = 0 THEN 'https://go.example.com/l' || k % 40 ELSE (SELECT id::text FROM tests.people WHERE n = 1 + k % 500) END AS link,
                   CASE WHEN k % 3 = 0 THEN (ARRAY['page', 'redirect', 'redirect', 'install', 'reopen'])[1 + k % 5] ELSE (ARRAY['page', 'page', 'tap'])[1 + k % 3] END AS event,
                   (ARRAY['ios', 'android', 'desktop', 'other'])[1 + k % 4] AS platform, (ARRAY['JP', 'US', 'FR', NULL])[1 + (k / 4) % 4] AS country,
                   'source' || k % 9 AS source, md5('visitor' || k % 230)::uuid AS trace
            FROM generate_series(1, 20000) k;
        INSERT INTO clicks (link, at, event, platform, parts, trace)
            SELECT link, at, event, platform, concat_ws(E'\\n', 'country=' || country, 'utm_source=' || source), trace FROM tests.visits ORDER BY k;
        """

    private static let (isLink, isInvite) = ("link LIKE 'https:%'", "link NOT LIKE 'https:%'")
    private static let isOpened = "event IN ('page', 'redirect')"
    /// A pair tells twice.
    private static let isFirst = "user_id < other_id"
    private static let byInvite = """
        FROM tests.told t JOIN tests.people p ON p.id IN (t.user_id, t.other_id)
        JOIN tests.people i ON i.n = p.inviter AND i.id IN (t.user_id, t.other_id) WHERE type = 'friend.created' AND \(isFirst)
        """

    /// Each measure, by what it is divided, and rows of which `count` is taken by day and `value`.
    private static let table: [(query: String, value: String, count: String, rows: String)] = [
        ("links.clicks", "''", "count(*)", "FROM tests.visits WHERE \(isLink) AND \(isOpened)"),
        (
            "links.clicks?by=country", "country", "count(*)",
            "FROM tests.visits WHERE \(isLink) AND \(isOpened)"
        ),
        (
            "links.clicks?by=utm_source", "source", "count(*)",
            "FROM tests.visits WHERE \(isLink) AND \(isOpened)"
        ),
        (
            "links.clicks?link=https://go.example.com/l6", "''", "count(*)",
            "FROM tests.visits WHERE link = 'https://go.example.com/l6' AND \(isOpened)"
        ),
        (
            "links.visitors?domain=https://go.example.com", "''", "count(DISTINCT trace)",
            "FROM tests.visits WHERE \(isLink) AND \(isOpened)"
        ),
        (
            "links.redirects?by=platform", "platform", "count(*)",
            "FROM tests.visits WHERE \(isLink) AND event = 'redirect'"
        ),
        ("links.installs", "''", "count(*)", "FROM tests.visits WHERE \(isLink) AND event = 'install'"),
        ("links.reopens", "''", "count(*)", "FROM tests.visits WHERE \(isLink) AND event = 'reopen'"),
        (
            "invites.pages?by=platform", "platform", "count(*)",
            "FROM tests.visits WHERE \(isInvite) AND \(isOpened)"
        ),
        (
            "invites.visitors", "''", "count(DISTINCT trace)",
            "FROM tests.visits WHERE \(isInvite) AND \(isOpened)"
        ),
        ("invites.taps", "''", "count(*)", "FROM tests.visits WHERE \(isInvite) AND event = 'tap'"),
        (
            "people.sign_ups?by=country", "facts::json ->> 'country'", "count(*)",
            "FROM tests.told WHERE type = 'user.signed_up'"
        ),
        (
            "people.sign_ups?by=cause", "CASE WHEN other_id IS NULL THEN 'alone' ELSE 'invited' END",
            "count(*)",
            "FROM tests.told WHERE type = 'user.signed_up'"
        ),
        ("links.sign_ups", "''", "count(*)", "FROM tests.people WHERE link IS NOT NULL"),
        (
            "links.sign_ups?link=https://go.example.com/l4", "''", "count(*)",
            "FROM tests.people WHERE link LIKE '%/l4'"
        ),
        (
            "invites.sign_ups?by=kind",
            "CASE WHEN code LIKE 'c%' THEN 'custom' WHEN code LIKE 'd%' THEN 'personal' ELSE 'name' END",
            "count(*)",
            "FROM tests.people WHERE inviter IS NOT NULL"
        ),
        (
            "invites.sign_ups?platform=ios", "''", "count(*)",
            "FROM tests.people WHERE inviter IS NOT NULL AND n % 2 = 0"
        ),
        (
            "invites.passed_on", "''", "count(*)",
            """
            FROM (SELECT i.n, min(p.at) AS at FROM tests.people p JOIN tests.people i ON i.n = p.inviter
                  WHERE i.inviter IS NOT NULL GROUP BY i.n) AS t
            """
        ),
        (
            "friendships.made", "''", "count(*)",
            "FROM tests.told WHERE type = 'friend.created' AND \(isFirst)"
        ),
        ("invites.friendships", "''", "count(*)", "FROM (SELECT t.at \(byInvite)) AS t"),
        ("links.friendships", "''", "count(*)", "FROM (SELECT t.at \(byInvite) AND p.link IS NOT NULL) AS t"),
        ("friendships.ended", "''", "count(*)", "FROM tests.told WHERE type = 'friend.ended' AND \(isFirst)"),
        ("people.renames", "''", "count(*)", "FROM tests.told WHERE type = 'user.renamed'"),
        ("people.deletions", "''", "count(*)", "FROM tests.told WHERE type = 'user.deleted'"),
        ("people.suspensions", "''", "count(*)", "FROM tests.told WHERE type = 'user.suspended'"),
        ("people.returns", "''", "count(*)", "FROM tests.told WHERE type = 'user.returned'"),
        ("invites.made?by=kind", "'custom'", "count(*)", "FROM tests.told WHERE type = 'invite.created'"),
        ("friendships.requested", "''", "count(*)", "FROM tests.told WHERE type = 'friend.requested'"),
        (
            "offers.dealt?by=item", "facts::json ->> 'campaign'", "count(*)",
            "FROM tests.told WHERE type = 'offer.dealt'"
        ),
        ("offers.redeemed?by=item", "'spring'", "count(*)", "FROM tests.told WHERE facts LIKE '%\"offer\"%'"),
        (
            "purchases.started", "''", "count(*)",
            "FROM tests.told WHERE type = 'purchase.started' AND facts LIKE '%production%'"
        ),
        (
            "purchases.renewed?by=item", "'yearly'", "count(*)",
            "FROM tests.told WHERE type = 'purchase.renewed'"
        ),
        ("rewards.earned?by=item", "'autumn'", "count(*)", "FROM tests.told WHERE type = 'reward.earned'"),
        ("rewards.flagged?by=cause", "'flag'", "count(*)", "FROM tests.told WHERE type = 'reward.flagged'"),
        ("rewards.settled", "''", "count(*)", "FROM tests.told WHERE type = 'reward.settled'"),
        (
            "cohorts.joined_30", "''", "count(*)",
            """
            FROM (SELECT i.at FROM tests.people p JOIN tests.people i ON i.n = p.inviter
                  WHERE p.at - i.at < interval '30 days') AS t
            """
        ),
        (
            "cohorts.opened_7", "''", "count(*)",
            """
            FROM (SELECT p.at FROM tests.visits v JOIN tests.people p ON p.id::text = v.link
                  WHERE \(isOpened) AND v.at - p.at < interval '7 days') AS t
            """
        ),
    ]

    /// Runs a test in the world, once all of it is counted.
    private func run(_ test: @Sendable (TestApp) async throws -> Void) async throws {
        let zone = try #require(TimeZone(identifier: "Asia/Tokyo"))
        try await TestApp.run(configure: { ($0.counts.zone, $0.counts.days) = (zone, 3650) }) { app in
            try await app.db.withConnection { try await $0.script(Self.world) }
            while try await app.count("outbox") > 0 { try await EventStore(db: app.db).number() }
            // Two servers count at once.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { try await app.app.counting.countAll() } }
                try await group.waitForAll()
            }
            try await app.app.counting.countAll()
            try await test(app)
        }
    }

    @Test func `each measure of a year is what SQL counts, of each day and value`() async throws {
        try await run { app in
            let key = try await app.keyed(.viewer)
            for row in Self.table {
                #expect(try await Self.told(app, row.query, key) == Self.counted(app, row), "\(row.query)")
            }
        }
    }

    @Test(arguments: [
        ("2026-01-05", "2026-01-08"), ("2026-01-05", "2026-02-20"), ("2025-12-01", "2026-11-30"),
        ("2024-01-01", "2024-12-31"),
    ])
    func `who brought most in some days is whom SQL finds in the acceptances`(from: String, to: String)
        async throws
    {
        try await run { app in
            let span = try DaySpan(Query("from=\(from)&to=\(to)"), now: .now, most: 3660)
            var store = InvitersStore(db: app.db)
            // With parts of one user too many have to be looked at.
            for part in [500, 100, 1] {
                store.firstPart = part
                for limit in [1, 20, 100] {
                    let most = try await store.most(span, limit: limit)
                    let found = try await app.db.read.query(
                        """
                        SELECT inviter_id, count(*) FROM acceptances
                        WHERE (accepted_at AT TIME ZONE 'Asia/Tokyo')::date BETWEEN \(from)::date AND \(to)::date
                        GROUP BY inviter_id ORDER BY 2 DESC, 1 DESC LIMIT \(limit)
                        """
                    ) { try "\($0.next(as: UUID.self)) \($0.next(as: Int64.self))" }
                    #expect(most.map { "\($0.user) \($0.joined)" } == found, "\(part) \(limit)")
                }
            }
        }
    }

    /// What the API tells, without zeros: `2026-01-02 JP` and the count.
    private static func told(_ app: TestApp, _ query: String, _ key: HTTPFields) async throws -> [String: Int]
    {
        let mark = query.contains("?") ? "&" : "?"
        let answer = try await app.get(
            "/v1/admin/numbers/\(query)\(mark)from=2025-11-01&to=2026-12-31&limit=46", headers: key)
        try #require(answer.status == 200, "\(answer.text)")
        let times = try #require(answer.json["times"] as? [String])
        var series = answer.json["series"] as? [[String: Any]] ?? []
        if series.isEmpty { series = [["counts": answer.json["counts"] ?? []]] }
        if let unknown = answer.json["unknown"] as? [String: Any] { series.append(unknown) }
        if let others = answer.json["others"] as? [String: Any] { #expect(others["total"] as? Int == 0) }
        var told: [String: Int] = [:]
        for one in series {
            for (time, count) in zip(times, try #require(one["counts"] as? [Int])) where count != 0 {
                told["\(time) \(one["value"] as? String ?? "")"] = count
            }
        }
        return told
    }

    private static func counted(
        _ app: TestApp, _ row: (query: String, value: String, count: String, rows: String)
    ) async throws -> [String: Int] {
        let found = try await app.db.read.query(
            Statement(
                text: """
                    SELECT (at AT TIME ZONE 'Asia/Tokyo')::date::text || ' ' || coalesce(\(row.value), ''), (\(row.count))::int8
                    \(row.rows) GROUP BY (at AT TIME ZONE 'Asia/Tokyo')::date, coalesce(\(row.value), '')
                    """)
        ) { try ($0.next(as: String.self), Int($0.next(as: Int64.self))) }
        #expect(found.count > 5, "\(row.query)")
        return Dictionary(uniqueKeysWithValues: found)
    }
}
