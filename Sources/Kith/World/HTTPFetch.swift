import AsyncHTTPClient
public import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// HTTP out: one GET, without redirects.
public struct HTTPFetch: Sendable {
    public var get: @Sendable (_ url: URL) async throws -> Answer

    public init(get: @escaping @Sendable (_ url: URL) async throws -> Answer) {
        self.get = get
    }

    public struct Answer: Sendable {
        public var status: Int
        public var cacheControl: String?
        public var body: Data

        public init(status: Int, cacheControl: String? = nil, body: Data) {
            self.status = status
            self.cacheControl = cacheControl
            self.body = body
        }
    }

    public struct TimedOut: Error {}
}

extension HTTPFetch {
    /// The whole exchange takes at most 5 seconds and 1 MiB, or it throws.
    public static let live = live(timeout: .seconds(5))

    static func live(timeout: Duration) -> HTTPFetch {
        HTTPFetch { url in
            // The client's own deadline ends with the head of the answer; a body may then drip for ever.
            try await withThrowingTaskGroup(of: Answer.self) { group in
                group.addTask { try await exchange(url) }
                group.addTask {
                    try await Task.sleep(for: timeout)
                    throw TimedOut()
                }
                defer { group.cancelAll() }
                guard let answer = try await group.next() else { throw TimedOut() }
                return answer
            }
        }
    }

    private static func exchange(_ url: URL) async throws -> Answer {
        let request = HTTPClientRequest(url: url.absoluteString)
        let response = try await client.execute(request, deadline: .distantFuture)
        let body = try await response.body.collect(upTo: 1 << 20)
        return Answer(
            status: Int(response.status.code),
            cacheControl: response.headers["cache-control"].joined(separator: ","),
            body: Data(buffer: body))
    }

    /// Lives as long as the process. A redirect is an answer like another, for the caller to refuse: it
    /// would lead to an address that nobody configured.
    private static let client = HTTPClient(
        eventLoopGroupProvider: .singleton,
        configuration: HTTPClient.Configuration(redirectConfiguration: .disallow))
}
