import Postgres
import Schema

/// Reads from the catalogues how the tables are distributed on a Citus cluster.
struct DistributionStore {
    let db: any Querying

    /// Returns the distribution. Nil on a PostgreSQL without Citus.
    func read() async throws -> Distribution? {
        let hasCitus = try await db.first("SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL") {
            try $0.next(as: Bool.self)
        }
        guard hasCitus == true else { return nil }
        return try await db.first(
            """
            WITH relations AS (
                SELECT name, to_regclass(name) IN (SELECT logicalrelid FROM pg_dist_partition) AS is_spread
                FROM unnest(\(Migration.tables)) AS needed (name) WHERE to_regclass(name) IS NOT NULL
            ), functions AS (
                SELECT 'function ' || name AS name FROM unnest(\(Migration.functionsOnNodes)) AS needed (name)
                WHERE to_regproc(name) NOT IN (SELECT objid FROM pg_dist_object WHERE classid = 'pg_proc'::regclass)
            )
            SELECT ARRAY(SELECT name FROM relations WHERE NOT is_spread UNION ALL SELECT name FROM functions),
                   ARRAY(SELECT name FROM relations WHERE is_spread),
                   (SELECT count(*) FROM pg_dist_node
                    WHERE isactive AND shouldhaveshards AND noderole = 'primary'),
                   (SELECT groupid = 0 FROM pg_dist_local_group),
                   (SELECT setting::int8 FROM pg_settings WHERE name = 'citus.recover_2pc_interval')
            """
        ) {
            try Distribution(
                local: $0.next(), spread: $0.next(), workers: $0.next(), isOnCoordinator: $0.next(),
                recoveryInterval: $0.next())
        }
    }
}
