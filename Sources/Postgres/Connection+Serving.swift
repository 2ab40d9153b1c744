internal import CLibPQ

/// Serves requests while the connection is up: carries out the steps of `PipelineState` and feeds it the
/// answers.
extension Connection {
    /// Works until the connection is lost, and returns why, or until nothing is left to do, and returns nil.
    func serve(_ wire: Wire) -> String? {
        mustLeave = nil
        hasServed = false
        wasSetUp = false
        endCancel()
        dropAt = Clock.after(inbox.lane.configuration.connectTimeout + inbox.lane.configuration.grace)
        let setup = state.openSetup(inbox.lane.setup, after: abandoned?.terminate)
        lookAt = Clock.never
        guard send(setup, on: wire) else { return wire.problem }
        while !mustStop {
            if cancel?.hasReturned == true { endCancel() }
            if state.canSend {
                if let mustLeave { return mustLeave }
                if !wasSetUp {
                    wasSetUp = true
                    abandoned = nil
                    inbox.connected(slot)
                } else if !group.isEmpty {
                    hasServed = true
                }
                switch next(on: wire) {
                case .send, .sleep: break
                case .stop: return nil
                case nil: return wire.problem
                }
            }
            let wasCopying = state.isCopying
            if !flush(wire) || !feedCopy(wire) { return mustLeave ?? wire.problem }
            if wasCopying, state.canSend { continue }
            if cancelHangs { return "a cancel does not return" }
            if !listen(wire) { return mustLeave ?? wire.problem }
            if let mustLeave, !state.isUnderWay { return mustLeave }
            cancelAbandoned(wire)
            guard state.isUnderWay else { continue }
            let now = Clock.now()
            if now >= dropAt { return "the server does not answer" }
            if isStranded(at: now) { return "what was sent, or its answer, was lost on the way" }
        }
        return "closed"
    }

    // MARK: Sending

    /// Takes the waiting requests and sends them. Nil if the connection is broken.
    private func next(on wire: Wire) -> Inbox.Next? {
        let next = inbox.take(for: self, &group)
        isStuck = false
        cancels = 0
        guard next == .send || state.needsRollback || !state.plans.dropped.isEmpty else {
            dropAt = Clock.never
            return next
        }
        let members = group.map { request in
            var member = PipelineState.Member(request.kind, request.statements, commits: request.commits)
            // Each connection may hold a stale plan.
            member.mayReprepare = request.reprepares <= inbox.lane.limits.connections
            // If the server goes away, it breaks all connections, and only trying one shows that it is dead.
            member.maySurviveLoss = request.losses <= inbox.lane.limits.connections
            return member
        }
        let latest = group.map(\.deadline).max() ?? Clock.now()
        let (dropAt, overflow) = latest.addingReportingOverflow(inbox.lane.configuration.grace.nanoseconds)
        self.dropAt = overflow ? Clock.never : dropAt
        expectSilence(after: takenAt)
        let steps = state.open(members, isolated: group.first?.isIsolated ?? false)
        defer { movedAt = Clock.now() }
        return send(steps, on: wire) ? .send : nil
    }

    private func send(_ steps: [PipelineState.Step], on wire: Wire) -> Bool {
        isFlushed = false
        // libpq sends its buffer when it is full: the server may have the whole group before the loop ends.
        state.handedOver()
        for step in steps where !send(step, on: wire) { return false }
        return true
    }

    private func send(_ step: PipelineState.Step, on wire: Wire) -> Bool {
        switch step {
        case .prepare(let name, let member, let index):
            wire.send(prepare: name, state.members[member].statements[index])
        case .run(let name?, let member, let index):
            wire.send(run: name, state.members[member].statements[index])
        case .run(nil, let member, let index): wire.send(unnamed: state.members[member].statements[index])
        case .begin: wire.send(unnamed: "BEGIN")
        case .commit: wire.send(unnamed: "COMMIT")
        case .script(let member):
            wire.exitPipeline() && wire.send(script: state.members[member].statements[0].sql)
        case .service(let statement, _): wire.send(unnamed: statement)
        case .sync: wire.sendSync()
        }
    }

    /// Sends without waiting. False if the connection is broken.
    private func flush(_ wire: Wire) -> Bool {
        guard !isFlushed else { return true }
        guard let done = wire.flush() else { return false }
        isFlushed = done
        return true
    }

    /// Sends the data of a COPY, each chunk once the previous one is sent. False if the connection is broken.
    // libpq reports a server's error only at the end of the data, so all of it is sent even then.
    private func feedCopy(_ wire: Wire) -> Bool {
        while state.isCopying, isFlushed, !mustStop, let request = group.first, let feed = request.feed {
            // A server that waits for data does not see a cancel.
            switch request.isFinished ? .end(refusing: "cancelled") : feed.take(for: self) {
            case .nothing: return true
            case .chunk(let bytes):
                isFlushed = false
                guard wire.send(copy: bytes), flush(wire) else { return false }
            case .end(let reason):
                isFlushed = false
                guard wire.endCopy(refusing: reason), flush(wire) else { return false }
                state.copyEnded()
                // libpq may already have read the answer: then the socket shows nothing more.
                return receive(wire)
            }
        }
        return true
    }

    // MARK: Receiving

    /// Waits for the socket, a caller or the time to give up. False if the connection is broken.
    // While data is left to send, it polls both directions: two sides that only write would wait for each
    // other forever.
    private func listen(_ wire: Wire) -> Bool {
        let events = isFlushed ? Wakeup.readable : Wakeup.readable | Wakeup.writable
        let ready: Int16
        if inbox.lane.sharing == .shared, !isStuck, state.isUnderWay, !group.isEmpty {
            let stuckAt = movedAt + Nanoseconds(inbox.lane.stuckAfter) * 1_000_000
            ready = wakeup.wait(for: events, on: wire.socket, until: stuckAt)
            // A caller's signal may have ended the wait.
            if ready == 0, Clock.now() >= stuckAt {
                isStuck = true
                inbox.stuck(slot)
            }
        } else {
            ready = wakeup.wait(
                for: events, on: wire.socket,
                until: state.isUnderWay ? min(dropAt, lookAt) : cancelLimit)
        }
        defer { if ready != 0 { movedAt = Clock.now() } }
        guard ready & ~Wakeup.writable != 0 else { return true }
        let isAlive = wire.consume()
        let isSound = receive(wire)
        return isAlive && isSound && !wire.isBroken
    }

    private func receive(_ wire: Wire) -> Bool {
        defer { putBackReruns() }
        var ends = 0
        while state.isUnderWay, !state.isCopying {
            switch wire.receive() {
            case .nothing: return true
            case .result(let result):
                ends = 0
                if !take(result, wire) { return false }
            case .end where state.isInScript:
                state.receive(.synced(wire.transaction ?? .idle), &actions)
                carryOut(nil)
                return wire.enterPipeline()
            case .end:
                // One end follows each statement's results; more in a row mean a broken connection.
                ends += 1
                if ends > 2 { return !wire.isBroken }
            }
        }
        return true
    }

    /// Passes one result to the state machine. False if the result ends the session.
    private func take(_ result: OpaquePointer, _ wire: Wire) -> Bool {
        let answer: PipelineState.Answer
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            if !wasSetUp { backend = Backend(result, pid: wire.backendPID) ?? backend }
            answer = .done(tag: state.awaitsCommit ? String(cString: PQcmdStatus(result)) : "")
        case PGRES_PIPELINE_ABORTED: answer = .skipped
        case PGRES_COPY_IN where state.mayCopy: answer = .copying
        case PGRES_PIPELINE_SYNC: answer = .synced(wire.transaction ?? state.transaction)
        case PGRES_FATAL_ERROR:
            let refusal = PostgresError.ServerError(result)
            guard let refusal, !PostgresError.ServerError.endsSession(result) else {
                mustLeave = refusal?.message ?? wire.problem
                PQclear(result)
                return false
            }
            answer = .failed(isStalePlan: refusal.isStalePlan(result))
        default:
            mustLeave = "the only supported COPY is FROM STDIN, by Session.copy"
            PQclear(result)
            return false
        }
        state.receive(answer, &actions)
        carryOut(result)
        return true
    }

    /// Carries out what the state machine decided. At most one action uses `result`; otherwise it is cleared.
    private func carryOut(_ result: OpaquePointer?) {
        var owned = result
        for action in actions {
            switch action {
            case .deliver(let member):
                group[member].succeed(owned.map(Rows.init(owning:)))
                owned = nil
            case .keep(let member):
                if let rows = owned.map(Rows.init(owning:)) { group[member].results.append(rows) }
                owned = nil
            case .finish(let member): group[member].succeed(group[member].results.last)
            case .refuse(let member, let index): refuse(group[member], index, result)
            case .rolledBack(let member): group[member].fail(PostgresError.rolledBack)
            case .rerun(let member): rerun(member)
            case .lost(let member, let may):
                group[member].fail(PostgresError.connectionLost(mayHaveCommitted: may))
            case .sessionUseless:
                mustLeave =
                    result.flatMap(PostgresError.ServerError.init)?.message ?? "the session cannot be set up"
            }
        }
        actions.removeAll(keepingCapacity: true)
        if let owned { PQclear(owned) }
    }

    private func refuse(_ request: Request, _ index: Int?, _ result: OpaquePointer?) {
        guard var refusal = result.flatMap(PostgresError.ServerError.init) else { return }
        refusal.statementIndex = index
        inbox.noteError(refusal, of: request)
        // A demoted primary keeps its sessions. Leave it, since a reconnect may reach the new primary.
        if refusal.sqlState == "25006", !inbox.lane.isReadOnly, inbox.lane.sharing != .session {
            mustLeave = "the server is read-only"
        }
        if refusal.mayPass, inbox.lane.sharing != .session, inbox.retry(request) { return }
        request.fail(PostgresError.server(refusal))
    }

    private func rerun(_ member: Int) {
        let request = group[member]
        request.isIsolated = true
        if state.members[member].isStale { request.reprepares += 1 }
        reruns.append(request)
    }

    func putBackReruns() {
        guard !reruns.isEmpty else { return }
        inbox.putBack(reruns)
        reruns.removeAll()
    }
}
