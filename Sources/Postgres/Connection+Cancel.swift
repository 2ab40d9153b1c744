/// Cancels statements whose callers have left.
extension Connection {
    /// Asks the server to stop statements whose callers have left. In a shared lane it does so only if the
    /// connection is stuck: the others in the group need their answers.
    ///
    /// The call blocks, so another thread makes it; the state machine sends no further group until it
    /// returns, or the cancel could hit that group.
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
