internal import Synchronization

/// What a lane does while the server has no room for further connections: the lanes then share those that
/// exist.
extension Inbox {
    /// Whether a further connection may be opened. It may not soon after the server refused one, nor while
    /// another lane has none.
    func mayOpen(_ state: State) -> Bool {
        if state.slots.allSatisfy({ $0.connection == nil }) { return true }
        return Clock.now() >= state.opensAgainAt && lane.spares?.isWanted != true
    }

    /// Handles a connection that the server refused. If the lane has another connection, it goes on with
    /// that, and this returns false. If it has none, another lane gives up one.
    func findRoom() -> Bool {
        let hasOther = state.withLock { state in
            state.opensAgainAt = Clock.after(.seconds(1))
            return state.slots.contains(where: \.isUp)
        }
        if !hasOther { lane.spares?.free(for: self) }
        return !hasOther
    }

    /// How many connections the lane can give up. One stays.
    var spare: Int { state.withLock { Self.staying($0).count - 1 } }

    private static func staying(_ state: State) -> [Int] {
        state.slots.indices.filter { state.slots[$0].isUp && !state.slots[$0].mustLeave }
    }

    /// Closes a connection, an idle one if there is one, unless it is the only one.
    func giveUpOne() {
        let leaving = state.withLock { state -> Connection? in
            let staying = Self.staying(state)
            guard staying.count > 1,
                let slot = staying.last(where: { state.slots[$0].isAsleep }) ?? staying.last
            else { return nil }
            state.slots[slot].mustLeave = true
            return state.slots[slot].connection
        }
        leaving?.wake()
    }

    /// Closes the only connection if it is idle, and returns whether it does. The next request opens another.
    func giveUpLast() -> Bool {
        let leaving = state.withLock { state -> Connection? in
            let staying = Self.staying(state)
            guard staying.count == 1, let slot = staying.first, state.slots[slot].isAsleep else { return nil }
            state.slots[slot].mustLeave = true
            return state.slots[slot].connection
        }
        leaving?.wake()
        return leaving != nil
    }

    /// Whether the connection is to be given up. Not so if it has meanwhile become the only one and requests
    /// wait.
    func mustLeave(_ slot: Int, _ state: inout State) -> Bool {
        guard state.slots[slot].mustLeave else { return false }
        if !Self.staying(state).isEmpty || state.waiting.isEmpty { return true }
        state.slots[slot].mustLeave = false
        return false
    }

    /// Goes on after a connection has left. If it was the last, a new one takes the requests that came
    /// meanwhile.
    func resume() {
        rouse(
            state.withLock { state in
                state.closed == nil && !state.waiting.isEmpty ? summon(&state) : .nobody
            })
    }
}
