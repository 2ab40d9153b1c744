import NIOCore

/// Stops accepting for a moment after the system could not open a connection, as without free descriptors.
// After such an error the channel keeps reading, so it would retry at once, forever, and use a whole core: NIO's own
// AcceptBackoffHandler delays only explicit reads.
final class AcceptPause: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    static let length = TimeAmount.milliseconds(250)

    private let connections: OpenConnections
    private var isPaused = false

    init(_ connections: OpenConnections) {
        self.connections = connections
    }

    /// - Parameter listener: the channel that accepts connections.
    static func add(to listener: any Channel, _ connections: OpenConnections) async {
        try? await listener.eventLoop.submit {
            try listener.pipeline.syncOperations.addHandler(AcceptPause(connections), position: .first)
        }.get()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is IOError else { return context.fireErrorCaught(error) }
        connections.acceptFailed()
        pause(context)
    }

    func read(context: ChannelHandlerContext) {
        if !isPaused { context.read() }
    }

    private func pause(_ context: ChannelHandlerContext) {
        guard !isPaused, let options = context.channel.syncOptions else { return }
        isPaused = true
        try? options.setOption(.autoRead, value: false)
        let (bound, handler) = (
            NIOLoopBound(context, eventLoop: context.eventLoop),
            NIOLoopBound(self, eventLoop: context.eventLoop)
        )
        context.eventLoop.scheduleTask(in: Self.length) {
            handler.value.isPaused = false
            // This fails if the channel was closed meanwhile.
            try? bound.value.channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}
