import Kernel
package import Postgres

/// Frees usernames for an operator.
package struct UsernameReleaseStore: Sendable {
    private let db: Database
    private let policy: UsernamePolicy

    package init(_ db: Database, _ policy: UsernamePolicy) {
        (self.db, self.policy) = (db, policy)
    }

    package enum Outcome: Sendable, Equatable {
        case released
        /// The name was already free.
        case free
        /// Somebody has the name now.
        case active
        /// Nobody ever had the name, so it is free.
        case unknown
        /// Nobody had the name, and nobody may choose it.
        case reserved
        /// Nobody had the name, and it is not a valid username.
        case malformed(String)
    }

    /// Releases a name that is held for its last owner or reserved, so that anybody may take it. Old links of
    /// the last owner still lead to them. A second call changes nothing.
    package func release(_ name: String) async throws -> Outcome {
        // Imported names may be ones that the policy refuses.
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
            _ = try policy.rules.username(name)
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
