import Events
import Foundation
import Kernel
package import Web

/// Writes deletions and revocations to a file that is kept apart from the database and its backups. The file
/// itself says how far it goes: what it has when a server begins is not read from the database again. A line
/// may come twice, which changes nothing.
package struct ErasureLog: Sendable {
    let file: AppendOnlyFile
    let store: ErasureStore

    private var isRead = false
    /// The last event that it looked at.
    private var position: Int64 = 0
    private var revoked: Set<String> = []

    package init(_ file: AppendOnlyFile, _ store: ErasureStore) {
        (self.file, self.store) = (file, store)
    }

    /// Writes the new deletions, up to an event.
    mutating func follow(to last: Int64) async throws {
        try read()
        while position < last {
            if position + Self.step < last {
                // Nothing is asked for a time without events.
                let next = try await EventStore(db: store.db).next(after: position) ?? last
                position = min(next, last) - 1
            }
            let end = min(last, position + Self.step)
            let found = try await store.deletions(after: position, through: end, limit: Self.most)
            try file.append(found.map(\.line))
            position = found.count == Self.most ? found.last?.event ?? end : end
        }
    }

    /// Writes which keys were revoked since the last call.
    mutating func noteKeys() async throws {
        try read()
        let new = try await store.revocations().filter { !revoked.contains($0.revoked ?? "") }
        try file.append(new.map(\.line))
        revoked.formUnion(new.compactMap(\.revoked))
    }

    /// How far one query reads: events are numbered by microseconds, so this is five minutes of the many days
    /// that it may have to read.
    private static let step: Int64 = 300_000_000
    private static let most = 1_000

    private mutating func read() throws {
        guard !isRead else { return }
        let known = try file.lastLines().compactMap { Erasure(line: $0) }
        revoked = Set(known.compactMap(\.revoked))
        position = known.compactMap(\.event).max() ?? 0
        isRead = true
    }
}
