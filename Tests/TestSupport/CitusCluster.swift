import Foundation
internal import Postgres
import Synchronization

/// The Citus cluster of `KITH_CITUS_URL`: a test has a database of its own on it, as on a PostgreSQL without
/// Citus.
///
/// Citus keeps what it knows of a database in that database. So a copy on every node, made from the same
/// template, is another distributed database. Its role must be a superuser who can connect to each node.
actor CitusCluster {
    static let shared = ProcessInfo.processInfo.environment["KITH_CITUS_URL"].flatMap(URLComponents.init)
        .map(CitusCluster.init)

    /// Few shards, since a test makes so many for each table.
    private static let shards = 4

    private struct Node {
        var host: String
        var port: Int
    }

    private let coordinator: URLComponents
    private var finding: Task<[Node], any Error>?
    private var templates: [String: Task<String, any Error>] = [:]

    private init(_ coordinator: URLComponents) {
        self.coordinator = coordinator
    }

    /// The coordinator's URL of a new copy of a template, which `prepare` fills once.
    func database(
        named name: String, like template: String, prepare: @escaping @Sendable (String) async throws -> Void
    ) async throws -> String {
        let task = templates[template] ?? Task { try await make("\(name)_template", prepare) }
        templates[template] = task
        let source = try await task.value
        try await everywhere("CREATE DATABASE \(name) TEMPLATE \(source)")
        Databases.ofTest?.names.withLock { $0.append(name) }
        return url(name)
    }

    func drop(_ name: String) async throws {
        try await everywhere("DROP DATABASE \(name) WITH (FORCE)")
    }

    private func make(_ name: String, _ prepare: @Sendable (String) async throws -> Void) async throws
        -> String
    {
        try await everywhere("CREATE DATABASE \(name)")
        try await everywhere("CREATE EXTENSION citus", in: name)
        let nodes = try await nodes()
        var joining = ["SELECT citus_set_coordinator_host('\(nodes[0].host)', \(nodes[0].port))"]
        joining += nodes.dropFirst().map { "SELECT citus_add_node('\($0.host)', \($0.port))" }
        for sql in joining { try await Self.run(sql, at: url(name)) }
        try await prepare(url(name, options: "-c citus.shard_count=\(Self.shards)"))
        // Nobody may be connected to a template, nor may Citus's own daemon come back.
        try await everywhere("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
        try await everywhere(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '\(name)'")
        return name
    }

    /// All nodes, the coordinator first.
    private func nodes() async throws -> [Node] {
        let url = url(String(coordinator.path.dropFirst()))
        let task =
            finding
            ?? Task {
                let db = try Database(Database.Configuration(url: url))
                let nodes = try await db.read.query(
                    """
                    SELECT nodename, nodeport::int8 FROM pg_dist_node
                    WHERE isactive AND noderole = 'primary' ORDER BY groupid
                    """
                ) { try Node(host: $0.next(), port: $0.next()) }
                await db.close()
                return nodes
            }
        finding = task
        return try await task.value
    }

    private func everywhere(_ sql: String, in database: String = "postgres") async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for node in try await nodes() {
                let url = url(database, at: node)
                group.addTask { try await Self.run(sql, at: url) }
            }
            try await group.waitForAll()
        }
    }

    private static func run(_ sql: String, at url: String) async throws {
        let db = try Database(Database.Configuration(url: url))
        do {
            try await db.withConnection { try await $0.script(sql) }
        } catch {
            await db.close()
            throw error
        }
        await db.close()
    }

    private func url(_ database: String, at node: Node? = nil, options: String? = nil) -> String {
        var components = coordinator
        components.path = "/\(database)"
        if let node { (components.host, components.port) = (node.host, node.port) }
        if let options {
            components.queryItems =
                (components.queryItems ?? []) + [URLQueryItem(name: "options", value: options)]
        }
        return components.string ?? ""
    }
}

/// The databases that a test made on the cluster, each node of which has places for the daemons of only a
/// few.
final class Databases: Sendable {
    @TaskLocal static var ofTest: Databases?

    let names = Mutex<[String]>([])

    /// Without an error: what is left is in nobody's way but the machine's.
    func discard() async {
        for name in names.withLock({ $0 }) { try? await CitusCluster.shared?.drop(name) }
    }
}
