internal import Synchronization

/// Sends reads to standbys if their callers allow it and a standby is fresh enough. All others go to the
/// primary.
///
/// One task asks the primary and each standby once a second how far it is. No caller waits for it.
final class Standbys: Sendable {
    private struct State {
        var history: PrimaryHistory
        var watcher: Task<Void, Never>?
        var counts = StandbyStatistics()
        /// What the operator was last told about each standby.
        var told: [String?]
    }

    private let standbys: [Standby]
    /// The standby with which this process begins. It stays with the first one that is fresh, so that its
    /// users do not see older data after newer data.
    private let first: Int
    private let primary: Lane
    private let onEvent: @Sendable (Database.Event) -> Void
    private let state: Mutex<State>

    init(
        _ standbys: [Standby], maxAge: Duration, primary: Lane,
        onEvent: @escaping @Sendable (Database.Event) -> Void
    ) {
        self.standbys = standbys
        self.primary = primary
        self.onEvent = onEvent
        first = standbys.indices.randomElement() ?? 0
        state = Mutex(
            State(history: PrimaryHistory(maxAge: maxAge), told: standbys.map { _ in "not asked" }))
    }

    // MARK: Reading

    /// Returns what a standby's lane answers. Nil if the primary must be asked.
    func answer<T>(
        _ name: ReadLanes.Name, key: Int, deadline: Duration, _ read: (Lane) async throws -> T
    ) async throws -> T? {
        guard let freshness = Freshness.current else { return nil }
        guard var lane = lane(name, freshness) else {
            freshness.stayWithPrimary()
            state.withLock { $0.counts.passed += 1 }
            return nil
        }
        lane.key = key
        do {
            let answer = try await read(lane.with(deadline: deadline))
            state.withLock { $0.counts.answered += 1 }
            return answer
        } catch is PostgresError {
            freshness.stayWithPrimary()
            state.withLock { $0.counts.failed += 1 }
            return nil
        }
    }

    private func lane(_ name: ReadLanes.Name, _ freshness: Freshness) -> Lane? {
        let standby = freshness.standby {
            standbys.indices.lazy.map { self.standbys[(self.first + $0) % self.standbys.count] }
                .first { $0.lane(name, freshness) != nil }
        }
        return standby?.lane(name, freshness)
    }

    var count: Int { standbys.count }

    var statistics: StandbyStatistics {
        var counts = state.withLock { $0.counts }
        counts.standbys = standbys.map { ($0.name, $0.trouble == nil ? $0.age : nil) }
        return counts
    }

    // MARK: Watching

    func start() {
        let watcher = Task { [weak self] in
            while !Task.isCancelled, let self {
                await look()
                try? await Task.sleep(for: .seconds(1))
            }
        }
        state.withLock { $0.watcher = watcher }
    }

    private func look() async {
        await askPrimary()
        let history = state.withLock { $0.history }
        await withTaskGroup { group in
            for standby in standbys { group.addTask { await standby.look(history) } }
        }
        tell()
    }

    private func askPrimary() async {
        let time = Clock.now()
        do {
            let lane = primary.with(deadline: .seconds(1))
            guard let found = try await lane.first(PrimaryPosition.ask, { try PrimaryPosition(&$0) }) else {
                return
            }
            state.withLock { $0.history.note(found, at: time) }
        } catch PostgresError.server(let refusal) where refusal.sqlState == "42501" {
            state.withLock { state in
                state.history.trouble =
                    "the role of KITH_DATABASE_URL may not ask how far the primary is: \(refusal.message)"
            }
        } catch {
            state.withLock { $0.history.trouble = "the primary does not say how far it is" }
        }
    }

    /// Tells the operator of changes.
    private func tell() {
        for (index, standby) in standbys.enumerated() {
            let trouble = standby.trouble
            let isNew = state.withLock { state in
                defer { state.told[index] = trouble }
                return state.told[index] != trouble
            }
            if isNew { onEvent(.standby(name: standby.name, trouble: trouble)) }
        }
    }

    // MARK: The end

    var inboxes: [Inbox] { standbys.flatMap(\.inboxes) }

    func close() {
        state.withLock { $0.watcher }?.cancel()
        for standby in standbys { standby.close() }
    }
}

/// How reads that may go to standbys went.
public struct StandbyStatistics: Sendable {
    /// Reads answered by a standby.
    public internal(set) var answered = 0
    /// Reads sent to the primary, since no standby was fresh enough.
    public internal(set) var passed = 0
    /// Reads sent to the primary after a standby failed.
    public internal(set) var failed = 0
    /// Each standby's name, and how old its data may be. The age is nil if no read goes there.
    public internal(set) var standbys: [(name: String, age: Duration?)] = []
}
