import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Web

/// One connection: passes on requests and responses, enforces timeouts, and itself answers input that never
/// becomes a request. It closes the connection if later bytes could not be told from the rest of a request.
///
/// A request comes in here, by `channelRead`: its head is checked (`hear`) and passed on, then its body and
/// end. The routes' response goes out in `ConnectionHandler+Answering.swift`, by `write`. After its end the
/// next request is read, or the connection is closed. `ConnectionHandler+Timing.swift` has the timeouts.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The part of a request that is being read.
    enum Reading: Equatable {
        case nothing
        case head
        /// - Parameter left: how many bytes are still to come. Nil if the body comes in chunks.
        case body(left: Int?)
        /// All input is dropped.
        case dropping
    }

    let limits: ConnectionLimits
    let connections: OpenConnections
    let intake: RequestIntake
    let accessLog: AccessLog?
    /// The proxies whose `X-Request-Id` is believed.
    let proxies: TrustedProxies

    // The incoming side.
    var reading = Reading.nothing {
        didSet {
            if reading == .dropping { intake.isDeaf = true }
            if case .body(let left) = reading, left != 0 {
                intake.isInBody = true
            } else {
                intake.isInBody = false
            }
        }
    }
    /// Whether the bytes just read completed a part of a request.
    private var hasHeard = false
    /// Whether the client's bytes are read. Otherwise they wait for the routes.
    var isReading = false
    /// Whether the last request ended with its head.
    private var wasBare = false
    /// Whether the request being read is a HEAD, and whether the last one was HTTP/1.0.
    var isHead = false
    var isOld = false
    /// Whether the client waits for 100 Continue.
    var owesContinue = false

    /// Whether the connection is within the limit of connections.
    let hasPlace: Bool

    // The outgoing side.
    /// Requests passed on whose responses have not been written.
    var answering = 0 {
        didSet {
            if answering == 0 { headBytes = 0 }
            lookWhetherFull()
        }
    }
    /// Whether the head of a response is written, but not its end.
    var hasBegun = false
    /// Bytes of the heads parsed since all requests were answered.
    private var headBytes = 0
    /// Whether the connection closes after the pending responses.
    var isClosing = false
    /// An error that is sent after the pending responses.
    var refusal: (problem: Problem, id: RequestID)?
    /// Whether the connection closes once everything that is written has been sent.
    var isEnding = false
    /// Whether everything is sent, and the client should close.
    var isLeaving = false
    /// Whether the time in which the server lets requests finish is over.
    var isOverdue = false

    // Timeouts.
    var readingSince = NIODeadline.distantPast
    /// When the client's current turn to send began.
    var silentSince = NIODeadline.distantPast
    /// Bytes of responses so far. `taken` is how many of them the client had taken at some time, and nil if
    /// it has taken all.
    var written = 0
    var taken: (bytes: Int, since: NIODeadline)?
    var idle: IdleConnections.Entry?
    var timer: (at: NIODeadline, task: Scheduled<Void>)?

    /// - Parameter refusal: the only response of this connection, if it is refused.
    init(
        _ limits: ConnectionLimits, of connections: OpenConnections, intake: RequestIntake,
        refusal: Problem? = nil, accessLog: AccessLog? = nil, proxies: TrustedProxies = TrustedProxies()
    ) {
        self.limits = limits
        self.connections = connections
        self.intake = intake
        self.refusal = refusal.map { ($0, RequestID()) }
        self.accessLog = accessLog
        self.proxies = proxies
        hasPlace = refusal == nil
    }
}

/// The incoming side: requests.
extension ConnectionHandler {
    private func lookWhetherFull() {
        intake.isFull =
            answering >= ConnectionLimits.pipelined
            || answering > 0 && headBytes >= ConnectionLimits.pipelinedHeads
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        if refusal == nil { mayMakeRoom(context) }
        read(.nothing, context)
        if let refusal { refuse(refusal.problem, context) }
    }

    private func mayMakeRoom(_ context: ChannelHandlerContext) {
        let (loop, bound, handler) = (
            context.eventLoop, NIOLoopBound(context, eventLoop: context.eventLoop),
            NIOLoopBound(self, eventLoop: context.eventLoop)
        )
        let entry = IdleConnections.Entry(
            of: proxies.network(of: context.remoteAddress),
            leave: { loop.execute { handler.value.leaveIfSilent(bound.value) } },
            close: { loop.execute { handler.value.leaveCrowd(bound.value) } })
        idle = entry
        connections.idle.add(entry)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasHeard = true
        switch (unwrapInboundIn(data), reading) {
        case (.head(let head), .nothing), (.head(let head), .head):
            hear(head, context)
        case (.body(let bytes), .body(let left)):
            reading = .body(left: left.map { $0 - bytes.readableBytes })
            note(silentSince: context.eventLoop.now)
            context.fireChannelRead(wrapInboundOut(.body(bytes)))
        case (.end(let trailers), .body):
            intake.next()
            isHead = false
            read(isClosing ? .dropping : .nothing, context)
            let fields = trailers.map { HTTPFields($0, splitCookie: false) }
            context.fireChannelRead(wrapInboundOut(.end(fields)))
        case (.body(let bytes), _): intake.drop(bytes.readableBytes)
        default: break
        }
    }

    private func hear(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        isHead = head.method == .HEAD
        do throws(Problem) {
            let known = try RequestHead(head)
            isOld = head.version.minor == 0
            wasBare = known.bodyLength == 0
            headBytes += intake.headLength
            answering += 1
            isClosing = isClosing || !known.keepsAlive
            read(.body(left: known.bodyLength), context)
            let wantsBody = known.bodyLength != 0 && known.bodyLength ?? 0 <= BodyLimit.usual.bytes
            owesContinue = known.wantsContinue && wantsBody
            sayContinue(context)
            context.fireChannelRead(wrapInboundOut(.head(known.request)))
        } catch {
            let given = head.headers[HTTPField.Name.xRequestID.canonicalName]
            let id =
                given.count == 1 ? proxies.requestID(given[0], of: ClientAddress(context.remoteAddress)) : nil
            refuse(error, id: id, context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // The rest of the bytes may begin a head.
        if reading == .nothing, !hasHeard || wasBare && !intake.endsBlank { read(.head, context) }
        (hasHeard, isReading) = (false, false)
        if case .body = reading { note(silentSince: silentSince) }
        context.fireChannelReadComplete()
        if isLeaving { context.read() }
    }

    /// Reads more when the routes ask for it. They do not ask for more of a body than they can take.
    func read(context: ChannelHandlerContext) {
        let asksAgain = !isReading
        isReading = true
        if asksAgain, case .body = reading { note(silentSince: context.eventLoop.now) }
        context.read()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        hasHeard = true
        switch (error, reading) {
        case (ByteToMessageDecoderError.dataReceivedInErrorState(_, let bytes), _):
            intake.drop(bytes.readableBytes)
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
            guard isIdle else { return }
            if case .body = reading { leave(context) } else { read(reading, context) }
        case ChannelEvent.inputClosed where isLeaving:
            context.close(promise: nil)
        case ChannelEvent.inputClosed:
            // The client may still read. What it asked for is answered, however long that takes.
            isClosing = true
            if case .body = reading {} else { read(.dropping, context) }
            context.fireUserInboundEventTriggered(event)
            if answering == 0, !isEnding { leave(context) }
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        stopTimer()
        leaveIdle()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        stopTimer()
        leaveIdle()
    }

    private func leaveIdle() {
        if let idle { connections.idle.remove(idle) }
        idle = nil
    }
}
