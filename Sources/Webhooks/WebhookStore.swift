package import Foundation
import Kernel
package import Postgres
import Web

/// The operators' statements on `webhooks` and `webhook_deliveries`. `DeliveryStore` has those of deliveries.
package struct WebhookStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Creates an endpoint. It gets the events that have no number yet. If the last event is older than a
    /// day, its position is a day ago: a position before the oldest kept event would look as if it had missed
    /// some. Throws `tooMany`, and `IdempotencyKey.WasUsed` if there is one with this id.
    func create(
        _ id: UUID, url: String, types: [String], secret: [UInt8], most: Int, noting act: OperatorAct?
    ) async throws {
        let statements: [Statement] =
            [
                // If two calls run at once, one waits here.
                "SELECT last FROM event_numbers WHERE scope = 'all' FOR UPDATE",
                "SELECT require((SELECT count(*) FROM webhooks) < \(most), \(WebhookError.tooMany))",
                """
                INSERT INTO webhooks (id, url, types, secret, position)
                SELECT \(id), \(url), \(types), \(secret),
                       greatest(last, (extract(epoch FROM now() - interval '1 day') * 1000000)::int8)
                FROM event_numbers WHERE scope = 'all'
                """,
            ] + AuditStore.note(act)
        do {
            try await db.write.batch(statements, throwing: WebhookError.self)
        } catch let error as PostgresError where error.isUniqueViolation {
            throw IdempotencyKey.WasUsed()
        }
    }

    /// Returns all endpoints, oldest first, or one.
    func list(_ id: UUID? = nil) async throws -> [Webhook] {
        let which: Statement = id.map { "WHERE w.id = \($0)" } ?? ""
        return try await db.read.ofPrimary.query(
            """
            SELECT w.id, w.url, w.types, w.created_at, w.old_until, w.position, w.failing_since, w.paused_at,
                   w.last_error, w.last_error_at, w.missed, w.missed_until,
                   (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.dead_at IS NULL),
                   (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.dead_at IS NOT NULL),
                   (SELECT min(d.event_id) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.dead_at IS NULL)
            FROM webhooks w \(which) ORDER BY w.created_at, w.id
            """
        ) { row in
            try Webhook(
                id: row.next(), url: row.next(), types: row.next(), createdAt: row.next(),
                oldSecretUntil: row.next(), position: row.next(), failingSince: row.next(),
                pausedAt: row.next(),
                lastError: row.next(), lastErrorAt: row.next(), missed: row.next(), missedUntil: row.next(),
                waiting: row.next(), dead: row.next(), firstWaiting: row.next())
        }
    }

    /// Returns the encrypted secret of each endpoint.
    package func secrets() async throws -> [(id: UUID, secret: [UInt8])] {
        try await db.read.ofPrimary.query("SELECT id, secret FROM webhooks ORDER BY created_at, id") {
            try ($0.next(), $0.next())
        }
    }

    /// Changes an endpoint. A nil value stays as it is. Throws `unknown`.
    /// - Parameters:
    ///   - url: the new URL. Waiting events are tried there at once. If the endpoint fails, one event is
    ///     tried, as always.
    ///   - isPaused: whether it is paused. False ends pausing and failing, and waiting events are sent at
    ///     once, as if for the first time.
    func change(_ id: UUID, url: String?, types: [String]?, isPaused: Bool?, noting act: OperatorAct?)
        async throws
    {
        var changes: [Statement] = ["revision = revision + 1"]
        if let url { changes.append("url = \(url)") }
        if let types { changes.append("types = \(types)") }
        switch isPaused {
        case true?: changes.append("paused_at = now()")
        case false?: changes.append("paused_at = NULL, failing_since = NULL, probe_at = NULL, failures = 0")
        case nil: break
        }
        var statements: [Statement] = [
            "UPDATE webhooks SET \(changes.joined(separator: ", ")) WHERE id = \(id)"
        ]
        // Errors of the old URL say nothing about the new one.
        if url != nil {
            statements.append(
                """
                UPDATE webhooks SET probe_at = now(), failing_since = now()
                WHERE id = \(id) AND failing_since IS NOT NULL
                """)
        }
        if url != nil || isPaused == false {
            let anew: Statement = isPaused == false ? ", attempts = 0, first_failed_at = NULL" : ""
            statements.append(
                """
                UPDATE webhook_deliveries SET due_at = now()\(anew)
                WHERE webhook_id = \(id) AND event_id IN (SELECT min(event_id) FROM webhook_deliveries
                                                         WHERE webhook_id = \(id) AND dead_at IS NULL GROUP BY user_id)
                """)
        }
        try await self.act(on: id, statements, noting: act)
    }

    /// Deletes an endpoint. Throws `unknown`.
    func delete(_ id: UUID, noting act: OperatorAct?) async throws {
        try await self.act(on: id, ["DELETE FROM webhooks WHERE id = \(id)"], noting: act)
    }

    /// Stores a new secret. The previous one also signs until a time, and so does the one before if it still
    /// signs: the caller who made the one in between may have lost it. Throws `unknown`.
    func rotate(_ id: UUID, secret: [UInt8], at now: Date, oldUntil: Date, noting act: OperatorAct?)
        async throws
    {
        try await self.act(
            on: id,
            [
                """
                UPDATE webhooks
                SET older_secret = CASE WHEN old_until > \(now) THEN old_secret END, old_secret = secret, secret = \(secret),
                    old_until = \(oldUntil), revision = revision + 1
                WHERE id = \(id)
                """
            ], noting: act)
    }

    /// Notes a test, and returns where to post it and what signs it. Tests at once may exceed the limit by as
    /// many as there are. Throws `unknown` or `tooManyTests`.
    /// - Parameter most: how many may be within a minute.
    func beginTest(
        _ id: UUID, most: Int, noting act: OperatorAct
    ) async throws -> (url: String, secrets: SealedSecrets) {
        let results = try await self.act(
            on: id,
            [
                """
                SELECT require((SELECT count(*) FROM audit
                                WHERE act = \(act.kind.rawValue) AND at > now() - interval '1 minute') <= \(most),
                               \(WebhookError.tooManyTests))
                """,
                "SELECT url, \(SealedSecrets.columns) FROM webhooks WHERE id = \(id)",
            ], noting: act)
        guard
            let found = try results.last?.first({ row in
                try (url: row.next(as: String.self), secrets: SealedSecrets(row: &row))
            })
        else { throw WebhookError.unknown }
        return found
    }

    /// Runs the statements and writes the note, all or nothing. Throws `unknown`.
    @discardableResult
    private func act(on id: UUID, _ statements: [Statement], noting act: OperatorAct?) async throws -> [Rows]
    {
        let known: Statement = """
            SELECT require(EXISTS (SELECT FROM webhooks WHERE id = \(id)), \(WebhookError.unknown))
            """
        return try await db.write.batch(
            [known] + AuditStore.note(act) + statements, throwing: WebhookError.self)
    }
}

/// Sending again.
extension WebhookStore {
    /// Goes back to a number, unless it has not come that far. The events after it are sent again. Throws
    /// `unknown`.
    func goBack(_ id: UUID, to position: Int64, noting act: OperatorAct?) async throws {
        try await self.act(
            on: id,
            [
                // The server that delivers begins anew, and so reads again what is deleted here.
                """
                UPDATE webhooks SET position = least(position, \(position)), revision = revision + 1 WHERE id = \(id)
                """,
                """
                DELETE FROM webhook_deliveries WHERE webhook_id = \(id) AND dead_at IS NOT NULL AND event_id > \(position)
                """,
            ], noting: act)
    }

    /// Sends one event again, as soon as possible. One that already waits stays where it is. Throws
    /// `unknown`.
    func sendAgain(_ id: UUID, event: Int64, of user: User.ID, at now: Date, noting act: OperatorAct?)
        async throws
    {
        try await self.act(
            on: id,
            [
                """
                INSERT INTO webhook_deliveries AS d (webhook_id, event_id, user_id, due_at)
                SELECT w.id, \(event), \(user), \(now) FROM webhooks w WHERE w.id = \(id)
                ON CONFLICT (webhook_id, event_id) DO UPDATE
                SET due_at = excluded.due_at, dead_at = NULL, attempts = 0, first_failed_at = NULL
                WHERE d.dead_at IS NOT NULL
                """
            ], noting: act)
    }

    /// Sends all dead letters again. Returns how many.
    func sendDeadAgain(_ id: UUID, at now: Date, noting act: OperatorAct?) async throws -> Int {
        let results = try await self.act(
            on: id,
            [
                """
                WITH sent AS (
                    UPDATE webhook_deliveries SET due_at = \(now), dead_at = NULL, attempts = 0, first_failed_at = NULL
                    WHERE webhook_id = \(id) AND dead_at IS NOT NULL RETURNING 1)
                SELECT count(*) FROM sent
                """
            ], noting: act)
        return Int(try results.last?.first { try $0.next(as: Int64.self) } ?? 0)
    }

    /// Returns dead letters, oldest first.
    func dead(_ id: UUID, after: Int64, limit: Int) async throws -> [ParkedEvent] {
        try await db.read.ofPrimary.query(
            """
            SELECT event_id, user_id, attempts, first_failed_at, last_error, dead_at FROM webhook_deliveries
            WHERE webhook_id = \(id) AND dead_at IS NOT NULL AND event_id > \(after) ORDER BY event_id LIMIT \(limit)
            """
        ) { row in
            try ParkedEvent(
                id: row.next(), user: User.ID(row.next()), attempts: Int(row.next(as: Int64.self)),
                firstFailedAt: row.next(), lastError: row.next(), deadAt: row.next())
        }
    }
}
