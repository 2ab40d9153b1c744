public import Postgres

/// Frees usernames for an operator.
public struct UsernameReleaseStore: Sendable {
    private let db: Database

    public init(db: Database) {
        self.db = db
    }

    public enum Outcome: Sendable {
        case released
        /// It was free before.
        case free
        /// Somebody has it now.
        case active
        /// Nobody ever had it, so it is free.
        case unknown
    }

    /// Anybody may take a name after this that was held for its last owner, or reserved. Old links of the last
    /// owner lead on as before. The second call changes nothing.
    public func release(_ name: String) async throws -> Outcome {
        guard let key = Username.Key(name) else { return .unknown }
        let released = try await db.write.run(
            """
            UPDATE usernames SET state = 'released', held_until = NULL, changed_at = now()
            WHERE name_key = \(key) AND state IN ('held', 'reserved')
            """)
        guard released == 0 else { return .released }
        let state = try await db.read.first("SELECT state FROM usernames WHERE name_key = \(key)") {
            try $0.next(as: String.self)
        }
        switch state {
        case nil: return .unknown
        case "active": return .active
        default: return .free
        }
    }
}
