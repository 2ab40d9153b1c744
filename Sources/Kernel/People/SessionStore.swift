package import Foundation
package import Postgres
import Web

/// The statements on `sessions` of people who are signed in. `SignInStore` has those that begin one.
package struct SessionStore: Sendable {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Returns the session of a secret. Nil if none is in force.
    func find(_ secret: SecretText, at now: Date) async throws -> PersonSession? {
        try await db.read.ofPrimary.first(
            "\(Self.select) WHERE s.sha256 = \(secret.sha256) AND \(Self.isInForce(at: now))",
            PersonSession.init(row:))
    }

    /// Returns the newest sessions that are in force, of everybody or of one person, at most 1,000.
    package func list(of person: UUID? = nil, at now: Date) async throws -> [PersonSession] {
        let isTheirs: Statement = person.map { "s.person = \($0)" } ?? "true"
        return try await db.read.ofPrimary.query(
            """
            \(Self.select) WHERE \(isTheirs) AND \(Self.isInForce(at: now))
            ORDER BY s.began_at DESC, s.id LIMIT 1000
            """, PersonSession.init(row:))
    }

    /// Ends a session. Throws `sessionUnknown` unless one of that id is in force.
    /// - Parameter person: whose it must be. Nil for anybody's.
    package func end(
        _ id: UUID, of person: UUID? = nil, by actor: AuditActor, as kind: OperatorAct.Kind = .endSession,
        at now: Date
    ) async throws {
        let isTheirs: Statement = person.map { "person = \($0)" } ?? "true"
        let act = OperatorAct(by: actor, kind: kind, details: ["session": id.uuidString.lowercased()])
        try await db.write.batch(
            [
                "SELECT id FROM sessions WHERE id = \(id) FOR UPDATE",
                """
                SELECT require(EXISTS (
                    SELECT FROM sessions WHERE id = \(id) AND \(Self.isRunning(at: now)) AND \(isTheirs)), \(PersonError.sessionUnknown))
                """,
                Self.end("id = \(id)", at: now),
            ] + AuditStore.note(act), throwing: PersonError.self)
    }

    /// Ends all sessions, and makes links that nobody used useless. Returns the number of sessions.
    package func endAll(by actor: AuditActor, at now: Date) async throws -> Int {
        let results = try await db.write.batch(
            [
                Self.end("true", at: now),
                "UPDATE sign_in_links SET expires_at = \(now) WHERE used_at IS NULL AND expires_at > \(now)",
            ] + AuditStore.note(OperatorAct(by: actor, kind: .endSession, details: ["session": "all"])))
        return results[0].affected
    }

    /// Notes that a call came with a session. The database writes it at most every five minutes, however many
    /// servers note it.
    func noteUse(of id: UUID, at now: Date) async throws {
        try await db.write.run(
            """
            UPDATE sessions SET seen_at = \(now)
            WHERE id = \(id) AND seen_at <= \(now.addingTimeInterval(-PersonSession.noteInterval))
            """)
    }

    /// Deletes sessions and links that ended 30 days ago.
    package func forgetOld(at now: Date) async throws {
        let old = now.addingTimeInterval(-30 * 86_400)
        try await db.bulk.run("DELETE FROM sessions WHERE ends_at < \(old) OR ended_at < \(old)")
        try await db.bulk.run("DELETE FROM sign_in_links WHERE expires_at < \(old)")
    }

    /// Returns a statement that ends sessions that fulfil a condition.
    static func end(_ which: Statement, at now: Date) -> Statement {
        "UPDATE sessions SET ended_at = \(now) WHERE \(isRunning(at: now)) AND \(which)"
    }

    /// Returns a condition: nobody ended the session, and it has not ended by itself.
    private static func isRunning(at now: Date) -> Statement {
        """
        ended_at IS NULL AND ends_at > \(now) AND seen_at > \(now.addingTimeInterval(-PersonSession.idle))
        """
    }

    /// Returns a statement that ends the sessions of whoever fulfils a condition.
    static func end(of people: Statement, at now: Date) -> Statement {
        end("person IN (SELECT id FROM people WHERE \(people))", at: now)
    }

    private static let select: Statement = """
        SELECT s.id, s.person, p.email, p.roles, s.method, s.began_at, s.seen_at, s.ends_at
        FROM sessions s JOIN people p ON p.id = s.person
        """

    private static func isInForce(at now: Date) -> Statement {
        "\(isRunning(at: now)) AND p.removed_at IS NULL"
    }
}

extension PersonSession {
    fileprivate init(row: inout Row) throws {
        (id, person, email) = try (row.next(), row.next(), EmailAddress(stored: row.next()))
        roles = Set(names: try row.next(as: [String].self)) ?? []
        method = SignInMethod(rawValue: try row.next()) ?? .link
        (beganAt, seenAt, endsAt) = try (row.next(), row.next(), row.next())
    }
}
