public import Postgres

extension Database {
    /// Runs `body` in a transaction on a connection of its own.
    public nonisolated(nonsending) func transaction<T>(
        _ body: nonisolated(nonsending) (Session) async throws -> T
    ) async throws -> T {
        try await withConnection { try await $0.transaction(body) }
    }
}
