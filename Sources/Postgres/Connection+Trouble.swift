/// What a connection does when it breaks, and with what nobody waits for any more.
extension Connection {
    /// Fails or saves what was under way when the connection ended; `reason` is nil where all was done.
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

    /// A caller's own session has no next one that would end its process.
    func endAbandoned() {
        guard let abandoned, let watch = inbox.lane.watch else { return }
        Task { try? await watch.with(deadline: .seconds(3)).run(abandoned.terminate) }
    }

    /// Asks the server to stop what nobody waits for any more.
    ///
    /// The asking blocks, so another thread does it; the state machine holds the next group back until it
    /// has returned, lest it hits that.
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

    /// A server that does not heed them is left to the time it has.
    private static var cancelsPerGroup: Int { 40 }

    func endCancel() {
        cancel = nil
        cancelLimit = Clock.never
        state.cancelReturned()
    }

    /// Whether a cancel has been out for a second since the answer came, and nothing may be sent before it
    /// is back.
    var cancelHangs: Bool {
        guard cancel != nil, !state.isUnderWay else { return false }
        if cancelLimit == Clock.never { cancelLimit = Clock.after(.seconds(1)) }
        return Clock.now() >= cancelLimit
    }
}
