import NIOCore

/// What may take how long.
extension ConnectionHandler {
    func read(_ what: Reading, _ context: ChannelHandlerContext) {
        reading = what
        readingSince = context.eventLoop.now
        arm(context)
    }

    /// When what is waited for must have come; nil where it is our turn.
    private var due: NIODeadline? {
        if intake.isHolding, !isLeaving { return nil }
        return switch reading {
        case .head: readingSince + limits.head
        case .body: readingSince + limits.body
        case .nothing: answering > 0 ? nil : readingSince + limits.idle
        case .dropping: isLeaving ? readingSince + limits.leaving : nil
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
        if isStalled(context) {
            connections.cutOff(.answer)
            return context.close(promise: nil)
        }
        if let due, due <= context.eventLoop.now { expire(context) }
        arm(context)
    }

    private func expire(_ context: ChannelHandlerContext) {
        switch reading {
        case .head:
            connections.cutOff(.head)
            refuse(.requestTimeout, context)
        case .body:
            connections.cutOff(.body)
            breakOff(.requestTimeout, context)
        case .nothing, .dropping: context.close(promise: nil)
        }
    }

    /// Whether the client has taken nothing for long of what is there for it.
    private func isStalled(_ context: ChannelHandlerContext) -> Bool {
        let waiting = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        let now = context.eventLoop.now
        guard waiting > 0, written - waiting == taken.bytes else {
            taken = (waiting > 0 ? written - waiting : -1, now)
            return false
        }
        return now - taken.since >= limits.stall
    }

    func stopTimer() {
        timer?.task.cancel()
        timer = nil
    }
}
