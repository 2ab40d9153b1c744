import Foundation
import Graph
import Kernel
package import Postgres
import Web

/// Reads who brought people.
package struct InvitersStore: Sendable {
    let db: Database
    /// How many of those who ever brought most are looked at first. Each further part has twice as many.
    var firstPart = 500

    package init(db: Database) {
        self.db = db
    }

    /// The most sign-ups of a short time that are looked at, newest first; how far up from these their
    /// inviters are followed who came shortly before; and of how many it is asked whether they brought others
    /// long ago.
    static let (mostJoinings, mostLevels, mostAsked) = (20_000, 100, 100)

    /// Of how many days all sums are read at once.
    private static let fewDays = 7
    private static let mostParts = 5

    /// Returns the users who brought most in a span of days, of equal ones those whose ids are higher first.
    func most(_ span: DaySpan, limit: Int) async throws -> [(user: UUID, joined: Int)] {
        var most: [InviterRanking.Inviter]?
        if span.days.count > Self.fewDays { most = try await mostAmongBest(span, limit: limit) }
        if most == nil { most = try await mostAmongAll(span, limit: limit) }
        return most?.compactMap { inviter in UUID(uuidString: inviter.id).map { ($0, Int(inviter.joined)) } }
            ?? []
    }

    /// Reads who brought most in a span from those who ever brought most. Nil if too many of these must be
    /// looked at, as if about equally many people joined by everybody.
    private func mostAmongBest(_ span: DaySpan, limit: Int) async throws -> [InviterRanking.Inviter]? {
        var ranking = InviterRanking(limit: limit)
        for part in 0..<Self.mostParts where !ranking.isComplete {
            let size = firstPart << part
            let behind: Statement =
                ranking.last.map { "(count, subject) < (\($0.joined), \($0.id))" } ?? "true"
            let best = try await inviters(
                """
                SELECT subject, count FROM counts
                WHERE day = 'infinity' AND \(Self.counted) AND \(behind)
                ORDER BY count DESC, subject DESC LIMIT \(size)
                """)
            let sums = try await inviters(
                """
                SELECT subject, sum(count)::int8 FROM counts
                -- A literal would let the planner read what all brought on these days.
                WHERE subject = ANY(\(best.map(\.id))) AND measure = \(Self.measure) AND \(Self.isWithin(span))
                GROUP BY subject
                """)
            ranking.add(sums, of: best, isLastPart: best.count < size)
        }
        return ranking.isComplete ? ranking.most : nil
    }

    private func mostAmongAll(_ span: DaySpan, limit: Int) async throws -> [InviterRanking.Inviter] {
        try await inviters(
            """
            SELECT subject, sum(count)::int8 FROM counts
            WHERE \(Self.counted) AND \(Self.isWithin(span)) AND subject <> ''
            GROUP BY subject ORDER BY 2 DESC, subject DESC LIMIT \(limit)
            """)
    }

    private func inviters(_ query: Statement) async throws -> [InviterRanking.Inviter] {
        try await self.query(query) { try .init(id: $0.next(), joined: $0.next()) }
    }

    private func query<Found>(
        _ statement: Statement, _ read: (inout Row) throws -> Found
    ) async throws -> [Found] {
        try await db.question { try await $0.query(statement, read) }
    }

    private static let measure = "invites.sign_ups"
    private static let counted: Statement = "measure = 'invites.sign_ups'"

    private static func isWithin(_ span: DaySpan) -> Statement {
        "day BETWEEN \(span.first)::date AND \(span.last)::date"
    }

    /// Returns who began what grew in the last minutes, those below whom most joined first. Newcomers are
    /// those who joined in these minutes or on the day before.
    func growing(minutes: Int, limit: Int) async throws -> [InvitersResponse.Inviter] {
        let joinings = try await query(
            """
            SELECT invitee_id, inviter_id FROM acceptances
            WHERE accepted_at > now() - \(Double(minutes)) * interval '1 minute'
            ORDER BY accepted_at DESC LIMIT \(Self.mostJoinings)
            """
        ) { try (invitee: $0.next(as: UUID.self), inviter: $0.next(as: UUID.self)) }
        let start: Statement = "now() - \(Double(minutes)) * interval '1 minute' - interval '1 day'"
        var branches = Branches(joinings)
        let end = ContinuousClock.now + Database.patience
        for _ in 0..<Self.mostLevels where !branches.open.isEmpty {
            guard .now < end else { throw Problem.tooSlow }
            let newcomers = try await query(
                """
                WITH known AS MATERIALIZED (
                    SELECT invitee_id, inviter_id, accepted_at FROM acceptances
                    WHERE invitee_id = ANY(\(Array(branches.open))))
                SELECT invitee_id, inviter_id FROM known WHERE accepted_at > \(start)
                """
            ) { try ($0.next(as: UUID.self), $0.next(as: UUID.self)) }
            branches.climb(Dictionary(uniqueKeysWithValues: newcomers))
        }
        let roots = branches.roots()
        let asked = roots.lazy.filter { !$0.apart.isEmpty }.map(\.user).prefix(Self.mostAsked)
        let bystanders = try await inviters(before: start, among: Array(asked))
        let users = roots.flatMap { $0.told(isBystander: bystanders.contains($0.user)) }
            .sorted { ($1.joined, $0.user.uuidString) < ($0.joined, $1.user.uuidString) }
        return try await shown(Array(users.prefix(limit)), direct: branches.direct)
    }

    /// Returns which of some users brought others before a time. Each reads one row of an index, however many
    /// they brought.
    private func inviters(before time: Statement, among users: [UUID]) async throws -> Set<UUID> {
        guard !users.isEmpty else { return [] }
        let statements = users.map { user -> Statement in
            """
            SELECT inviter_id FROM acceptances WHERE inviter_id = \(user) AND accepted_at <= \(time)
            ORDER BY accepted_at DESC LIMIT 1
            """
        }
        let rows = try await db.question { try await $0.together(statements) }
        return Set(try rows.compactMap { try $0.first { try $0.next(as: UUID.self) } })
    }

    /// Returns users as operators see them, in the order that is given.
    func shown(
        _ users: [(user: UUID, joined: Int)], direct: [UUID: Int]? = nil
    ) async throws -> [InvitersResponse.Inviter] {
        guard !users.isEmpty else { return [] }
        let ids = users.map(\.user)
        async let rewards = rewards(of: ids)
        let found = try await query(
            """
            SELECT id, uid, CASE WHEN status <> 'deleted' THEN username END, status, frozen_at, frozen_reason
            FROM users WHERE id = ANY(\(ids))
            """
        ) { row in
            let (id, uid) = try (row.next(as: UUID.self), row.next(as: String.self))
            let (name, status) = try (row.next(as: String?.self), row.next(as: String.self))
            let (frozenAt, reason) = try (row.next(as: Date?.self), row.next(as: String?.self))
            let freeze = frozenAt.flatMap { at in reason.map { InviteTree.Freeze(at: at, reason: $0) } }
            return (id, (uid: uid, name: name, status: status, frozen: freeze))
        }
        let (known, earned) = try await (Dictionary(uniqueKeysWithValues: found), rewards)
        return users.compactMap { id, joined in
            known[id].map { user in
                .init(
                    uid: user.uid, username: user.name, status: user.status, frozen: user.frozen,
                    signUps: joined, direct: direct.map { $0[id] ?? 0 }, rewards: earned[id] ?? .init())
            }
        }
    }

    private func rewards(of users: [UUID]) async throws -> [UUID: InvitersResponse.Rewards] {
        let rows = try await query(
            """
            SELECT user_id, state, count(*) FROM rewards WHERE user_id = ANY(\(users)) AND side = 'inviter'
            GROUP BY user_id, state
            """
        ) { row in
            try (
                user: row.next(as: UUID.self), state: row.next(as: String.self),
                count: Int(row.next(as: Int64.self))
            )
        }
        return rows.reduce(into: [:]) { rewards, row in
            switch row.state {
            case "approved", "assigned", "settled", "expired":
                rewards[row.user, default: .init()].given += row.count
            case "pending": rewards[row.user, default: .init()].waiting += row.count
            case "flagged": rewards[row.user, default: .init()].flagged += row.count
            default: rewards[row.user, default: .init()].rejected += row.count
            }
        }
    }
}
