import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// The handlers of one connection: Hummingbird's `HTTP1Channel` with `ConnectionHandler` in the place of its
/// conversion of types and its idle timeout.
struct ConnectionChannel: ServerChildChannel, HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: HTTPChannelHandler.Responder
    let limits: ConnectionLimits
    let connections: OpenConnections

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let (place, connections) = (connections.take(), connections)
        channel.closeFuture.whenComplete { _ in connections.giveBack() }
        guard place != .farTooMany else { return channel.eventLoop.makeFailedFuture(ChannelError.eof) }
        return channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let line = RequestLine()
            try pipeline.addHandler(line)
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false,
                withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: Self.decoderLimits)
            try pipeline.addHandler(
                ConnectionHandler(limits, line: line, refusal: place == .taken ? nil : .tooManyConnections))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true))
        }
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
