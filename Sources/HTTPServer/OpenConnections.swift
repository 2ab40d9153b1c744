import NIOCore
import Synchronization
import Web

/// Counts open connections, and those refused or cut off.
package final class OpenConnections: Sendable {
    package let limit: Int
    private let open = Atomic(0)
    /// How many connections are accepted, including those that no event loop knows yet.
    private let descriptors = Atomic(0)
    private let highest = Atomic(0)
    private let turnedAway = Mutex(TurnedAway())
    let idle = IdleConnections()
    /// Closes a stream, a connection at work whose client comes back by itself, of a client that has more
    /// than `count` of them. False if no client has.
    private let makeRoom: @Sendable (_ count: Int) -> Bool

    package init(limit: Int, makeRoom: @escaping @Sendable (_ count: Int) -> Bool = { _ in false }) {
        (self.limit, self.makeRoom) = (limit, makeRoom)
    }

    /// What a client was too slow with.
    enum Slowness: String, CaseIterable {
        case head, body
        /// The client was too slow in reading its response.
        case answer
        /// The client was too slow in completing a request, while the connection was needed for others.
        case idle
        /// The client's network had most connections, while they were needed for others.
        case crowd
    }

    /// Counts since the start.
    package struct TurnedAway {
        package var refused = 0
        var slow: [Slowness: Int] = [:]
        var acceptErrors = 0
    }

    enum Place { case taken, tooMany, farTooMany }

    /// Counts a new connection, which must be given back in any case. Above the limit Kith closes another for
    /// it: an idle one, one of a crowd, or a stream of a client with more streams than the newcomer has
    /// connections. Otherwise the new one is refused with a 503, or closed at once if it is far above the
    /// limit.
    func take(now: NIODeadline = .now(), from network: ClientAddress? = nil) -> Place {
        let count = open.add(1, ordering: .relaxed).newValue
        highest.max(count, ordering: .relaxed)
        if count <= limit { return .taken }
        if count <= limit + Self.refusalMargin(limit),
            idle.makeRoom(now: now) || idle.makeRoomInCrowd(for: network) ?? makeRoom(idle.count(of: network))
        {
            return .taken
        }
        turnedAway.withLock { $0.refused += 1 }
        return count <= limit + Self.refusalMargin(limit) ? .tooMany : .farTooMany
    }

    func accepted() {
        descriptors.add(1, ordering: .relaxed)
    }

    /// Notes that an accepted connection has closed.
    func closed() {
        descriptors.subtract(1, ordering: .relaxed)
    }

    /// Whether so many are accepted that the next one would be closed at once.
    var isCrowded: Bool { descriptors.load(ordering: .relaxed) > limit + Self.refusalMargin(limit) }

    func giveBack() {
        open.subtract(1, ordering: .relaxed)
    }

    /// Counts a client that was too slow and is cut off.
    func cutOff(_ slowness: Slowness) {
        turnedAway.withLock { $0.slow[slowness, default: 0] += 1 }
    }

    /// Counts a connection for which the system had no descriptor or memory.
    func acceptFailed() {
        turnedAway.withLock { $0.acceptErrors += 1 }
    }

    package var sinceStart: TurnedAway { turnedAway.withLock { $0 } }

    var count: Int { open.load(ordering: .relaxed) }

    /// Returns how many connections have closed since the highest count, and restarts the count.
    package func goneSinceMost() -> Int {
        let now = count
        return highest.exchange(now, ordering: .relaxed) - now
    }

    /// Returns how many connections above the limit get a 503. The rest are closed at once.
    static func refusalMargin(_ limit: Int) -> Int { max(4, limit / 16) }
}
