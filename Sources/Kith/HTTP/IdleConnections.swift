import NIOCore
import Synchronization

/// The connections that may be closed to make room at the limit: an idle or slow client is closed before a new one is
/// refused.
final class IdleConnections: Sendable {
    /// One connection.
    final class Entry: Sendable {
        private let since = Atomic(UInt64.max)
        fileprivate let leave: @Sendable () -> Void

        /// - Parameter leave: closes the connection if it is still idle then.
        init(leave: @escaping @Sendable () -> Void) {
            self.leave = leave
        }

        /// - Parameter since: nil while a request is running.
        func isIdle(since: NIODeadline?) {
            self.since.store(since?.uptimeNanoseconds ?? .max, ordering: .relaxed)
        }

        fileprivate var idleSince: UInt64 { since.load(ordering: .relaxed) }

        /// Claims the connection if it has been idle since `expected`; then nobody else can.
        fileprivate func claim(_ expected: UInt64) -> Bool {
            since.compareExchange(expected: expected, desired: .max, ordering: .relaxed).exchanged
        }
    }

    private struct Entries {
        var all: [Entry] = []
        var places: [ObjectIdentifier: Int] = [:]
    }

    /// How many to compare: comparing all at each new connection of a flood would take long.
    private static let compared = 64
    private let entries = Mutex(Entries())

    func add(_ entry: Entry) {
        entries.withLock { entries in
            entries.places[ObjectIdentifier(entry)] = entries.all.count
            entries.all.append(entry)
        }
    }

    func remove(_ entry: Entry) {
        entries.withLock { entries in
            guard let place = entries.places.removeValue(forKey: ObjectIdentifier(entry)),
                let last = entries.all.popLast(), last !== entry
            else { return }
            entries.all[place] = last
            entries.places[ObjectIdentifier(last)] = place
        }
    }

    /// Closes the connection that has been idle longest among those compared; false if none was idle long enough.
    func makeRoom(now: NIODeadline) -> Bool {
        let some = entries.withLock { entries in
            let count = entries.all.count
            guard count > Self.compared else { return entries.all }
            let first = Int.random(in: 0..<count)
            return (0..<Self.compared).map { entries.all[(first + $0) % count] }
        }
        let latest = (now - ConnectionLimits.spare).uptimeNanoseconds
        let idle = some.map { ($0, $0.idleSince) }.filter { $0.1 <= latest }.sorted { $0.1 < $1.1 }
        guard let (entry, _) = idle.first(where: { $0.claim($1) }) else { return false }
        entry.leave()
        return true
    }
}
