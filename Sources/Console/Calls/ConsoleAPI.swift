import HTTPTypes
import Hummingbird
import Kernel
import NIOCore
import Synchronization
import Web

/// Calls the API as the person who asked for a page, in this process: with their session, and so with their
/// roles, limits and name in the audit. A page can do nothing that they could not do by a call.
final class ConsoleAPI: Sendable {
    typealias Respond = @Sendable (Request, AppContext) async throws -> Response

    private let respond: Respond
    private let request: Request
    private let context: AppContext
    private let made = Mutex<[APICall]>([])

    init(_ respond: @escaping Respond, for request: Request, _ context: AppContext) {
        (self.respond, self.request, self.context) = (respond, request, context)
    }

    /// The calls so far.
    var calls: [APICall] { made.withLock { $0 } }

    /// Reads what there is. Throws an ``APIProblem`` if it is refused.
    func get(_ path: String) async throws -> JSONTree {
        try await send(APICall(method: .get, path: path)).json
    }

    /// Nil if there is no such thing, or the person may not see it.
    func find(_ path: String) async throws -> JSONTree? {
        do { return try await get(path) } catch let problem as APIProblem {
            guard [403, 404, 409].contains(problem.status) else { throw problem }
            return nil
        }
    }

    /// Throws an ``APIProblem`` if the call is refused.
    @discardableResult
    func send(_ call: APICall) async throws -> APIAnswer {
        made.withLock { $0.append(call) }
        var headers = HTTPFields()
        if let revision = call.revision { headers[.ifMatch] = "\"\(revision)\"" }
        headers[.idempotencyKey] = call.once
        for name: HTTPField.Name in [.cookie, .acceptLanguage, .userAgent, .xForwardedFor] {
            headers[values: name] = request.headers[values: name]
        }
        // The page's own request was checked. This tells the API so.
        headers[.secFetchSite] = "same-origin"
        headers[.accept] = "application/json"
        let body = call.body.map { ByteBuffer(string: $0) }
        if let body {
            headers[.contentType] = "application/json"
            headers[.contentLength] = "\(body.readableBytes)"
        }
        let head = HTTPRequest(
            method: HTTPRequest.Method(call.method.rawValue) ?? .get, scheme: request.head.scheme,
            authority: request.head.authority,
            path: call.path, headerFields: headers)
        let response = try await respond(
            Request(head: head, body: RequestBody(buffer: body ?? ByteBuffer())), context.forAnotherCall())
        let collector = Collector()
        try await response.body.write(collector)
        let answer = APIAnswer(
            status: response.status.code, headers: response.headers, bytes: Array(buffer: collector.collected)
        )
        guard response.status.kind == .successful else { throw APIProblem(answer) }
        return answer
    }
}

/// Takes the body of an answer.
private final class Collector: ResponseBodyWriter {
    private let buffer = Mutex(ByteBuffer())

    var collected: ByteBuffer { buffer.withLock { $0 } }

    func write(_ part: ByteBuffer) async throws {
        _ = buffer.withLock { $0.writeImmutableBuffer(part) }
    }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
