/// How the tables of a database are distributed on a Citus cluster.
package struct Distribution: Sendable, Equatable {
    /// What is on the coordinator only: tables, and functions that the workers lack.
    package var local: [String]
    /// Tables that are spread over the nodes, or copied to every node.
    package var spread: [String]
    /// How many nodes take shards.
    package var workers: Int
    package var isOnCoordinator: Bool
    /// How soon Citus completes transactions after the crash of a node, in milliseconds. -1 means never.
    package var recoveryInterval: Int

    package var isBegun: Bool { !spread.isEmpty }
    package var isComplete: Bool { isBegun && local.isEmpty }

    /// Why Kith cannot serve. Nil if it can. Tables that are all local are like those of a PostgreSQL without
    /// Citus.
    package var mistake: DistributionError? {
        guard isBegun else { return nil }
        if !isOnCoordinator { return .notOnCoordinator }
        return local.isEmpty ? nil : .partial(local)
    }

    /// What the operator should change although Kith can serve. Nil if there is nothing.
    package var warning: String? {
        guard isBegun, !(0...5000).contains(recoveryInterval) else { return nil }
        return
            "after the crash of a node some rows stay locked, and some answered writes half visible, for as long as "
            + "citus.recover_2pc_interval: set it to 5s on the coordinator"
    }

    /// What keeps Kith from spreading the tables. Nil if there is nothing.
    var obstacle: DistributionError? {
        if !isOnCoordinator { return .notOnCoordinator }
        return workers == 0 ? .noWorkers : nil
    }
}

/// Why the tables are not spread over a Citus cluster as they should be.
package enum DistributionError: Error, CustomStringConvertible, Equatable {
    case noCitus
    case noWorkers
    case notOnCoordinator
    case partial([String])

    package var description: String {
        switch self {
        case .noCitus:
            "this database has no Citus. On every node put citus into shared_preload_libraries, restart it, and "
                + "run CREATE EXTENSION citus in this database. \(Self.addNodes)"
        case .noWorkers: "Citus knows no worker. \(Self.addNodes)"
        case .notOnCoordinator:
            "this is a worker of the cluster: set KITH_DATABASE_URL to its coordinator"
        case .partial(let local):
            "the tables are spread over Citus, but not these: \(local.joined(separator: ", ")): run "
                + "`kith migrate --distribute` with the URL of the coordinator"
        }
    }

    private static let addNodes =
        "On the coordinator run SELECT citus_set_coordinator_host('coordinator'), and for each "
        + "worker SELECT citus_add_node('worker', 5432)"
}
