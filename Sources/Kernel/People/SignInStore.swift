import Foundation
package import Postgres
package import Web

/// The statements with which people sign in, each attempt with its row in the audit.
package struct SignInStore: Sendable {
    let db: Database
    let world: World

    package init(db: Database, world: World) {
        self.db = db
        self.world = world
    }

    /// A link as it is stored.
    package struct Link: Sendable {
        package let email: EmailAddress
        /// Why it cannot be used. Nil if it can.
        package let refusal: SignInRefusal?
    }

    /// Returns a link, whether it can be used or not. Nil if there is none.
    package func link(_ secret: SecretText) async throws -> Link? {
        let now = world.now()
        return try await db.read.ofPrimary.first(
            """
            SELECT p.email, l.used_at IS NOT NULL, l.expires_at <= \(now), p.removed_at IS NOT NULL
            FROM sign_in_links l JOIN people p ON p.id = l.person WHERE l.sha256 = \(secret.sha256)
            """
        ) { row in
            let email = EmailAddress(stored: try row.next())
            let (isUsed, isOver, isRemoved) = try (
                row.next(as: Bool.self), row.next(as: Bool.self), row.next(as: Bool.self)
            )
            return Link(
                email: email,
                refusal: isUsed ? .linkUsed : isOver ? .linkExpired : isRemoved ? .personRemoved : nil)
        }
    }

    /// Uses a link, once, and begins a session. Returns its secret. Throws a `SignInRefusal`.
    /// - Parameter old: the secret of the browser's former session, which ends.
    package func use(_ secret: SecretText, of link: Link, replacing old: SecretText?) async throws
        -> SecretText
    {
        let (new, now) = (SecretText(world: world), world.now())
        let isTheLink: Statement = "FROM sign_in_links WHERE sha256 = \(secret.sha256)"
        return try await write(
            new, link.email, .link,
            [
                PersonStore.lock(link.email),
                "SELECT require(EXISTS (SELECT \(isTheLink)), \(SignInRefusal.linkUnknown))",
                "SELECT require(EXISTS (SELECT \(isTheLink) AND used_at IS NULL), \(SignInRefusal.linkUsed))",
                """
                SELECT require(EXISTS (SELECT \(isTheLink) AND expires_at > \(now)), \(SignInRefusal.linkExpired))
                """,
                "UPDATE sign_in_links SET used_at = \(now) WHERE sha256 = \(secret.sha256)",
            ], replacing: old, at: now)
    }

    /// Begins a session for whoever a provider says has this address. Returns its secret. Throws a
    /// `SignInRefusal`.
    /// - Parameters:
    ///   - roles: what the rules of the settings give them. If nobody added the person, they get exactly
    ///     these; none: they are refused.
    ///   - old: the secret of the browser's former session, which ends.
    package func signIn(_ email: EmailAddress, roles: Set<Role>, replacing old: SecretText?) async throws
        -> SecretText
    {
        let (new, now) = (SecretText(world: world), world.now())
        let isAdded: Statement = "email = \(email.text) AND (NOT by_rule OR \(!roles.isEmpty))"
        if roles.isEmpty {
            // They are refused below, if nobody added them. What the rules gave them ends even so.
            let isTheirs: Statement = "email = \(email.text) AND by_rule"
            try await db.write.batch([
                SessionStore.end(of: isTheirs, at: now), PersonStore.endLinks(of: isTheirs, at: now),
            ])
        }
        var statements: [Statement] = []
        if !roles.isEmpty {
            statements.append(
                PersonStore.add(email, roles, isByRule: true, by: Person.actor(email), at: now))
        }
        statements += [
            PersonStore.lock(email),
            "SELECT require(EXISTS (SELECT FROM people WHERE \(isAdded)), \(SignInRefusal.personUnknown))",
        ]
        if !roles.isEmpty {
            let differ: Statement =
                "email = \(email.text) AND by_rule AND removed_at IS NULL AND roles <> \(roles.names)"
            statements += [
                SessionStore.end(of: differ, at: now),
                "UPDATE people SET roles = \(roles.names) WHERE \(differ)",
            ]
        }
        return try await write(new, email, .openid, statements, replacing: old, at: now)
    }

    private func write(
        _ new: SecretText, _ email: EmailAddress, _ method: SignInMethod, _ before: [Statement],
        replacing old: SecretText?, at now: Date
    ) async throws -> SecretText {
        let id = UUID(bytes: world.randomBytes(16))
        let act = OperatorAct(
            by: Person.actor(email), kind: .signIn,
            details: ["method": method.rawValue, "session": id.uuidString.lowercased()])
        let isActive: Statement = "FROM people WHERE email = \(email.text) AND removed_at IS NULL"
        try await db.write.batch(
            before + [
                "SELECT require(EXISTS (SELECT \(isActive)), \(SignInRefusal.personRemoved))"
            ] + (old.map { [SessionStore.end("sha256 = \($0.sha256)", at: now)] } ?? []) + [
                """
                INSERT INTO sessions (id, sha256, person, method, began_at, seen_at, ends_at)
                SELECT \(id), \(new.sha256), id, \(method.rawValue), \(now), \(now), \(now + PersonSession.longest)
                \(isActive)
                """
            ] + AuditStore.note(act), throwing: SignInRefusal.self)
        return new
    }

    /// Notes a refused attempt in the audit, at most 20 an hour of each person, and 20 of nobody who is
    /// known, so that nobody can fill it.
    /// - Parameter email: who wanted to sign in. Nil if that is not known.
    package func noteRefusal(_ why: SignInRefusal, of email: EmailAddress?) async throws {
        let actor = email.map(Person.actor) ?? AuditActor(.person, "unknown")
        try await AuditStore(db: db).noteSeldom(
            OperatorAct(by: actor, kind: .signInRefused, details: ["why": why.rawValue]), most: 20)
    }
}
