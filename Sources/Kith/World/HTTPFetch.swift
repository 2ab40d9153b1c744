import AsyncHTTPClient
public import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// An outgoing HTTP GET, which follows no redirects.
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
    /// Throws if the whole exchange takes more than 5 seconds or 1 MiB.
    public static let live = live(timeout: .seconds(5))

    static func live(timeout: Duration) -> HTTPFetch {
        HTTPFetch { url in
            // The client's own deadline covers only the head of the answer; a body could then drip forever.
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

    /// Lives as long as the process. It returns redirects as they are, for the caller to refuse: they lead to addresses
    /// that nobody configured.
    private static let client = HTTPClient(
        eventLoopGroupProvider: .singleton,
        configuration: HTTPClient.Configuration(redirectConfiguration: .disallow))
}
