internal import Synchronization

/// What a lane does while the server has no room for further connections: then the lanes share those that there are.
extension Inbox {
    /// Whether a further connection may be opened: not soon after one was refused, nor while another lane has none.
    func mayOpen(_ state: State) -> Bool {
        if state.slots.allSatisfy({ $0.connection == nil }) { return true }
        return Clock.now() >= state.opensAgainAt && lane.spares?.isWanted != true
    }

    /// The server refused a connection. A lane that has another goes on with that, and this returns false; for one that has none
    /// another lane gives up one.
    func findRoom() -> Bool {
        let hasOther = state.withLock { state in
            state.opensAgainAt = Clock.after(.seconds(1))
            return state.slots.contains(where: \.isUp)
        }
        if !hasOther { lane.spares?.free(for: self) }
        return !hasOther
    }

    /// How many connections the lane can give up: one stays.
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

    /// Closes the only connection if it is idle; the next request opens another. Returns whether it does.
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

    /// Whether the connection is to be given up, and by now is not the only one while requests wait.
    func mustLeave(_ slot: Int, _ state: inout State) -> Bool {
        guard state.slots[slot].mustLeave else { return false }
        if !Self.staying(state).isEmpty || state.waiting.isEmpty { return true }
        state.slots[slot].mustLeave = false
        return false
    }

    /// A connection has left: if it was the last, a new one takes what came meanwhile.
    func resume() {
        rouse(
            state.withLock { state in
                state.closed == nil && !state.waiting.isEmpty ? summon(&state) : .nobody
            })
    }
}
