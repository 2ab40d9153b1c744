import NIOCore

/// Works before the parser: it holds back bytes of a client that pipelines too many requests, drops those
/// after the last request, and measures the first line of a request.
final class RequestIntake: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var length = 0
    private var hasEnded = false
    private var held = ByteBuffer()
    private var hasHeldEnd = false
    private var wantsRead = false
    private var isPassing = false
    private var context: ChannelHandlerContext?

    /// Whether so many requests wait for their responses that no more are parsed.
    var isFull = false
    /// Whether the rest of a body is missing. It is passed on in any case, because the answer may wait for
    /// it.
    var isInBody = false

    /// Whether all further input is dropped. The parser would keep everything after `Upgrade` or `CONNECT`.
    var isDeaf = false
    private var dropped = 0

    private var tail: UInt32 = 0
    /// Whether the bytes passed on so far end with an empty line, as a head does.
    var endsBlank: Bool { tail == 0x0D0A_0D0A }

    /// Whether input waits for the server, not for the client.
    var isHolding: Bool { held.readableBytes > 0 || hasHeldEnd }

    /// Bytes that the parser has read since the last request ended.
    private(set) var headLength = 0

    var isTooLong: Bool { length > ConnectionLimits.field }

    /// Notes the end of a request.
    func next() { (length, hasEnded, headLength) = (0, false, 0) }

    /// Counts dropped bytes, and closes the connection if a client keeps sending after its last response.
    func drop(_ bytes: Int) {
        dropped += bytes
        if dropped > ConnectionLimits.ahead { context?.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if isHolding { held.writeBuffer(&bytes) } else { held = bytes }
        pass(context)
        // The system delivers everything it has when the client ends its side, even if no read was requested.
        if held.readableBytes > ConnectionLimits.ahead { context.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event, isHolding {
            hasHeldEnd = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func read(context: ChannelHandlerContext) {
        if isHolding { wantsRead = true } else { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        (held, hasHeldEnd) = (ByteBuffer(), false)
        context.fireChannelInactive()
    }

    /// Passes on bytes that were held back. It is called after a response.
    func release() {
        guard isHolding, !isPassing, let context else { return }
        pass(context)
        context.fireChannelReadComplete()
        if !isHolding, wantsRead {
            wantsRead = false
            context.read()
        }
    }

    /// - Parameter sent: completes when all that is written has been sent.
    func flush(_ sent: EventLoopPromise<Void>) {
        guard let context else { return sent.fail(ChannelError.ioOnClosedChannel) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: sent)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    private func pass(_ context: ChannelHandlerContext) {
        guard !isPassing else { return }
        isPassing = true
        defer { isPassing = false }
        while !isFull || isInBody, !isDeaf, held.readableBytes > 0,
            let piece = held.readSlice(length: isFull ? lineLength : pieceLength)
        {
            measure(piece)
            context.fireChannelRead(wrapInboundOut(piece))
        }
        if isDeaf, held.readableBytes > 0 {
            let bytes = held.readableBytes
            held = ByteBuffer()
            drop(bytes)
        }
        guard held.readableBytes == 0 else { return }
        held = ByteBuffer()
        if hasHeldEnd {
            hasHeldEnd = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
    }

    /// The length of the next piece. A piece ends after an empty line, where a request may end, so that it
    /// has only a few requests.
    private var pieceLength: Int {
        let bytes = held.readableBytesView
        var index = bytes.startIndex + Self.few
        var lineLength = 2
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\n"):
                if lineLength == 0 { return index + 1 - bytes.startIndex }
                lineLength = 0
            case UInt8(ascii: "\r"): break
            default: lineLength += 1
            }
            index += 1
        }
        return bytes.count
    }

    /// The bytes to pass on after a body: they end with the first line of the next request at the latest.
    private var lineLength: Int {
        let bytes = held.readableBytesView
        return bytes.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 - bytes.startIndex } ?? bytes.count
    }

    /// The fewest bytes of a piece. The shortest request has about 25.
    private static let few = 128

    private func measure(_ piece: ByteBuffer) {
        let bytes = piece.readableBytesView
        for byte in bytes.suffix(4) { tail = tail << 8 | UInt32(byte) }
        headLength += bytes.count
        guard !hasEnded else { return }
        let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
        length += (end ?? bytes.endIndex) - bytes.startIndex
        hasEnded = end != nil
    }
}
