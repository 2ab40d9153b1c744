import Foundation

@testable import KithClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transport that answers from a list, and a clock that only writes down the waits.
final class Script: KithTransport, @unchecked Sendable {
    struct Answer {
        var status = 200
        var body = "{}"
        var headers: [String: String] = [:]
        var error: URLError?

        static func problem(_ status: Int, _ code: String, retryAfter: String? = nil) -> Answer {
            Answer(
                status: status, body: #"{"status":\#(status),"code":"\#(code)","requestId":"r-1"}"#,
                headers: retryAfter.map { ["Retry-After": $0] } ?? [:])
        }

        static func lost(_ code: URLError.Code) -> Answer { Answer(error: URLError(code)) }
    }

    private let lock = NSLock()
    private var answers: [Answer]
    private var sent: [URLRequest] = []
    private var slept: [Double] = []

    /// The last answer is given for ever.
    init(_ answers: Answer...) { self.answers = answers }

    var requests: [URLRequest] { lock.withLock { sent } }
    var waits: [Double] { lock.withLock { slept } }
    var tokens: [String?] { requests.map { $0.value(forHTTPHeaderField: "Authorization") } }

    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let answer = lock.withLock {
            sent.append(request)
            return answers.count > 1 ? answers.removeFirst() : answers[0]
        }
        if let error = answer.error { throw error }
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: answer.status, httpVersion: nil, headerFields: answer.headers)
        else { throw URLError(.badURL) }
        return (Data(answer.body.utf8), response)
    }

    func client(
        jitter: Double = 0, storage: any KithStorage = MemoryStorage(), clientKey: String? = nil,
        token: @escaping KithClient.Token = { "token-\($0)" }
    ) throws -> KithClient {
        guard let url = URL(string: "https://join.example.com") else { throw URLError(.badURL) }
        let sleep: @Sendable (Double) async throws -> Void = { [self] seconds in
            try Task.checkCancellation()
            lock.withLock { slept.append(seconds) }
        }
        return KithClient(
            baseURL: url, storage: storage,
            network: .init(transport: self, sleep: sleep, jitter: { jitter }),
            clientKey: clientKey, token: token)
    }
}
