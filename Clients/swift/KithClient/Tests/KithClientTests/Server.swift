import Foundation
import XCTest

@testable import KithClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The server that `scripts/check-swift-client` started, and users who never signed up.
enum Server {
    struct User: Sendable {
        let uid, token: String
        var name: String { uid.replacingOccurrences(of: "-", with: "_") }
    }

    private static let users = Users()

    private final class Users: @unchecked Sendable {
        private let lock = NSLock()
        private var tokens: [String: String]

        init() {
            let text = ProcessInfo.processInfo.environment["KITH_TOKENS"] ?? "{}"
            tokens = (try? JSONDecoder().decode([String: String].self, from: Data(text.utf8))) ?? [:]
        }

        func take() -> User? {
            lock.withLock {
                tokens.keys.min().map { User(uid: $0, token: tokens.removeValue(forKey: $0) ?? "") }
            }
        }
    }

    /// Skips the test if there is no server, as in Xcode.
    static func url() throws -> URL {
        guard let text = ProcessInfo.processInfo.environment["KITH_BASE_URL"], let url = URL(string: text)
        else {
            throw XCTSkip("no server: run scripts/check-swift-client")
        }
        return url
    }

    static func user() throws -> User {
        _ = try url()
        return try XCTUnwrap(users.take(), "more users are needed: scripts/check-swift-client")
    }

    /// A client of the user, that waits no time between attempts.
    static func client(
        _ user: User, storage: any KithStorage = MemoryStorage(),
        transport: any KithTransport = URLSessionTransport()
    ) throws -> KithClient {
        let url = try url()
        return KithClient(
            baseURL: url, links: .init(linkURL: url, schemes: ["kithdemo"]), storage: storage,
            network: .init(transport: transport, sleep: { _ in }, jitter: { 1 }), token: { _ in user.token })
    }

    /// What an app has before anybody signs in: a key of scope `client`.
    static func nobody() throws -> User {
        User(uid: "", token: try XCTUnwrap(ProcessInfo.processInfo.environment["KITH_CLIENT_KEY"]))
    }

    /// Signs the user up and returns their link.
    static func signUp(_ user: User) async throws -> InviteLink {
        let link = try await client(user).signUp(username: user.name, displayName: "Ann").link
        return try XCTUnwrap(link)
    }

    /// Where a browser on an Android phone is sent.
    static func tap(_ url: URL) async throws -> URL {
        var request = URLRequest(url: url)
        request.setValue(
            "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
            forHTTPHeaderField: "User-Agent")
        let session = URLSession(configuration: .ephemeral, delegate: StaysHere(), delegateQueue: nil)
        let (_, response) = try await URLSessionTransport(session: session).send(request)
        let location = try XCTUnwrap(
            response.value(forHTTPHeaderField: "Location"), "\(response.statusCode) \(url)")
        return try XCTUnwrap(URL(string: location))
    }

    /// Follows no redirect.
    private final class StaysHere: NSObject, URLSessionTaskDelegate {
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }
}

/// A transport that does to some calls what networks and servers do.
final class Mischief: KithTransport, @unchecked Sendable {
    enum Act {
        /// The server does the call, and the answer is lost.
        case loseAnswer
        /// The call never arrives.
        case loseCall
        case answer(Int, code: String, retryAfter: String? = nil)
        case pass
        /// The answer comes after the stream ended.
        case hold(AsyncStream<Void>)
    }

    private let lock = NSLock()
    private var acts: [Act]
    private var sent: [URLRequest] = []
    private var isHolding = false
    private let inner = URLSessionTransport()

    /// - Parameter acts: one for each request in turn; those after them pass.
    init(_ acts: [Act]) { self.acts = acts }

    var requests: [URLRequest] { lock.withLock { sent } }

    /// Until the server answered a call that is held.
    func held() async throws {
        while !lock.withLock({ isHolding }) { try await Task.sleep(nanoseconds: 1_000_000) }
    }

    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let act = lock.withLock {
            sent.append(request)
            return acts.isEmpty ? .pass : acts.removeFirst()
        }
        switch act {
        case .pass:
            return try await inner.send(request)
        case .hold(let stream):
            let answer = try await inner.send(request)
            lock.withLock { isHolding = true }
            for await _ in stream {}
            return answer
        case .loseCall:
            throw URLError(.cannotConnectToHost)
        case .loseAnswer:
            let answer = try await inner.send(request)
            XCTAssertLessThan(answer.1.statusCode, 300, "the server did it")
            throw URLError(.networkConnectionLost)
        case .answer(let status, let code, let retryAfter):
            let body =
                #"{"type":"about:blank","title":"","status":\#(status),"detail":"","code":"\#(code)","requestId":"r"}"#
            let response = HTTPURLResponse(
                url: request.url ?? URL(fileURLWithPath: "/"), statusCode: status, httpVersion: nil,
                headerFields: retryAfter.map { ["Retry-After": $0] })
            return (Data(body.utf8), try XCTUnwrap(response))
        }
    }
}
