package import Foundation
package import Postgres
package import Web

/// The statements on `people`, and those that make `sign_in_links`.
package struct PersonStore: Sendable {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// How long a link is valid, 15 minutes.
    package static let linkLifetime: TimeInterval = 900

    /// Returns everybody, by address. Those who were removed are not among them.
    package func list() async throws -> [Person] {
        try await db.read.ofPrimary.query(
            "SELECT \(Self.columns) FROM people WHERE removed_at IS NULL ORDER BY email", Person.init(row:))
    }

    /// Returns one person, who may have been removed. Nil if nobody of the address was ever here.
    package func find(_ email: EmailAddress) async throws -> Person? {
        try await db.read.ofPrimary.first(
            "SELECT \(Self.columns) FROM people WHERE email = \(email.text)", Person.init(row:))
    }

    /// A person whose roles were set.
    package struct Change: Sendable {
        package let person: Person
        /// Their roles before. Nil if the call added them.
        package let formerRoles: Set<Role>?
        /// How many of their sessions ended.
        package let endedSessions: Int
    }

    /// Gives a person exactly these roles, and adds them if nobody has. If their roles change, their sessions
    /// end.
    package func set(
        _ email: EmailAddress, roles: Set<Role>, by actor: AuditActor, at now: Date
    ) async throws -> Change {
        let act = OperatorAct(
            by: actor, kind: .setPerson,
            details: ["person": email.text, "roles": roles.names.joined(separator: " ")])
        let results = try await db.write.batch(
            [
                // Whoever adds the same person at once waits here.
                Self.add(email, roles, isByRule: false, by: actor, at: now), Self.lock(email),
                "SELECT \(Self.columns) FROM people WHERE email = \(email.text)",
                SessionStore.end(of: "email = \(email.text) AND roles <> \(roles.names)", at: now),
                """
                UPDATE people SET roles = \(roles.names), by_rule = false, removed_at = NULL
                WHERE email = \(email.text) RETURNING \(Self.columns)
                """,
            ] + AuditStore.note(act))
        guard let person = try results[4].first(Person.init(row:)) else { throw PersonError.unknown }
        let former = try results[2].first(Person.init(row:))
        let wasThere = results[0].affected == 0 && former?.removedAt == nil
        return Change(
            person: person, formerRoles: wasThere ? former?.roles : nil, endedSessions: results[3].affected)
    }

    /// Removes a person: ends their sessions, and their links no longer work. Throws `unknown`.
    package func remove(_ email: EmailAddress, by actor: AuditActor, at now: Date) async throws {
        let act = OperatorAct(by: actor, kind: .removePerson, details: ["person": email.text])
        try await db.write.batch(
            [
                Self.lock(email), Self.requireActive(email),
                "UPDATE people SET removed_at = \(now) WHERE email = \(email.text)",
                SessionStore.end(of: "email = \(email.text)", at: now),
                Self.endLinks(of: "email = \(email.text)", at: now),
            ] + AuditStore.note(act), throwing: PersonError.self)
    }

    /// Returns a statement that makes links useless of whoever fulfils a condition.
    static func endLinks(of people: Statement, at now: Date) -> Statement {
        """
        UPDATE sign_in_links SET expires_at = \(now)
        WHERE used_at IS NULL AND expires_at > \(now) AND person IN (SELECT id FROM people WHERE \(people))
        """
    }

    /// Ends a person's sessions, and makes their links useless. Returns how many sessions there were. Throws
    /// `unknown`.
    package func signOut(_ email: EmailAddress, by actor: AuditActor, at now: Date) async throws -> Int {
        let act = OperatorAct(
            by: actor, kind: .endSession, details: ["person": email.text, "session": "all"])
        let results = try await db.write.batch(
            [
                Self.lock(email), Self.requireActive(email),
                SessionStore.end(of: "email = \(email.text)", at: now),
                Self.endLinks(of: "email = \(email.text)", at: now),
            ] + AuditStore.note(act), throwing: PersonError.self)
        return results[2].affected
    }

    /// Makes a link with which a person signs in once. Returns its secret, which is stored nowhere. Throws
    /// `unknown`.
    package func makeLink(
        for email: EmailAddress, by actor: AuditActor, world: World
    ) async throws -> (secret: SecretText, expiresAt: Date) {
        let (secret, now) = (SecretText(world: world), world.now())
        let end = now + Self.linkLifetime
        let act = OperatorAct(by: actor, kind: .createSignInLink, details: ["person": email.text])
        try await db.write.batch(
            [
                Self.lock(email), Self.requireActive(email),
                """
                INSERT INTO sign_in_links (sha256, person, created_at, created_by, expires_at)
                SELECT \(secret.sha256), id, \(now), \(actor.text), \(end) FROM people WHERE email = \(email.text)
                """,
            ] + AuditStore.note(act), throwing: PersonError.self)
        return (secret, end)
    }

    /// Returns a statement that adds a person, unless there is somebody of the address.
    static func add(
        _ email: EmailAddress, _ roles: Set<Role>, isByRule: Bool, by actor: AuditActor, at now: Date
    ) -> Statement {
        """
        INSERT INTO people (id, email, roles, by_rule, created_at, created_by)
        VALUES (\(UUID.random()), \(email.text), \(roles.names), \(isByRule), \(now), \(actor.text))
        ON CONFLICT (email) DO NOTHING
        """
    }

    /// Returns a statement behind which nobody else signs in as the person, or changes them.
    static func lock(_ email: EmailAddress) -> Statement {
        "SELECT id FROM people WHERE email = \(email.text) FOR UPDATE"
    }

    private static func requireActive(_ email: EmailAddress) -> Statement {
        """
        SELECT require(EXISTS (
            SELECT FROM people WHERE email = \(email.text) AND removed_at IS NULL), \(PersonError.unknown))
        """
    }

    private static let columns: Statement =
        "id, email, roles, by_rule, created_at, created_by, removed_at"
}

extension Person {
    fileprivate init(row: inout Row) throws {
        (id, email) = try (row.next(), EmailAddress(stored: row.next()))
        roles = Set(names: try row.next(as: [String].self)) ?? []
        (isByRule, createdAt, createdBy, removedAt) = try (row.next(), row.next(), row.next(), row.next())
    }
}
