package import NIOCore

/// Stops accepting for a moment after the system could not open a connection, for example without free
/// descriptors, and while many more connections are accepted than may be open.
// Other event loops close refused connections. If a crowd comes, this loop accepts faster than they close,
// until no descriptor is free. Then Swift's thread pool ends the process, because it must open a file under
// /proc now and then. After an error the channel keeps reading, so it would retry at once, forever, and use a
// whole core: NIO's own AcceptBackoffHandler delays only explicit reads.
package final class AcceptPause: ChannelDuplexHandler {
    package typealias InboundIn = any Channel
    package typealias InboundOut = any Channel
    package typealias OutboundIn = Never
    package typealias OutboundOut = Never

    static let afterError = TimeAmount.milliseconds(250)
    static let whileCrowded = TimeAmount.milliseconds(10)

    private let connections: OpenConnections
    private var isPaused = false

    init(_ connections: OpenConnections) {
        self.connections = connections
    }

    /// - Parameter listener: the channel that accepts connections.
    package static func add(to listener: any Channel, _ connections: OpenConnections) async {
        try? await listener.eventLoop.submit {
            try listener.pipeline.syncOperations.addHandler(AcceptPause(connections), position: .first)
        }.get()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is IOError else { return context.fireErrorCaught(error) }
        connections.acceptFailed()
        pause(context, for: Self.afterError)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connections.accepted()
        unwrapInboundIn(data).closeFuture.whenComplete { [connections] _ in connections.closed() }
        context.fireChannelRead(data)
        if connections.isCrowded { pause(context, for: Self.whileCrowded) }
    }

    package func read(context: ChannelHandlerContext) {
        if !isPaused { context.read() }
    }

    private func pause(_ context: ChannelHandlerContext, for length: TimeAmount) {
        guard !isPaused, let options = context.channel.syncOptions else { return }
        isPaused = true
        try? options.setOption(.autoRead, value: false)
        goOn(after: length, context)
    }

    private func goOn(after length: TimeAmount, _ context: ChannelHandlerContext) {
        let (bound, handler) = (
            NIOLoopBound(context, eventLoop: context.eventLoop),
            NIOLoopBound(self, eventLoop: context.eventLoop)
        )
        context.eventLoop.scheduleTask(in: length) {
            let (context, pause) = (bound.value, handler.value)
            if pause.connections.isCrowded { return pause.goOn(after: Self.whileCrowded, context) }
            pause.isPaused = false
            // This fails if the channel was closed meanwhile.
            try? context.channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}
