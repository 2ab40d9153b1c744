import NIOCore
import Web

/// Timeouts.
extension ConnectionHandler {
    func read(_ what: Reading, _ context: ChannelHandlerContext) {
        reading = what
        readingSince = context.eventLoop.now
        note(silentSince: readingSince)
        arm(context)
    }

    /// Notes when the client's turn began, for new connections that need room.
    func note(silentSince since: NIODeadline) {
        silentSince = since
        idle?.isSilent(since: isIdle || lacksBody ? since : nil, body: lacksBody)
    }

    /// When the client must have sent the next part. Nil while it is the server's turn.
    private var due: NIODeadline? {
        if intake.isHolding, !isLeaving { return nil }
        return switch reading {
        case .head: readingSince + (isClosing ? limits.lastCall : limits.head)
        case .body: readingSince + limits.body
        case .nothing:
            answering > 0 ? nil : readingSince + (isClosing ? limits.lastCall : limits.idle)
        case .dropping:
            isLeaving ? readingSince + (hasPlace ? limits.leaving : limits.turnedAway) : nil
        }
    }

    func arm(_ context: ChannelHandlerContext) {
        let beat = context.eventLoop.now + limits.beat
        let next = min(due ?? beat, beat)
        if let timer {
            guard next < timer.at else { return }
            timer.task.cancel()
        }
        let (bound, handler) = (
            NIOLoopBound(context, eventLoop: context.eventLoop),
            NIOLoopBound(self, eventLoop: context.eventLoop)
        )
        timer = (
            next, context.eventLoop.scheduleTask(deadline: next) { handler.value.tick(bound.value) }
        )
    }

    private func tick(_ context: ChannelHandlerContext) {
        timer = nil
        guard context.channel.isActive else { return }
        let (unsent, now) = (unsent(context), context.eventLoop.now)
        if isStalled(unsent, now) {
            connections.cutOff(.answer)
            return context.close(promise: nil)
        }
        // The time between two requests counts from when the answer was sent. Only this check looks at that:
        // a promise with each answer would cost more.
        if unsent > 0 {
            if reading == .nothing { readingSince = now }
            silentSince = now
            idle?.isSilent(since: nil)
        } else {
            note(silentSince: silentSince)
        }
        if let due, due <= now { expire(context) }
        arm(context)
    }

    private func expire(_ context: ChannelHandlerContext) {
        switch reading {
        case .head where isClosing: leave(context)
        case .head:
            connections.cutOff(.head)
            refuse(.requestTimeout, context)
        case .body:
            connections.cutOff(.body)
            breakOff(.requestTimeout, context)
        case .nothing, .dropping: context.close(promise: nil)
        }
    }

    /// Whether the client has long taken almost nothing of its pending response.
    private func isStalled(_ unsent: Int, _ now: NIODeadline) -> Bool {
        let bytes = written - unsent
        guard unsent > 0, let mark = taken, bytes - mark.bytes < ConnectionLimits.minimumProgress else {
            taken = unsent > 0 ? (bytes, now) : nil
            return false
        }
        return now - mark.since >= limits.stall
    }

    /// Returns how many bytes of responses the system has not taken yet, because the client is slow.
    func unsent(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    /// Whether no request is complete and unanswered. True also with half a head, or with the rest of a body
    /// that was already answered. The answers may still be on their way.
    var isIdle: Bool { answering == 0 && reading != .dropping }

    /// Whether the only unanswered request waits for the rest of its body, and nothing of its answer is
    /// written.
    private var lacksBody: Bool {
        guard isReading, answering == 1, !hasBegun, case .body(let left) = reading else { return false }
        return left != 0
    }

    /// Closes a silent connection to make room for another. If its last answer is still on its way, another
    /// connection must go.
    func leaveIfSilent(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        guard isIdle || lacksBody, unsent(context) == 0 else {
            _ = connections.idle.makeRoom(now: context.eventLoop.now)
            return
        }
        connections.cutOff(.idle)
        context.close(promise: nil)
    }

    /// Closes a connection of a crowd, whatever it does.
    func leaveCrowd(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        connections.cutOff(.crowd)
        context.close(promise: nil)
    }

    func stopTimer() {
        timer?.task.cancel()
        timer = nil
    }
}
