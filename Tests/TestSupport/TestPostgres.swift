internal import EmbeddedPostgres
internal import Foundation
internal import Postgres

/// The PostgreSQL server of a test process: each test gets a database of its own. With `KITH_CITUS_URL`
/// copies of a template are on that Citus cluster.
public actor TestPostgres {
    public static let shared = TestPostgres()

    private var starting: Task<EmbeddedPostgres, any Error>?
    private var templates: [String: Task<Void, any Error>] = [:]

    /// Whether copies of a template are on a Citus cluster.
    public nonisolated static var isOnCitus: Bool { CitusCluster.shared != nil }

    /// The URL of a new, empty database.
    public func database() async throws -> String {
        try await create(Self.newName())
    }

    /// The URL of a new copy of a template, which `prepare` fills once.
    public func database(
        like template: String, prepare: @escaping @Sendable (String) async throws -> Void
    ) async throws -> String {
        if let cluster = CitusCluster.shared {
            return try await cluster.database(named: Self.newName(), like: template, prepare: prepare)
        }
        let task = templates[template] ?? Task { try await prepare(create(template)) }
        templates[template] = task
        try await task.value
        return try await create(Self.newName(), " TEMPLATE \(template) STRATEGY file_copy")
    }

    /// Drops a database of a test that is over, with its connections. Those of a Citus cluster end with it.
    public func drop(_ url: String) async throws {
        guard !Self.isOnCitus, let name = URL(string: url)?.lastPathComponent else { return }
        try await script("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    }

    private static func newName() -> String {
        "kith_test_" + UUID().uuidString.lowercased().replacing("-", with: "")
    }

    private func create(_ name: String, _ options: String = "") async throws -> String {
        try await script("CREATE DATABASE \(name)\(options)")
        return try await server().url(database: name)
    }

    private func script(_ sql: String) async throws {
        let admin = try Database(Database.Configuration(url: try await server().url()))
        try await admin.withConnection { try await $0.script(sql) }
        await admin.close()
    }

    private func server() async throws -> EmbeddedPostgres {
        let task = starting ?? Task { try await EmbeddedPostgres.start() }
        starting = task
        return try await task.value
    }
}
