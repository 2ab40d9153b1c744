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
            network: .init(transport: transport, sleep: { _ in }, jitter: { 1 }),
            clientKey: ProcessInfo.processInfo.environment["KITH_CLIENT_KEY"], token: { _ in user.token })
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

    /// The way of a link to a store: `play-store`, `app-store`.
    static func way(_ link: InviteLink, to store: String) throws -> URL {
        try XCTUnwrap(URL(string: link.url.absoluteString.replacingOccurrences(of: "?", with: "/\(store)?")))
    }

    /// Where a browser on an Android phone is sent.
    static func tap(_ link: InviteLink) async throws -> URL {
        try await tap(
            way(link, to: "play-store"),
            "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36"
        )
    }

    fileprivate static func tap(_ url: URL, _ agent: String, address: String? = nil) async throws -> URL {
        var request = URLRequest(url: url)
        request.setValue(agent, forHTTPHeaderField: "User-Agent")
        request.setValue("ja", forHTTPHeaderField: "Accept-Language")
        request.setValue(address, forHTTPHeaderField: "X-Forwarded-For")
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

/// An iPhone with an address of its own, by which the server can match.
final class Phone: KithTransport {
    static let facts = InstallEvidence.Facts(osVersion: "18.6", language: "ja-JP")
    private static let addresses = Addresses()

    private final class Addresses: @unchecked Sendable {
        private let lock = NSLock()
        private var last = 0

        func next() -> String {
            lock.withLock {
                last += 1
                return "203.0.113.\(last)"
            }
        }
    }

    private let address = Phone.addresses.next()

    /// Taps the App Store's button on the page of a link.
    func tap(_ link: InviteLink) async throws {
        let agent = """
            Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
            Version/18.6 Mobile/15E148 Safari/604.1
            """
        _ = try await Server.tap(Server.way(link, to: "app-store"), agent, address: address)
    }

    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        var request = request
        request.setValue(address, forHTTPHeaderField: "X-Forwarded-For")
        return try await URLSessionTransport().send(request)
    }
}
