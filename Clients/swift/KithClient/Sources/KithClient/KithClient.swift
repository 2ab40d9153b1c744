import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A Kith server, as an app sees it. Make one and keep it.
///
///     let kith = KithClient(baseURL: URL(string: "https://join.example.com")!) { refresh in
///         guard let user = Auth.auth().currentUser else { return clientKey }
///         return try await user.getIDTokenResult(forcingRefresh: refresh).token
///     }
public final class KithClient: Sendable {
    /// Gives the ID token of the user, or a key of scope `client` while nobody is signed in. It is asked
    /// before each call, so keep the token; and once more, with `true`, if the server refused the one before.
    public typealias Token = @Sendable (_ refresh: Bool) async throws -> String

    /// How calls are sent. Tests put their own in place.
    public struct Network: Sendable {
        public var transport: any KithTransport
        public var retry: RetryRules
        /// Waits some seconds.
        public var sleep: @Sendable (Double) async throws -> Void
        /// A number from 0 to 1.
        public var jitter: @Sendable () -> Double

        public init(
            transport: any KithTransport = URLSessionTransport(), retry: RetryRules = RetryRules(),
            sleep: @escaping @Sendable (Double) async throws -> Void = {
                try await Task.sleep(nanoseconds: UInt64($0 * 1_000_000_000))
            },
            jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) }
        ) {
            (self.transport, self.retry) = (transport, retry)
            (self.sleep, self.jitter) = (sleep, jitter)
        }
    }

    let baseURL: URL
    let links: KithLink.Rules
    let storage: any KithStorage
    let installation: Installation
    let exposures: Exposures
    private let network: Network
    private let token: Token
    private let clientKey: String?

    /// - Parameters:
    ///   - baseURL: where the API is.
    ///   - links: which URLs are links; by default those that begin with `baseURL`.
    ///   - storage: where the client keeps what must survive the app's end.
    ///   - clientKey: a key of scope `client`, for what the app asks whoever uses it: update policy, values, exposures. Without it
    ///     these calls take what `token` gives, which the server refuses if it is an ID token.
    public init(
        baseURL: URL, links: KithLink.Rules? = nil, storage: any KithStorage = FileStorage(),
        network: Network = Network(), clientKey: String? = nil, token: @escaping Token
    ) {
        self.baseURL = baseURL
        self.links = links ?? KithLink.Rules(linkURL: baseURL)
        self.storage = storage
        self.network = network
        self.token = token
        self.clientKey = clientKey
        installation = Installation(storage)
        exposures = Exposures(storage)
    }
}

/// A call of the API.
struct Call {
    var method = "GET"
    var path: String
    var query: [(String, String?)] = []
    var body: (any Encodable)?
    /// For what makes something new each time.
    var idempotencyKey: String?
    var etag: String?
    /// For the app, whoever uses it: by its key, and without an answer soon, the app goes on.
    var isOfApp = false
    /// Of these, by the user's ID token: it is about them.
    var isAboutUser = false

    /// A part of a path.
    static func part(_ text: String) -> String { KithLink.encode(text) }
}

extension KithClient {
    /// Sends a call, and again by the rules; returns what came with a 2xx or 304.
    func answer(_ call: Call) async throws -> (data: Data, response: HTTPURLResponse) {
        var request = try request(call)
        let isRepeatable =
            !call.isOfApp
            && RetryRules.isRepeatable(
                method: call.method, path: call.path, hasKey: call.idempotencyKey != nil)
        let key = call.isOfApp && !call.isAboutUser ? clientKey : nil
        var (attempt, refreshes) = (0, false)
        while true {
            try Task.checkCancellation()
            let bearer = if let key { key } else { try await token(refreshes) }
            request.setValue("Bearer \(bearer)", forHTTPHeaderField: "Authorization")
            attempt += 1
            let failure: (any Error, RetryRules.Failure)
            do {
                let (data, response) = try await network.transport.send(request)
                if (200..<300).contains(response.statusCode) || response.statusCode == 304 {
                    return (data, response)
                }
                let problem = KithProblem(data, response)
                if problem.status == 401, !refreshes, key == nil {
                    (refreshes, attempt) = (true, attempt - 1)
                    continue
                }
                failure = (problem, .problem(problem))
            } catch {
                failure = (error, .noAnswer(error))
            }
            guard
                let wait = network.retry.wait(
                    after: failure.1, attempt: attempt, isRepeatable: isRepeatable, jitter: network.jitter())
            else { throw failure.0 }
            try await network.sleep(wait)
        }
    }

    /// Sends a call and reads the answer.
    func send<Answer: Decodable>(_ call: Call, as type: Answer.Type = Answer.self) async throws -> Answer {
        try KithJSON.decode(type, from: await answer(call).data)
    }

    private func request(_ call: Call) throws -> URLRequest {
        guard var parts = URLComponents(url: baseURL, resolvingAgainstBaseURL: false) else {
            throw URLError(.badURL)
        }
        if parts.percentEncodedPath.hasSuffix("/") { parts.percentEncodedPath.removeLast() }
        parts.percentEncodedPath += call.path
        let query = call.query.compactMap { name, value in value.map { "\(name)=\(KithLink.encode($0))" } }
        parts.percentEncodedQuery = query.isEmpty ? nil : query.joined(separator: "&")
        guard let url = parts.url else { throw URLError(.badURL) }
        var request = URLRequest(url: url, timeoutInterval: call.isOfApp ? 10 : 30)
        request.httpMethod = call.method
        if let body = call.body {
            request.httpBody = try KithJSON.encode(body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        if let key = call.idempotencyKey { request.setValue(key, forHTTPHeaderField: "Idempotency-Key") }
        if let etag = call.etag { request.setValue(etag, forHTTPHeaderField: "If-None-Match") }
        return request
    }
}

extension KithProblem {
    /// Reads an answer that is no success.
    init(_ data: Data, _ response: HTTPURLResponse) {
        let retryAfter = response.value(forHTTPHeaderField: "Retry-After").flatMap(Double.init)
        if var problem = try? KithJSON.decode(KithProblem.self, from: data) {
            problem.retryAfter = retryAfter
            self = problem
        } else {
            self.init(
                status: response.statusCode, code: .unexpectedAnswer, detail: nil, field: nil,
                requestId: response.value(forHTTPHeaderField: "X-Request-Id"), retryAfter: retryAfter)
        }
    }
}
