import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// One connection: passes requests on and answers back, keeps time, and answers itself what never becomes a
/// request. It ends the connection where what follows could not be told from what is left of a request.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// What comes in.
    private enum Reading: Equatable {
        case nothing
        case head
        /// - Parameter left: nil if it comes in chunks.
        case body(left: Int?)
        /// Whatever comes is dropped.
        case dropping
    }

    private let limits: ConnectionLimits
    private let intake: RequestIntake
    private var reading = Reading.nothing
    private var readingSince = NIODeadline.distantPast
    /// Requests passed on whose answers have not gone out.
    private var answering = 0 {
        didSet { intake.isFull = answering >= ConnectionLimits.pipelined }
    }
    /// After the answers under way nothing more is read.
    private var isClosing = false
    /// What is answered after them.
    private var refusal: Problem?
    /// All is said; it is the client's turn to close.
    private var isLeaving = false
    private var isHead = false
    private var isOld = false
    /// Whether the bytes just read made a part of a request.
    private var hasHeard = false
    private var dropped = 0
    private var written = 0
    private var taken = (bytes: -1, since: NIODeadline.distantPast)
    private var timer: (at: NIODeadline, task: Scheduled<Void>)?

    /// - Parameter refusal: all that this connection is told.
    init(_ limits: ConnectionLimits, intake: RequestIntake, refusal: Problem? = nil) {
        self.limits = limits
        self.intake = intake
        self.refusal = refusal
    }
}

/// What comes in.
extension ConnectionHandler {
    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        read(.nothing, context)
        if let refusal { refuse(refusal, context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasHeard = true
        switch (unwrapInboundIn(data), reading) {
        case (.head(let head), .nothing), (.head(let head), .head):
            hear(head, context)
        case (.body(let bytes), .body(let left)):
            reading = .body(left: left.map { $0 - bytes.readableBytes })
            context.fireChannelRead(wrapInboundOut(.body(bytes)))
        case (.end(let trailers), .body):
            read(isClosing ? .dropping : .nothing, context)
            let fields = trailers.map { HTTPFields($0, splitCookie: false) }
            context.fireChannelRead(wrapInboundOut(.end(fields)))
        case (.body(let bytes), _):
            drop(bytes.readableBytes, context)
        default: drop(ConnectionLimits.unread / 16, context)
        }
    }

    private func hear(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        intake.next()
        isHead = head.method == .HEAD
        do throws(Problem) {
            let known = try RequestHead(head)
            isOld = head.version.minor == 0
            answering += 1
            isClosing = isClosing || !known.keepsAlive
            read(.body(left: known.bodyLength), context)
            if known.wantsContinue, known.bodyLength ?? 0 <= JSON.maxBody, answering == 1 {
                context.writeAndFlush(
                    wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))),
                    promise: nil)
            }
            context.fireChannelRead(wrapInboundOut(.head(known.request)))
        } catch {
            refuse(error, context)
        }
    }

    /// A client that goes on sending after its end was told is not listened to for long.
    private func drop(_ bytes: Int, _ context: ChannelHandlerContext) {
        dropped += bytes
        if dropped > 4 * ConnectionLimits.unread { context.close(promise: nil) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !hasHeard, reading == .nothing { read(.head, context) }
        hasHeard = false
        context.fireChannelReadComplete()
        if isLeaving { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        hasHeard = true
        switch (error, reading) {
        case (ByteToMessageDecoderError.dataReceivedInErrorState(_, let bytes), _):
            drop(bytes.readableBytes, context)
        case (_, .dropping): break
        case (_, .body): breakOff(.incompleteBody, context)
        case (HTTPParserError.headerOverflow, _):
            refuse(intake.isTooLong ? .uriTooLong : .headerFieldsTooLarge, context)
        case (is HTTPParserError, _): refuse(.badRequest("it is not HTTP/1.1"), context)
        default: context.fireErrorCaught(error)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            isClosing = true
            if answering == 0, !isLeaving { context.close(promise: nil) }
        case ChannelEvent.inputClosed where isLeaving:
            context.close(promise: nil)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        stopTimer()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        stopTimer()
    }
}

/// What goes out.
extension ConnectionHandler {
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let response):
            context.write(wrapOutboundOut(.head(head(of: response))), promise: promise)
        case .body(let bytes):
            written += bytes.readableBytes
            context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: promise)
        case .end(let trailers):
            answering -= 1
            defer { goOn(context) }
            let end = wrapOutboundOut(.end(trailers.map(HTTPHeaders.init)))
            guard answering == 0 else { return context.write(end, promise: promise) }
            if let refusal {
                context.write(end, promise: promise)
                tell(refusal, context)
            } else if isClosing {
                leave(after: end, context, promise)
            } else {
                context.write(end, promise: promise)
                if case .body = reading {} else { read(reading, context) }
            }
        }
    }

    /// Hears what was held back while too many waited. The client's time counts from now.
    private func goOn(_ context: ChannelHandlerContext) {
        guard intake.isHolding, !intake.isFull else { return }
        readingSince = context.eventLoop.now
        intake.release()
        arm(context)
    }

    private func head(of response: HTTPResponse) -> HTTPResponseHead {
        var head = HTTPResponseHead(response)
        guard answering == 1 else { return head }
        if case .body(let left) = reading, left ?? .max > ConnectionLimits.unread { isClosing = true }
        if isClosing, refusal == nil {
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        } else if isOld {
            head.headers.replaceOrAdd(name: "Connection", value: "keep-alive")
        }
        return head
    }

    /// Answers what never becomes a request, after the answers under way.
    private func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
        read(.dropping, context)
        refusal = problem
        isClosing = true
        if answering == 0 { tell(problem, context) }
    }

    /// A request that was passed on will not come whole; who waits for its body hears of it.
    private func breakOff(_ problem: Problem, _ context: ChannelHandlerContext) {
        read(.dropping, context)
        isClosing = true
        if answering > 0 { context.fireErrorCaught(problem) } else { context.close(promise: nil) }
    }

    private func tell(_ problem: Problem, _ context: ChannelHandlerContext) {
        guard let answer = try? problem.answer(requestID: "\(RequestID())") else {
            return context.close(promise: nil)
        }
        var head = HTTPResponseHead(answer.head)
        head.headers.add(name: "Connection", value: "close")
        head.headers.add(name: "X-Content-Type-Options", value: "nosniff")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !isHead { context.write(wrapOutboundOut(.body(.byteBuffer(answer.body))), promise: nil) }
        leave(after: wrapOutboundOut(.end(nil)), context, nil)
    }

    /// Closes our side once all is written, and the whole when the client has closed its own, or soon: closed
    /// at once, with bytes unread, the system would take the answer back.
    private func leave(
        after end: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
    ) {
        reading = .dropping
        let last = promise ?? context.eventLoop.makePromise()
        let (context, handler) = (
            NIOLoopBound(context, eventLoop: context.eventLoop),
            NIOLoopBound(self, eventLoop: context.eventLoop)
        )
        last.futureResult.whenComplete { _ in
            handler.value.isLeaving = true
            handler.value.read(.dropping, context.value)
            context.value.close(mode: .output, promise: nil)
            context.value.read()
        }
        context.value.writeAndFlush(end, promise: last)
    }
}

/// What may take how long.
extension ConnectionHandler {
    private func read(_ what: Reading, _ context: ChannelHandlerContext) {
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

    private func arm(_ context: ChannelHandlerContext) {
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
        if isStalled(context) { return context.close(promise: nil) }
        if let due, due <= context.eventLoop.now { expire(context) }
        arm(context)
    }

    private func expire(_ context: ChannelHandlerContext) {
        switch reading {
        case .head: refuse(.requestTimeout, context)
        case .body: breakOff(.requestTimeout, context)
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

    private func stopTimer() {
        timer?.task.cancel()
        timer = nil
    }
}
