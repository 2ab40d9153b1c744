import Postgres

/// Frees usernames for an operator.
public struct UsernameReleaseStore: Sendable {
    private let db: Database
    private let policy: UsernamePolicy

    init(_ db: Database, _ policy: UsernamePolicy) {
        (self.db, self.policy) = (db, policy)
    }

    public enum Outcome: Sendable, Equatable {
        case released
        /// It was free before.
        case free
        /// Somebody has it now.
        case active
        /// Nobody ever had it, so it is free.
        case unknown
        /// Nobody had it, and nobody may choose it.
        case reserved
        /// Nobody had it, and it has not the form of a username.
        case malformed(String)
    }

    /// Anybody may take a name after this that was held for its last owner, or reserved. Old links of the last
    /// owner lead on as before. The second call changes nothing.
    public func release(_ name: String) async throws -> Outcome {
        // An import may have brought names that the policy refuses.
        guard let key = Username.Key(name) else { return never(name) }
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
        case nil: return never(name)
        case "active": return .active
        default: return .free
        }
    }

    private func never(_ name: String) -> Outcome {
        do {
            _ = try policy.username(name)
            return .unknown
        } catch .invalid(.reserved) {
            return .reserved
        } catch .invalid(let reason) {
            return .malformed(reason.rawValue)
        } catch {
            return .unknown
        }
    }
}
