package import Postgres

/// What an operator does after a backup was restored, or the database was moved.
package struct RestoreStore: Sendable {
    let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Makes each phone that syncs load everything once more. It changes the secret by which
    /// `FriendSyncStore` names the database.
    package func forgetPhones() async throws {
        let secret = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        let noted = try await NotedDatabase(number())
        try await db.write.batch([
            "UPDATE secrets SET bytes = \(secret) WHERE name = 'sync'", Self.write(noted),
        ])
    }

    /// Makes phones take the database for the one that it was before its number changed. False if that one is
    /// not known, or the number has not changed.
    package func adopt() async throws -> Bool {
        guard let adopted = try await noted()?.adopting(number()) else { return false }
        try await db.write.run(Self.write(adopted))
        return true
    }

    /// Notes the number of the database, so that a later change is noticed. If two servers do so at once, one
    /// of them notes it.
    package func note() async throws {
        let (number, noted) = try await (number(), noted())
        guard noted?.number != number else { return }
        let new = NotedDatabase(number, before: noted?.shown)
        try await db.write.run(Self.write(new, over: noted))
    }

    /// - Parameter withServer: whether to ask for the number of the server too, which the role may not be
    ///   allowed to know.
    package static func askNumber(withServer: Bool) -> Statement {
        let table: Statement = "'relationships'::regclass::oid::bigint"
        return withServer
            ? "SELECT system_identifier, \(table) FROM pg_control_system()" : "SELECT 0::bigint, \(table)"
    }

    private func number() async throws -> DatabaseNumber {
        func ask(withServer: Bool) async throws -> DatabaseNumber {
            let number = try await db.read.ofPrimary.first(Self.askNumber(withServer: withServer)) {
                try DatabaseNumber(&$0)
            }
            guard let number else { throw CancellationError() }
            return number
        }
        do {
            return try await ask(withServer: true)
        } catch let error as PostgresError where error.sqlState == "42501" {
            return try await ask(withServer: false)
        }
    }

    private func noted() async throws -> NotedDatabase? {
        let text = try await db.read.ofPrimary.first(
            "SELECT convert_from(bytes, 'UTF8') FROM secrets WHERE name = 'database'"
        ) { try $0.next(as: String.self) }
        return text.flatMap { NotedDatabase($0) }
    }

    private static func write(_ noted: NotedDatabase) -> Statement {
        """
        INSERT INTO secrets (name, bytes) VALUES ('database', \(Array(noted.description.utf8)))
        ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes
        """
    }

    private static func write(_ noted: NotedDatabase, over old: NotedDatabase?) -> Statement {
        "\(write(noted)) WHERE secrets.bytes = \(Array((old?.description ?? "").utf8))"
    }
}
