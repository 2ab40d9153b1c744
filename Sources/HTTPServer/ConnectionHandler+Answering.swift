import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Web

/// The outgoing side: responses.
extension ConnectionHandler {
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let response):
            hasBegun = true
            if case .body = reading { note(silentSince: silentSince) }
            context.write(wrapOutboundOut(.head(head(of: response))), promise: promise)
        case .body(let bytes):
            written += bytes.readableBytes
            context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: promise)
        case .end(let trailers):
            (answering, hasBegun) = (answering - 1, false)
            defer { goOn(context) }
            let end = wrapOutboundOut(.end(trailers.map(HTTPHeaders.init)))
            guard answering == 0 else {
                context.write(end, promise: promise)
                if case .body = reading { note(silentSince: context.eventLoop.now) }
                return sayContinue(context)
            }
            if let refusal {
                context.write(end, promise: promise)
                tell(refusal.problem, id: refusal.id, context)
            } else if isClosing {
                leave(after: end, context, promise)
            } else {
                context.write(end, promise: promise)
                let begun = readingSince
                read(reading, context)
                if case .body = reading { readingSince = begun }
            }
        }
    }

    /// Parses requests held back while too many waited. The client's time counts from now.
    private func goOn(_ context: ChannelHandlerContext) {
        guard intake.isHolding, !intake.isFull else { return }
        readingSince = context.eventLoop.now
        intake.release()
        arm(context)
    }

    /// Tells the client that it may send its body. It waits until all earlier requests are answered.
    func sayContinue(_ context: ChannelHandlerContext) {
        guard owesContinue, answering == 1, case .body = reading else { return }
        owesContinue = false
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }

    private func head(of response: HTTPResponse) -> HTTPResponseHead {
        var head = HTTPResponseHead(response)
        guard answering == 1 else { return head }
        // HTTP/1.0 has no chunks: without a length, the end of the connection ends the response.
        if isOld, !head.headers.contains(name: "Content-Length") { head.version = .http1_0 }
        if case .body(let left) = reading, left ?? .max > ConnectionLimits.unread { isClosing = true }
        if isClosing, refusal == nil { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        return head
    }

    /// Refuses input that never becomes a request, after the pending responses.
    /// - Parameter id: the id that a trusted proxy gave, if its header could be read.
    func refuse(_ problem: Problem, id: Web.RequestID? = nil, _ context: ChannelHandlerContext) {
        read(.dropping, context)
        refusal = (problem, id ?? Web.RequestID())
        isClosing = true
        if answering == 0 { tell(problem, id: refusal?.id ?? Web.RequestID(), context) }
    }

    /// Ends a request that was passed on but stays incomplete, with an error for the handler that waits for
    /// its body.
    func breakOff(_ problem: Problem, _ context: ChannelHandlerContext) {
        read(.dropping, context)
        isClosing = true
        if answering > 0 { context.fireErrorCaught(problem) } else { leave(context) }
    }

    private func tell(_ problem: Problem, id: Web.RequestID, _ context: ChannelHandlerContext) {
        let id = "\(id)"
        guard let answer = try? problem.answer(requestID: id) else {
            return context.close(promise: nil)
        }
        accessLog?.note(id, nil, status: problem.status.code, bytes: isHead ? 0 : answer.body.readableBytes)
        var head = HTTPResponseHead(answer.head)
        head.headers.add(name: "Date", value: HTTPDate.now)
        head.headers.add(name: "Connection", value: "close")
        head.headers.add(name: "X-Content-Type-Options", value: "nosniff")
        head.headers.add(name: "X-Request-Id", value: id)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !isHead { context.write(wrapOutboundOut(.body(.byteBuffer(answer.body))), promise: nil) }
        leave(after: wrapOutboundOut(.end(nil)), context, nil)
    }

    private func leave(
        after end: NIOAny, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?
    ) {
        let last = promise ?? context.eventLoop.makePromise()
        leave(when: last.futureResult, context)
        context.writeAndFlush(end, promise: last)
    }

    /// Closes the connection, after all that is written has been sent.
    func leave(_ context: ChannelHandlerContext) {
        guard unsent(context) > 0 else { return context.close(promise: nil) }
        let last = context.eventLoop.makePromise(of: Void.self)
        leave(when: last.futureResult, context)
        intake.flush(last)
    }

    /// Closes the connection for the routes, after their last answer or if they break off. What is written is
    /// sent first. Once the server's own time is over (`.input`), the connection is cut off.
    // If the client has closed its side, NIO would close the connection at once, and drop what is not sent
    // yet.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .input { isOverdue = true }
        switch mode {
        case .input where isEnding: context.close(promise: promise)
        case .output where !isOverdue, .all where !isOverdue && (isEnding || unsent(context) > 0):
            context.channel.closeFuture.cascade(to: promise)
            if !isEnding { leave(context) }
        default: context.close(mode: mode, promise: promise)
        }
    }

    /// Closes our side once everything is sent. The whole connection closes when the client has closed its
    /// side, or soon: if it were closed at once with unread bytes, the system would discard the response.
    private func leave(when sent: EventLoopFuture<Void>, _ context: ChannelHandlerContext) {
        (isEnding, reading) = (true, .dropping)
        let (context, handler) = (
            NIOLoopBound(context, eventLoop: context.eventLoop),
            NIOLoopBound(self, eventLoop: context.eventLoop)
        )
        sent.whenComplete { _ in
            handler.value.isLeaving = true
            handler.value.read(.dropping, context.value)
            context.value.close(mode: .output, promise: nil)
            context.value.read()
        }
    }
}
