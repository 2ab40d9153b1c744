import Foundation

/// Writes deletions and revocations into a file that is kept apart from the database and its backups. The file itself says how far it
/// is: what it has when a server begins, is not read again. A line may come twice, and means the same then.
struct ErasureLog: Sendable {
    let file: AppendOnlyFile
    let store: ErasureStore

    /// The last event that it looked at; nil: the file was not read yet.
    private var position: Int64?
    private var revoked: Set<String> = []

    init(_ file: AppendOnlyFile, _ store: ErasureStore) {
        (self.file, self.store) = (file, store)
    }

    /// Writes what is new, up to an event.
    mutating func follow(to last: Int64) async throws {
        var position = try await begin()
        while position < last {
            let end = min(last, position + Self.step)
            let found = try await store.deletions(after: position, through: end, limit: Self.most)
            try file.append(found.map(\.line))
            position = found.count == Self.most ? found.last?.event ?? end : end
            self.position = position
        }
    }

    /// Writes which keys were revoked since it last looked.
    mutating func noteKeys() async throws {
        _ = try await begin()
        let new = try await store.revocations().filter { !revoked.contains($0.revoked ?? "") }
        try file.append(new.map(\.line))
        revoked.formUnion(new.compactMap(\.revoked))
    }

    /// Events are numbered by microseconds: of many days, five minutes at once.
    private static let step: Int64 = 300_000_000
    private static let most = 1_000

    private mutating func begin() async throws -> Int64 {
        if let position { return position }
        let known = try file.lastLines().compactMap { Erasure(line: $0) }
        revoked = Set(known.compactMap(\.revoked))
        let oldest = try await EventStore(db: store.db).next(after: 0).map { $0 - 1 } ?? 0
        let begin = max(known.compactMap(\.event).max() ?? 0, oldest)
        position = begin
        return begin
    }
}
