package import Counts
import Foundation
package import Graph
package import Kernel
package import Postgres
import Web

/// Every statement on `clicks`, and what is asked of their sums, which `CountStore` writes.
package struct ClickStore: Sendable {
    package var db: Database
    /// How days are counted.
    package var policy: CountPolicy

    package init(db: Database, policy: CountPolicy) {
        self.db = db
        self.policy = policy
    }

    /// Writes clicks, which wait for being counted. A row waits for no other, so visitors do not either.
    func add(_ clicks: [Click]) async throws {
        try await db.write.with(deadline: .seconds(2)).run(
            """
            INSERT INTO clicks (link, event, platform, parts, trace)
            SELECT t.link, t.event, t.platform, nullif(t.parts, ''), nullif(t.trace, \(UUID.zero))
            FROM unnest(\(clicks.map(\.link.text)), \(clicks.map(\.event.rawValue)),
                        \(clicks.map(\.visitor.platform.rawValue)), \(clicks.map(\.visitor.parts)),
                        \(clicks.map { $0.visitor.trace ?? .zero })) AS t (link, event, platform, parts, trace)
            """)
    }

    /// Deletes the counts of links that are gone.
    package func forget(_ links: [ClickedLink]) async throws {
        guard !links.isEmpty else { return }
        try await db.bulk.batch(Self.forget("\(links.map(\.text))"))
    }

    /// - Parameter links: an array of links.
    package static func forget(_ links: Statement) -> [Statement] {
        [
            // First, so that who counts them meanwhile has to begin anew.
            "DELETE FROM clicks WHERE link = ANY(\(links))", CountStore.forget(subjects: links),
        ]
    }

    /// How often something happened to a link on a day.
    package struct Count: Sendable {
        package var day: String
        package var event: Click.Statistic
        package var platform: Click.Platform
        package var count: Int
    }

    /// Returns the counts of the last days, including today, oldest first. After `KITH_COUNT_DAYS` a month
    /// counts on its first day.
    package func counts(of link: ClickedLink, days: Int) async throws -> [Count] {
        Self.counts(in: try await sums(of: link, days: days))
    }

    /// Returns the same of a deep link, and who signed up by it. A friendship counts on its own day.
    package func countsAndSignUps(
        of link: ClickedLink, days: Int
    ) async throws -> (counts: [Count], signUps: [SignUps]) {
        let measures = ["links.sign_ups", "links.friendships"]
        let sums = try await sums(of: link, and: measures, days: days)
        func count(_ place: Int, _ day: String) -> Int {
            Int(sums[Tally.Key(link.text, measures[place], on: day)]?.count ?? 0)
        }
        let ends = Set(sums.keys.filter { measures.contains($0.measure) }.map(\.day)).sorted()
        return (
            Self.counts(in: sums), ends.map { SignUps(day: $0, count: count(0, $0), friends: count(1, $0)) }
        )
    }

    private func sums(
        of link: ClickedLink, and more: [String] = [], days: Int
    ) async throws -> [Tally.Key: DaySum] {
        try await CountStore(db: db).sums(
            of: link.text, Click.Event.allCases.map(link.measure(of:)) + more, days: days, policy,
            // What waits for being counted is read at the same moment.
            and: """
                SELECT \(link.family) || '.' || event, \(policy.day(of: "at"))::text, count(*),
                       json_build_object('platform', json_build_object(platform, count(*)))::text, NULL::bytea
                FROM clicks WHERE link = \(link.text) GROUP BY event, platform, 2
                """)
    }

    private static func counts(in sums: [Tally.Key: DaySum]) -> [Count] {
        var counts: [Place: Int] = [:]
        for (key, sum) in sums {
            let name = key.measure.split(separator: ".").last ?? ""
            for (platform, count) in sum.parts.values[.platform] ?? [:] {
                for event in Click.Event(rawValue: String(name))?.statistics ?? [] {
                    let place = Place(key.day, event, Click.Platform(rawValue: platform) ?? .other)
                    counts[place, default: 0] += Int(count)
                }
            }
        }
        return counts.sorted { $0.key < $1.key }.map {
            Count(day: $0.key.day, event: $0.key.event, platform: $0.key.platform, count: $0.value)
        }
    }

    private struct Place: Hashable, Comparable {
        let (day, event, platform): (String, Click.Statistic, Click.Platform)

        init(_ day: String, _ event: Click.Statistic, _ platform: Click.Platform) {
            (self.day, self.event, self.platform) = (day, event, platform)
        }

        static func < (one: Self, other: Self) -> Bool {
            (one.day, one.event.rawValue, one.platform.rawValue) < (
                other.day, other.event.rawValue, other.platform.rawValue
            )
        }
    }

    /// Returns the last day of `counts`.
    package func lastDay() async throws -> String? {
        try await db.read.first("SELECT \(policy.today)::text") { try $0.next() }
    }

    /// How many users signed up by links on a day; of a user's invites, how many of them are now friends whom
    /// the user sees, and of a deep link, how many friendships came of its sign-ups.
    package struct SignUps: Sendable {
        package var day: String
        package var count: Int
        package var friends: Int
    }

    /// - Parameter code: the code of one of the links. Nil for sign-ups by any link.
    package func signUps(by inviter: User.ID, code: Invite.Code?, days: Int) async throws -> [SignUps] {
        try await db.read.query(
            """
            SELECT \(policy.day(of: "a.accepted_at"))::text, count(*),
                   count(r.user_id) FILTER (WHERE \(UserStore.isVisible()))
            FROM acceptances a
            JOIN users u ON u.id = a.invitee_id
            LEFT JOIN relationships r ON r.user_id = a.invitee_id AND r.other_id = a.inviter_id
                                      AND r.since IS NOT NULL
            WHERE a.inviter_id = \(inviter) AND (\(code?.text)::text IS NULL OR a.code = \(code?.text))
              AND \(policy.day(of: "a.accepted_at")) > \(policy.today) - \(Int64(days))::int
            GROUP BY 1 ORDER BY 1
            """
        ) { row in
            try SignUps(
                day: row.next(), count: Int(row.next(as: Int64.self)), friends: Int(row.next(as: Int64.self)))
        }
    }
}
