/// Handles a broken connection.
extension Connection {
    /// Fails or requeues the requests in flight when the connection ended. `reason` is nil if none were left.
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

    /// Ends the server process of a caller's own session that was lost. No later session of this connection
    /// would end it.
    func endAbandoned() {
        guard let abandoned, let watch = inbox.lane.watch else { return }
        Task { try? await watch.with(deadline: .seconds(3)).run(abandoned.terminate) }
    }
}
