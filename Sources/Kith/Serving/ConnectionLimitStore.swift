import Logging
import Postgres

/// How many connections PostgreSQL leaves this server, by each of its limits.
struct ConnectionLimitStore: Sendable {
    let db: Database
    let config: DatabaseConfig

    struct Limit: Equatable {
        /// The name of the limit, which an operator can raise.
        let name: String
        let most: Int
        /// How many connections others than this server use.
        let taken: Int

        var left: Int { max(0, most - taken) }
    }

    /// Warns if the limit that leaves the fewest leaves too few. A pooler has limits of its own.
    func tell(_ logger: Logger) async {
        guard config.pooler == .none, let least = try? await limits().min(by: { $0.left < $1.left }) else {
            return
        }
        let (usual, most) = (config.driver.usualConnections, config.driver.mostConnections)
        guard least.left < most else { return }
        logger.warning(
            least.left < usual
                ? "too few database connections: calls will be refused; raise the limit, or run fewer servers, or set KITH_DATABASE_WRITERS lower"
                : "few database connections: while PostgreSQL is slow calls will be refused; raise the limit, or run fewer servers",
            metadata: [
                "limit": "\(least.name) \(least.most)", "others have": "\(least.taken)",
                "left": "\(least.left)",
                "needed": "\(usual), while slow \(most)",
            ])
    }

    /// Returns the limits. Only the first applies to a superuser.
    // Other roles may not see what a session does, only that it exists.
    func limits() async throws -> [Limit] {
        let own = db.statistics.connectionsUp
        return try await db.read.ofPrimary.first(
            """
            SELECT current_setting('max_connections')::int8
                       - CASE WHEN r.rolsuper THEN 0 ELSE current_setting('superuser_reserved_connections')::int8
                             + coalesce(current_setting('reserved_connections', true), '0')::int8 END,
                   (SELECT sum(numbackends)::int8 FROM pg_stat_database WHERE datid <> 0),
                   CASE WHEN r.rolconnlimit >= 0 AND NOT r.rolsuper THEN r.rolconnlimit::int8 END,
                   (SELECT count(*) FROM pg_stat_activity a WHERE a.usesysid = r.oid),
                   CASE WHEN d.datconnlimit >= 0 AND NOT r.rolsuper THEN d.datconnlimit::int8 END,
                   (SELECT numbackends::int8 FROM pg_stat_database s WHERE s.datid = d.oid)
            FROM pg_roles r, pg_database d
            WHERE r.rolname = session_user AND d.datname = current_database()
            """
        ) { row in
            try ["max_connections", "CONNECTION LIMIT of the role", "CONNECTION LIMIT of the database"]
                .compactMap { name in
                    let (most, used) = try (row.next(as: Int?.self), row.next(as: Int?.self))
                    return most.map { Limit(name: name, most: $0, taken: max(0, (used ?? 0) - own)) }
                }
        } ?? []
    }
}
