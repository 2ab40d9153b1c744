import NIOCore
import Synchronization

/// How many connections are open and may be, and how many were turned away or cut off.
final class OpenConnections: Sendable {
    let limit: Int
    private let open = Atomic(0)
    private let highest = Atomic(0)
    private let turnedAway = Mutex(TurnedAway())
    let idle = IdleConnections()

    init(limit: Int) {
        self.limit = limit
    }

    /// What a client was too slow with.
    enum Slowness: String, CaseIterable {
        case head, body
        /// To take its answer.
        case answer
        /// To ask something whole, while others had no room.
        case idle
    }

    /// Since the start.
    struct TurnedAway {
        var refused = 0
        var slow: [Slowness: Int] = [:]
        var acceptErrors = 0
    }

    enum Place { case taken, tooMany, farTooMany }

    /// Each must be given back, whatever the answer. For one too many another that is idle makes room; else it is told
    /// so, unless there are far too many.
    func take(now: NIODeadline = .now()) -> Place {
        let count = open.add(1, ordering: .relaxed).newValue
        highest.max(count, ordering: .relaxed)
        if count <= limit { return .taken }
        if count <= limit + Self.told(limit), idle.makeRoom(now: now) { return .taken }
        turnedAway.withLock { $0.refused += 1 }
        return count <= limit + Self.told(limit) ? .tooMany : .farTooMany
    }

    func giveBack() {
        open.subtract(1, ordering: .relaxed)
    }

    /// A client was too slow and is cut off.
    func cutOff(_ slowness: Slowness) {
        turnedAway.withLock { $0.slow[slowness, default: 0] += 1 }
    }

    /// The machine had no descriptor or memory for a client.
    func acceptFailed() {
        turnedAway.withLock { $0.acceptErrors += 1 }
    }

    var sinceStart: TurnedAway { turnedAway.withLock { $0 } }

    var count: Int { open.load(ordering: .relaxed) }

    /// How many have gone since the most that there were; counts anew from now.
    func goneSinceMost() -> Int {
        let now = count
        return highest.exchange(now, ordering: .relaxed) - now
    }

    /// So many more are answered with 503. The others are closed without a word.
    static func told(_ limit: Int) -> Int { max(4, limit / 16) }
}
