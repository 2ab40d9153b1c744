import NIOCore

/// What comes before the parser: holds back the bytes of a client that sends requests far ahead of their answers, drops
/// those after the last request, and knows how long the first line of a request is.
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

    /// Whether so many requests wait for their answers that no more are to be parsed.
    var isFull = false

    /// Whether nothing more is heard. The parser would keep all that comes after `Upgrade` or `CONNECT`.
    var isDeaf = false
    private var dropped = 0

    private var tail: UInt32 = 0
    /// Whether what was passed on last ends with an empty line, as a head does.
    var endsBlank: Bool { tail == 0x0D0A_0D0A }

    /// Whether the server, not the client, makes what comes in wait.
    var isHolding: Bool { held.readableBytes > 0 || hasHeldEnd }

    /// Bytes that the parser has read since the last request ended, or was heard whole.
    private(set) var headLength = 0

    var isTooLong: Bool { length > ConnectionLimits.field }

    /// A request has ended.
    func next() { (length, hasEnded, headLength) = (0, false, 0) }

    /// A client that goes on sending after its end was told is not listened to for long.
    func drop(_ bytes: Int) {
        dropped += bytes
        if dropped > ConnectionLimits.ahead { context?.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if isHolding { held.writeBuffer(&bytes) } else { held = bytes }
        pass(context)
        // The system hands over all it has when the client ends its side, also if nothing is to be read.
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

    /// Passes on what was held back; called after an answer.
    func release() {
        guard isHolding, !isPassing, let context else { return }
        pass(context)
        context.fireChannelReadComplete()
        if !isHolding, wantsRead {
            wantsRead = false
            context.read()
        }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    private func pass(_ context: ChannelHandlerContext) {
        guard !isPassing else { return }
        isPassing = true
        defer { isPassing = false }
        while !isFull, !isDeaf, held.readableBytes > 0, let piece = held.readSlice(length: pieceLength) {
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

    /// Requests end after an empty line, or later: in one piece are only a few.
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

    /// The shortest request has some 25 bytes.
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
