/// Handles a broken connection, and cancels statements whose callers have left.
extension Connection {
    /// Fails or requeues the requests in flight when the connection ended; `reason` is nil if none were left.
    func connectionLost(_ reason: String?) {
        let lost = group
        if reason != nil, state.isUnderWay, !group.isEmpty { abandoned = backend }
        backend = nil
        look = nil
        var outcome: [PipelineState.Action] = []
        state.connectionLost(&outcome)
        for case .rerun(let member) in outcome {
            lost[member].losses += 1
            reruns.append(lost[member])
        }
        inbox.disconnected(slot, reason: reason)
        putBackReruns()
        for case .lost(let member, let may) in outcome {
            lost[member].fail(PostgresError.connectionLost(mayHaveCommitted: may))
        }
        group.removeAll()
        actions.removeAll()
        isFlushed = true
    }

    /// Ends the process of a lost session of a caller, which no next session replaces.
    func endAbandoned() {
        guard let abandoned, let watch = inbox.lane.watch else { return }
        Task { try? await watch.with(deadline: .seconds(3)).run(abandoned.terminate) }
    }

    /// Asks the server to stop statements whose callers have left.
    ///
    /// The call blocks, so another thread makes it; the state machine sends no further group until it returns,
    /// or the cancel could hit that group.
    func cancelAbandoned(_ wire: Wire) {
        guard isStuck || inbox.lane.sharing != .shared, !group.isEmpty, cancels < Self.cancelsPerGroup else {
            return
        }
        guard state.beginCancel({ group[$0].isFinished }) else { return }
        cancels += 1
        guard let cancel = wire.makeCancel() else { return state.cancelReturned() }
        self.cancel = cancel
        let isStarted = Thread.start { [self] in
            cancel.send()
            wake()
        }
        if !isStarted { endCancel() }
    }

    /// A server that ignores this many cancels is left to its own timeouts.
    private static var cancelsPerGroup: Int { 40 }

    func endCancel() {
        cancel = nil
        cancelLimit = Clock.never
        state.cancelReturned()
    }

    /// Whether a cancel has still not returned a second after the answer came, so that nothing can be sent.
    var cancelHangs: Bool {
        guard cancel != nil, !state.isUnderWay else { return false }
        if cancelLimit == Clock.never { cancelLimit = Clock.after(.seconds(1)) }
        return Clock.now() >= cancelLimit
    }
}
