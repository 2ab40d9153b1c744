import Foundation
import Kernel
import Postgres

/// The statements of deliveries on `webhooks` and `webhook_deliveries`.
package struct DeliveryStore: Sendable {
    var db: Database

    private var writes: Lane { db.write.with(deadline: .seconds(5)) }
    private var reads: Lane { db.read.ofPrimary }

    /// Takes an endpoint to which no server delivers. Nil if there is none, or all of them are locked or
    /// taken.
    /// - Parameters:
    ///   - types: the types that this server knows. An endpoint with others is for newer servers.
    ///   - except: the endpoints that must not be taken.
    func take(
        _ holder: UUID, for seconds: TimeInterval, knowing types: [String], except: [UUID]
    ) async throws -> HeldWebhook? {
        let free = try await reads.query(
            "SELECT id FROM webhooks WHERE \(Self.isFree) AND types <@ \(types) AND NOT id = ANY(\(except))"
        ) { try $0.next(as: UUID.self) }
        // They are tried in no order, so that servers that ask together try different ones, and one after the
        // other, so that a locked one keeps nobody from the others: Citus has no SKIP LOCKED.
        for id in free.shuffled() {
            if let held = try await take(id, holder, for: seconds) { return held }
        }
        return nil
    }

    /// Takes one endpoint. Nil if it is locked for long, or taken.
    private func take(_ id: UUID, _ holder: UUID, for seconds: TimeInterval) async throws -> HeldWebhook? {
        let results: [Rows]
        do {
            results = try await writes.batch([
                "SET LOCAL lock_timeout = '200ms'",
                """
                UPDATE webhooks SET holder = \(holder), held_until = now() + make_interval(secs => \(seconds))
                WHERE id = \(id) AND \(Self.isFree)
                RETURNING id, url, types, \(SealedSecrets.columns), revision, position, failures, failing_since,
                          probe_at, missed
                """,
            ])
        } catch let error as PostgresError where error.sqlState == "55P03" {
            return nil
        }
        return try results[1].first { row in
            try HeldWebhook(
                id: row.next(), url: row.next(), types: Set(row.next(as: [String].self)),
                secrets: SealedSecrets(row: &row), revision: row.next(), position: row.next(),
                failures: row.next(), failingSince: row.next(), probeAt: row.next(), missed: row.next(),
                holder: holder)
        }
    }

    private static let isFree: Statement = "paused_at IS NULL AND (holder IS NULL OR held_until < now())"

    /// Whether there is any free endpoint.
    func hasFree() async throws -> Bool {
        try await reads.first("SELECT EXISTS (SELECT FROM webhooks WHERE \(Self.isFree))") { try $0.next() }
            ?? false
    }

    /// Releases the endpoint, so that another server may deliver at once.
    func release(_ held: HeldWebhook, error: (text: String, at: Date)? = nil) async throws {
        let told: Statement = error.map { ", last_error = \($0.text), last_error_at = \($0.at)" } ?? ""
        try await writes.run(
            "UPDATE webhooks SET holder = NULL, held_until = NULL\(told) WHERE id = \(held.id) AND holder = ANY(\(held.holders))"
        )
    }

    /// Writes all progress or, if the lease is lost, nothing: then it throws `leaseLost`. Writing the same
    /// again is harmless.
    /// - Parameter crowd: which lines are too long. Nil if any length is allowed.
    /// - Returns: what waits then. Nil if that did not change.
    func save(
        _ progress: DeliveryProgress, of held: HeldWebhook, for seconds: TimeInterval, crowd: Crowd?
    ) async throws -> WaitingEvents? {
        var statements: [Statement] = [
            Self.row(progress, held, seconds),
            // By now the row is locked if it was found.
            """
            SELECT require(EXISTS (SELECT FROM webhooks WHERE id = \(held.id) AND holder = \(held.nextHolder)
                                   AND revision = \(held.revision)), \(WebhookError.leaseLost))
            """,
        ]
        statements += Self.parking(Array(progress.parked.values), held.id)
        if !progress.settled.isEmpty {
            statements.append(
                "DELETE FROM webhook_deliveries WHERE webhook_id = \(held.id) AND event_id = ANY(\(progress.settled))"
            )
        }
        let users = progress.touched.map(\.uuid)
        if !users.isEmpty {
            statements += [
                Self.shortening(users, held.id, crowd), Self.waking(held.id, users), Self.counting(held.id),
            ]
        }
        let results = try await writes.batch(statements, throwing: WebhookError.self)
        guard !users.isEmpty else { return nil }
        return WaitingEvents(
            counts: try Self.counts(results[results.count - 1]),
            crowdedOut: Int(try results[results.count - 3].first { try $0.next(as: Int64.self) } ?? 0))
    }

    /// Returns what waits, at the beginning. The first event of each user gets a time if it has none.
    func begin(_ held: HeldWebhook) async throws -> WaitingEvents {
        let results = try await writes.batch([
            Self.waking(held.id), Self.counting(held.id),
            "SELECT event_id FROM webhook_deliveries WHERE webhook_id = \(held.id) AND event_id > \(held.position)",
        ])
        return WaitingEvents(
            counts: try Self.counts(results[1]),
            ahead: Set(try results[2].map { try $0.next(as: Int64.self) }))
    }

    private static func row(_ progress: DeliveryProgress, _ held: HeldWebhook, _ seconds: TimeInterval)
        -> Statement
    {
        let error: Statement =
            progress.lastError.map { ", last_error = \($0.text), last_error_at = \($0.at)" } ?? ""
        let missed: Statement = progress.missedUntil.map { ", missed_until = \($0)" } ?? ""
        return """
            UPDATE webhooks
            SET position = \(progress.position), failures = \(progress.failures), failing_since = \(progress.failingSince),
                probe_at = \(progress.probeAt), paused_at = \(progress.pausedAt), missed = \(progress.missed),
                holder = \(held.nextHolder), held_until = now() + make_interval(secs => \(seconds))\(error)\(missed)
            WHERE id = \(held.id) AND holder = ANY(\(held.holders)) AND revision = \(held.revision)
            """
    }

    /// Returns statements that write parked events. One that waits behind another may already be stored, with
    /// more than is known about it here.
    private static func parking(_ parked: [ParkedEvent], _ id: UUID) -> [Statement] {
        let keep: Statement = "DO NOTHING"
        let replace: Statement = """
            DO UPDATE
            SET attempts = excluded.attempts, due_at = excluded.due_at, first_failed_at = excluded.first_failed_at,
                last_error = excluded.last_error, dead_at = excluded.dead_at
            """
        return [(parked.filter(\.isUntried), keep), (parked.filter { !$0.isUntried }, replace)].filter {
            !$0.0.isEmpty
        }.map { inserting($0.0.sorted { $0.id < $1.id }, id, ifThere: $0.1) }
    }

    private static func inserting(_ parked: [ParkedEvent], _ id: UUID, ifThere: Statement) -> Statement {
        // Arrays cannot have NULL, so the first instant stands for none.
        func time(_ date: Date?) -> Date { date ?? Date(timeIntervalSince1970: 0) }
        return """
            INSERT INTO webhook_deliveries (webhook_id, event_id, user_id, attempts, due_at, first_failed_at, last_error, dead_at)
            SELECT \(id), event_id, user_id, attempts, nullif(due_at, 'epoch'), nullif(first_failed_at, 'epoch'),
                   nullif(last_error, ''), nullif(dead_at, 'epoch')
            FROM unnest(\(parked.map(\.id)), \(parked.map(\.user.uuid)), \(parked.map { Int64($0.attempts) }),
                        \(parked.map { time($0.dueAt) }), \(parked.map { time($0.firstFailedAt) }),
                        \(parked.map { $0.lastError ?? "" }), \(parked.map { time($0.deadAt) }))
                 AS new (event_id, user_id, attempts, due_at, first_failed_at, last_error, dead_at)
            ON CONFLICT (webhook_id, event_id) \(ifThere)
            """
    }

    /// A limit for when too many events of a user wait. Then the oldest ones become dead letters.
    struct Crowd: Sendable {
        /// How many may wait.
        var most: Int
        /// How often the first one must have been tried.
        var tries: Int
        /// The users who have some under way.
        var except: Set<User.ID>
    }

    /// Shortens lines that are too long. Returns how many events became dead letters.
    private static func shortening(_ users: [UUID], _ id: UUID, _ crowd: Crowd?) -> Statement {
        guard let crowd else { return "SELECT 0::bigint" }
        return """
            WITH dead AS (
                UPDATE webhook_deliveries d
                SET dead_at = now(), due_at = NULL, last_error = coalesce(d.last_error, 'too many events of its user waited')
                FROM (SELECT event_id, row_number() OVER (PARTITION BY user_id ORDER BY event_id DESC) AS place,
                             first_value(attempts) OVER line AS tries, first_value(due_at) OVER line AS due_at
                      FROM webhook_deliveries
                      WHERE webhook_id = \(id) AND user_id = ANY(\(users)) AND NOT user_id = ANY(\(crowd.except.map(\.uuid)))
                        AND dead_at IS NULL
                      WINDOW line AS (PARTITION BY user_id ORDER BY event_id)) line
                WHERE d.webhook_id = \(id) AND d.event_id = line.event_id AND line.place > \(Int64(crowd.most))
                  AND line.tries >= \(Int64(crowd.tries)) AND line.due_at > now()
                RETURNING 1)
            SELECT count(*) FROM dead
            """
    }

    /// Makes the first waiting event of each user due, unless it has a time.
    private static func waking(_ id: UUID, _ users: [UUID]? = nil) -> Statement {
        let which: Statement = users.map { "AND user_id = ANY(\($0))" } ?? ""
        return """
            UPDATE webhook_deliveries SET due_at = now()
            WHERE webhook_id = \(id) AND due_at IS NULL AND dead_at IS NULL AND event_id IN (
                SELECT min(event_id) FROM webhook_deliveries
                WHERE webhook_id = \(id) AND dead_at IS NULL \(which) GROUP BY user_id)
            """
    }

    private static func counting(_ id: UUID) -> Statement {
        """
        SELECT user_id, count(*) FROM webhook_deliveries WHERE webhook_id = \(id) AND dead_at IS NULL GROUP BY user_id
        """
    }

    private static func counts(_ rows: Rows) throws -> [User.ID: Int] {
        Dictionary(
            uniqueKeysWithValues: try rows.map { row in
                (try User.ID(row.next()), Int(try row.next(as: Int64.self)))
            })
    }

    /// Forgets dead letters whose events are no longer kept.
    func forgetDead(before event: Int64) async throws {
        try await writes.run(
            "DELETE FROM webhook_deliveries WHERE dead_at IS NOT NULL AND event_id < \(event)")
    }

    /// Returns events that are due, and some of those that come after them, for each user in order.
    func due(_ id: UUID, at now: Date, limit: Int, except: Set<User.ID>) async throws -> [[ParkedEvent]] {
        // An event that an operator sent again may stand before one whose time has not come.
        let rows = try await reads.query(
            """
            WITH first AS (
                SELECT d.user_id, d.due_at FROM webhook_deliveries d
                WHERE d.webhook_id = \(id) AND d.due_at <= \(now) AND NOT d.user_id = ANY(\(except.map(\.uuid)))
                  AND NOT EXISTS (SELECT FROM webhook_deliveries e WHERE e.webhook_id = d.webhook_id
                                  AND e.user_id = d.user_id AND e.event_id < d.event_id AND e.dead_at IS NULL)
                ORDER BY d.due_at LIMIT \(limit))
            SELECT line.event_id, line.user_id, line.attempts, line.due_at, line.first_failed_at, line.last_error
            FROM first, LATERAL (SELECT * FROM webhook_deliveries l
                                 WHERE l.webhook_id = \(id) AND l.user_id = first.user_id AND l.dead_at IS NULL
                                 ORDER BY l.event_id LIMIT 20) line
            ORDER BY first.due_at, line.user_id, line.event_id
            """
        ) { row in
            try ParkedEvent(
                id: row.next(), user: User.ID(row.next()), attempts: Int(row.next(as: Int64.self)),
                dueAt: row.next(),
                firstFailedAt: row.next(), lastError: row.next())
        }
        return Dictionary(grouping: rows, by: \.user).values.map { line in
            Array(line.prefix { $0.dueAt.map { $0 <= now } ?? true })
        }.filter { !$0.isEmpty }
    }
}

extension SealedSecrets {
    static let columns: Statement = "secret, old_secret, older_secret, old_until"

    init(row: inout Row) throws {
        newest = try row.next()
        let before: [[UInt8]?] = try [row.next(), row.next()]
        (old, oldUntil) = (before.compactMap(\.self), try row.next())
    }
}
