import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Sets up the handlers of one connection: those of Hummingbird's `HTTP1Channel`, with `ConnectionHandler` instead of its
/// type conversion and idle timeout.
struct ConnectionChannel: ServerChildChannel, HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: HTTPChannelHandler.Responder
    let limits: ConnectionLimits
    let connections: OpenConnections
    var accessLog: AccessLog?
    var proxies = TrustedProxies()

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
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

    /// Limits the buffers of the system and the event loop, so that a client that sends much and reads nothing costs little.
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

    func handle(value: Value, logger: Logger) async {
        await handleHTTP(asyncChannel: value, logger: logger)
    }
}
