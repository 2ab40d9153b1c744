internal import Synchronization

/// One standby: its lanes while it is well, and the age of its data.
///
/// The lanes exist from a look that finds the standby well until the first trouble, and connect to that
/// server alone. So what a look saw holds for each answer.
final class Standby: Sendable {
    private struct State {
        var server: String?
        var lanes: ReadLanes?
        /// The lanes that have answered. Reads go only to these, so no caller waits for a standby's
        /// connection.
        var ready: Set<ReadLanes.Name> = []
        var replayed: WALPosition?
        /// The last time at which the standby had everything that the primary had.
        var freshAt: Nanoseconds?
        var trouble: String? = "it was not asked yet"
        /// The number of the current lanes, so that the end of former ones does not end these.
        var generation = 0
        var isClosed = false
    }

    let name: String
    private let settings: LaneSettings
    private let deadlines: Deadlines
    private let watch: Lane
    private let state = Mutex(State())

    init(_ settings: LaneSettings, _ deadlines: Deadlines) {
        self.settings = settings
        self.deadlines = deadlines
        name = settings.hosts.name
        watch = Lane(settings.watching, .read, deadlines)
    }

    /// Returns the lane if the standby has what the reader must find.
    func lane(_ name: ReadLanes.Name, _ freshness: Freshness) -> Lane? {
        state.withLock { state in
            guard let freshAt = state.freshAt, let replayed = state.replayed, let lanes = state.lanes,
                state.ready.contains(name), freshness.after.map({ $0 <= replayed }) ?? true,
                Clock.now() - freshAt <= freshness.maxAge.nanoseconds
            else { return nil }
            return lanes[name]
        }
    }

    /// Why no read goes to the standby. Nil if reads may go there.
    var trouble: String? { state.withLock { $0.trouble } }

    /// How old the standby's data may be. Nil if that is unknown.
    var age: Duration? {
        state.withLock { state in
            state.freshAt.map { .nanoseconds(max(0, Clock.now() - $0)) }
        }
    }

    var inboxes: [Inbox] { [watch.inbox] + (state.withLock { $0.lanes?.inboxes } ?? []) }

    // MARK: Looking

    /// Asks the standby how far it is, and compares that with what the primary said before.
    func look(_ history: PrimaryHistory) async {
        do {
            let seen = try await watch.first(StandbyPosition.ask) { try StandbyPosition(&$0) }
            guard let seen else { return }
            if let trouble = history.trouble(with: seen) { return leave(because: trouble) }
            note(seen, history)
            await openLanes()
        } catch let error as PostgresError {
            leave(because: Self.reason(error))
        } catch {
            // The process ends.
        }
    }

    private func note(_ seen: StandbyPosition, _ history: PrimaryHistory) {
        let former = state.withLock { state -> ReadLanes? in
            let former = state.server == seen.server ? nil : state.lanes
            if state.server != seen.server || state.lanes == nil {
                state.ready = []
                state.generation += 1
                state.lanes = state.isClosed ? nil : lanes(on: seen.server, state.generation)
                state.freshAt = nil
            }
            state.server = seen.server
            state.replayed = seen.replayed
            state.freshAt = seen.replayed.flatMap(history.lastTime(before:)) ?? state.freshAt
            state.trouble = history.lag(since: state.freshAt)
            return former
        }
        former?.abort()
    }

    private func lanes(on server: String, _ generation: Int) -> ReadLanes {
        var settings = settings
        settings.server = server
        settings.onEvent = { [weak self] event in
            // A caller that waits for the lost connection asks the primary.
            guard case .disconnected(_, .some(let reason)) = event, let self,
                state.withLock({ $0.generation }) == generation
            else { return }
            leave(because: reason)
        }
        return ReadLanes(settings, deadlines)
    }

    /// Waits for the first answer of lanes that have not answered yet.
    private func openLanes() async {
        let (lanes, ready, generation) = state.withLock { ($0.lanes, $0.ready, $0.generation) }
        guard let lanes else { return }
        await withTaskGroup { group in
            for name in ReadLanes.Name.allCases where !ready.contains(name) {
                group.addTask { [self] in
                    let lane = lanes[name].with(deadline: .seconds(1))
                    guard (try? await lane.rows("SELECT 1")) != nil else { return }
                    state.withLock { state in
                        if state.generation == generation, state.lanes != nil { state.ready.insert(name) }
                    }
                }
            }
        }
    }

    private func leave(because trouble: String) {
        let lanes = state.withLock { state in
            state.trouble = trouble
            state.freshAt = nil
            state.ready = []
            defer { state.lanes = nil }
            return state.lanes
        }
        lanes?.abort()
    }

    private static func reason(_ error: PostgresError) -> String {
        switch error {
        case .unavailable(let reason): reason
        case .server(let refusal) where refusal.sqlState == "42501":
            "its role may not ask how far the standby is: \(refusal.message)"
        case .server(let refusal): refusal.message
        default: error.description
        }
    }

    // MARK: The end

    func close() {
        let lanes = state.withLock { state in
            state.isClosed = true
            return state.lanes
        }
        for inbox in [watch.inbox] + (lanes?.inboxes ?? []) { inbox.close() }
    }
}
