import NIOCore
import Synchronization
import Web

/// The connections that may be closed to make room at the limit: a client that is idle, or silent in the middle of its body, or one
/// of many of a network, is closed before a new one is refused.
final class IdleConnections: Sendable {
    /// One connection.
    final class Entry: Sendable {
        /// In nanoseconds, with the highest bit for a body: so all that are idle come before those.
        private let since = Atomic(UInt64.max)
        private let isCut = Atomic(false)
        let network: ClientAddress?
        fileprivate let leave: @Sendable () -> Void
        private let close: @Sendable () -> Void

        /// - Parameters:
        ///   - network: of the client; nil if many may come from there.
        ///   - leave: closes the connection if it is still idle or silent then.
        ///   - close: closes it whatever it does.
        init(
            of network: ClientAddress? = nil, leave: @escaping @Sendable () -> Void,
            close: @escaping @Sendable () -> Void
        ) {
            (self.network, self.leave, self.close) = (network, leave, close)
        }

        /// False if another has done so.
        fileprivate func cut() -> Bool {
            guard !isCut.exchange(true, ordering: .relaxed) else { return false }
            close()
            return true
        }

        /// - Parameters:
        ///   - since: nil while it is the server's turn.
        ///   - body: whether the client began a request and owes its body.
        func isSilent(since: NIODeadline?, body: Bool = false) {
            let since = since.map { $0.uptimeNanoseconds | (body ? Self.body : 0) }
            self.since.store(since ?? .max, ordering: .relaxed)
        }

        fileprivate static let body: UInt64 = 1 << 63
        fileprivate var silentSince: UInt64 { since.load(ordering: .relaxed) }

        /// Claims the connection if it has been silent since `expected`; then nobody else can.
        fileprivate func claim(_ expected: UInt64) -> Bool {
            since.compareExchange(expected: expected, desired: .max, ordering: .relaxed).exchanged
        }
    }

    private struct Entries {
        var all: [Entry] = []
        var places: [ObjectIdentifier: Int] = [:]
        var ofNetwork: [ClientAddress: Int] = [:]
    }

    /// How many to compare: comparing all at each new connection of a flood would take long.
    private static let compared = 64
    private let entries = Mutex(Entries())

    func add(_ entry: Entry) {
        entries.withLock { entries in
            entries.places[ObjectIdentifier(entry)] = entries.all.count
            entries.all.append(entry)
            if let network = entry.network { entries.ofNetwork[network, default: 0] += 1 }
        }
    }

    func remove(_ entry: Entry) {
        entries.withLock { entries in
            guard let place = entries.places.removeValue(forKey: ObjectIdentifier(entry)),
                let last = entries.all.popLast()
            else { return }
            if let network = entry.network, let count = entries.ofNetwork.removeValue(forKey: network),
                count > 1
            {
                entries.ofNetwork[network] = count - 1
            }
            guard last !== entry else { return }
            entries.all[place] = last
            entries.places[ObjectIdentifier(last)] = place
        }
    }

    /// Closes the connection that has been idle longest among those compared, or else the one whose body has been missing
    /// longest; false if none was silent long enough.
    func makeRoom(now: NIODeadline) -> Bool {
        let latest = (now - ConnectionLimits.spare).uptimeNanoseconds
        let silent = sample().map { ($0, $0.silentSince) }.filter { $0.1 & ~Entry.body <= latest }
        let ordered = silent.sorted { $0.1 < $1.1 }
        guard let (entry, _) = ordered.first(where: { $0.claim($1) }) else { return false }
        entry.leave()
        return true
    }

    /// Closes a connection of the network that has more than half of those compared, at work or not; false if the new one is of it,
    /// too, and nil if there is none.
    func makeRoomInCrowd(for newcomer: ClientAddress?) -> Bool? {
        let some = sample()
        let networks = Dictionary(grouping: some.filter { $0.network != nil }, by: \.network)
        guard let crowd = networks.values.first(where: { $0.count > some.count / 2 }) else { return nil }
        return crowd[0].network != newcomer && crowd.contains { $0.cut() }
    }

    /// How many connections the network has; 0 for nil.
    func count(of network: ClientAddress?) -> Int {
        network.flatMap { network in entries.withLock { $0.ofNetwork[network] } } ?? 0
    }

    /// Each is drawn by itself: connections that came together stand together, and say little of the others.
    private func sample() -> [Entry] {
        entries.withLock { entries in
            guard entries.all.count > Self.compared else { return entries.all }
            return (0..<Self.compared).compactMap { _ in entries.all.randomElement() }
        }
    }
}
