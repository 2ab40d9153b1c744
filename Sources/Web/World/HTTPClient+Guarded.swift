import AsyncHTTPClient
import NIOCore
import NIOHTTP1

extension HTTPClient.Configuration {
    /// A configuration for requests to unknown servers: no redirects, and one try to connect, which ends
    /// before any caller's time is over.
    static var guarded: Self {
        var configuration = Self(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .milliseconds(HTTPFetch.Failure.mostMillisecondsConnecting)))
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.submit {
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(StatusGuard(), position: .after(decoder))
            }
        }
        return configuration
    }
}

/// Fails a connection whose answer has a status below 100. AsyncHTTPClient 1.37 skips its head like that of
/// an informational answer, and ends the process at the end of the answer.
private final class StatusGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private var isOver = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 {
            isOver = true
            context.fireErrorCaught(HTTPParserError.invalidStatus)
            context.close(promise: nil)
        }
        if !isOver { context.fireChannelRead(data) }
    }
}
