public import EmbeddedPostgres
internal import Postgres

/// A PostgreSQL and a streaming standby of it, which a test may pause, kill and promote.
public struct StandbyPair: Sendable {
    public let primary: EmbeddedPostgres
    public let standby: EmbeddedPostgres

    /// - Parameter prepare: fills the primary's database before the standby is made.
    public static func run(
        prepare: (String) async throws -> Void = { _ in }, _ test: (StandbyPair) async throws -> Void
    ) async throws {
        let primary = try await EmbeddedPostgres.start()
        let outcome: Result<Void, any Error>
        do {
            try await prepare(primary.url())
            let standby = try await EmbeddedPostgres.start(following: primary)
            let result: Result<Void, any Error>
            do { result = .success(try await test(StandbyPair(primary: primary, standby: standby))) } catch {
                result = .failure(error)
            }
            await standby.end()
            outcome = result
        } catch {
            outcome = .failure(error)
        }
        await primary.end()
        try outcome.get()
    }

    /// Runs statements on the standby as its operator.
    public func onStandby(_ sql: String) async throws {
        try await Self.run(sql, at: standby.url())
    }

    public func onPrimary(_ sql: String) async throws {
        try await Self.run(sql, at: primary.url())
    }

    private static func run(_ sql: String, at url: String) async throws {
        let operations = try Database(.init(url: url))
        do {
            try await operations.withConnection { try await $0.script(sql) }
            await operations.close()
        } catch {
            await operations.close()
            throw error
        }
    }
}
