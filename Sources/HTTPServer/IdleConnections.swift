import NIOCore
import Synchronization
import Web

/// The connections that may be closed to make room at the limit. Before a new connection is refused, Kith
/// closes that of a client that is idle, silent in the middle of its body, or one of many in a network.
final class IdleConnections: Sendable {
    /// One connection.
    final class Entry: Sendable {
        /// When the silence began, in nanoseconds. The highest bit marks a missing body, so that all idle
        /// connections come first.
        private let since = Atomic(UInt64.max)
        private let isCut = Atomic(false)
        let network: ClientAddress?
        fileprivate let leave: @Sendable () -> Void
        private let close: @Sendable () -> Void

        /// - Parameters:
        ///   - network: the client's network. Nil if many clients may come from there.
        ///   - leave: closes the connection if it is still idle or silent then.
        ///   - close: closes the connection whatever it does.
        init(
            of network: ClientAddress? = nil, leave: @escaping @Sendable () -> Void,
            close: @escaping @Sendable () -> Void
        ) {
            (self.network, self.leave, self.close) = (network, leave, close)
        }

        /// Closes the connection whatever it does. False if it was already cut.
        fileprivate func cut() -> Bool {
            guard !isCut.exchange(true, ordering: .relaxed) else { return false }
            close()
            return true
        }

        /// - Parameters:
        ///   - since: when the client's turn began. Nil while it is the server's turn.
        ///   - body: whether the client began a request and owes its body.
        func isSilent(since: NIODeadline?, body: Bool = false) {
            let since = since.map { $0.uptimeNanoseconds | (body ? Self.body : 0) }
            self.since.store(since ?? .max, ordering: .relaxed)
        }

        fileprivate static let body: UInt64 = 1 << 63
        fileprivate var silentSince: UInt64 { since.load(ordering: .relaxed) }

        /// Claims the connection if it has been silent since `expected`. Then nobody else can claim it.
        fileprivate func claim(_ expected: UInt64) -> Bool {
            since.compareExchange(expected: expected, desired: .max, ordering: .relaxed).exchanged
        }
    }

    private struct Entries {
        var all: [Entry] = []
        var places: [ObjectIdentifier: Int] = [:]
        var ofNetwork: [ClientAddress: Int] = [:]
    }

    /// How many connections to compare. Comparing all of them at each new connection of a flood would take
    /// long.
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

    /// Closes the connection that has been idle longest among those compared, or else the one whose body has
    /// been missing longest. False if none was silent long enough.
    func makeRoom(now: NIODeadline) -> Bool {
        let latest = (now - ConnectionLimits.spare).uptimeNanoseconds
        let silent = sample().map { ($0, $0.silentSince) }.filter { $0.1 & ~Entry.body <= latest }
        let ordered = silent.sorted { $0.1 < $1.1 }
        guard let (entry, _) = ordered.first(where: { $0.claim($1) }) else { return false }
        entry.leave()
        return true
    }

    /// Closes a connection of the network that has more than half of those compared, whether it is at work or
    /// not. False if the new connection comes from that network too. Nil if there is no such network.
    func makeRoomInCrowd(for newcomer: ClientAddress?) -> Bool? {
        let some = sample()
        let networks = Dictionary(grouping: some.filter { $0.network != nil }, by: \.network)
        guard let crowd = networks.values.first(where: { $0.count > some.count / 2 }) else { return nil }
        return crowd[0].network != newcomer && crowd.contains { $0.cut() }
    }

    /// Returns how many connections the network has. It is 0 for nil.
    func count(of network: ClientAddress?) -> Int {
        network.flatMap { network in entries.withLock { $0.ofNetwork[network] } } ?? 0
    }

    /// Returns connections that are drawn one by one: connections that came together are stored together, and
    /// say little about the others.
    private func sample() -> [Entry] {
        entries.withLock { entries in
            guard entries.all.count > Self.compared else { return entries.all }
            return (0..<Self.compared).compactMap { _ in entries.all.randomElement() }
        }
    }
}
