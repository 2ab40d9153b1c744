package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
package import NIOHTTPTypes
package import Web

/// Sets up the handlers of one connection: those of Hummingbird's `HTTP1Channel`, with `ConnectionHandler`
/// instead of its type conversion and idle timeout.
package struct ConnectionChannel: ServerChildChannel, HTTPChannelHandler {
    package typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    package let responder: HTTPChannelHandler.Responder
    package let limits: ConnectionLimits
    package let connections: OpenConnections
    package var accessLog: AccessLog?
    package var proxies = TrustedProxies()

    package init(
        responder: @escaping HTTPChannelHandler.Responder, limits: ConnectionLimits,
        connections: OpenConnections,
        accessLog: AccessLog? = nil, proxies: TrustedProxies = TrustedProxies()
    ) {
        self.responder = responder
        self.limits = limits
        self.connections = connections
        self.accessLog = accessLog
        self.proxies = proxies
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let (network, connections) = (proxies.network(of: channel.remoteAddress), connections)
        let place = connections.take(now: channel.eventLoop.now, from: network)
        channel.closeFuture.whenComplete { _ in connections.giveBack() }
        guard place != .farTooMany else {
            // Nothing else closes a channel that was not set up: its descriptor would never be freed.
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(ChannelError.eof)
        }
        return channel.eventLoop.makeCompletedFuture {
            try Self.keepSmall(channel)
            let pipeline = channel.pipeline.syncOperations
            let intake = RequestIntake()
            try pipeline.addHandler(intake)
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false,
                withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: Self.decoderLimits)
            try pipeline.addHandler(
                ConnectionHandler(
                    limits, of: connections, intake: intake,
                    refusal: place == .taken ? nil : .tooManyConnections, accessLog: accessLog,
                    proxies: proxies))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    /// Limits the buffers of the system and the event loop, so that a client that sends much and reads
    /// nothing costs little.
    private static func keepSmall(_ channel: any Channel) throws {
        guard let options = channel.syncOptions else { return }
        try options.setOption(.maxMessagesPerRead, value: 1)
        try options.setOption(
            .recvAllocator,
            value: AdaptiveRecvByteBufferAllocator(
                minimum: 512, initial: 1024, maximum: ConnectionLimits.received))
        try options.setOption(.writeBufferWaterMark, value: ConnectionLimits.unsent)
        #if os(Linux)
            let notSentLowat = NIOBSDSocket.Option(rawValue: 25)  // TCP_NOTSENT_LOWAT
            try? options.setOption(
                .tcpOption(notSentLowat), value: SocketOptionValue(ConnectionLimits.unsent.high))
        #endif
    }

    private static var decoderLimits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = ConnectionLimits.field
        limits.maxHeaderListSize = ConnectionLimits.fields
        limits.maxHeaderFieldCount = ConnectionLimits.fieldCount
        return limits
    }

    package func handle(value: Value, logger: Logger) async {
        await handleHTTP(asyncChannel: value, logger: logger)
    }
}
