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
}

extension HTTPFetch {
    /// The whole exchange takes at most 5 seconds and 1 MiB, or it throws.
    public static let live = HTTPFetch { url in
        var request = HTTPClientRequest(url: url.absoluteString)
        request.headers.add(name: "accept", value: "application/json")
        let deadline = NIODeadline.now() + .seconds(5)
        let response = try await client.execute(request, deadline: deadline)
        let body = try await response.body.collect(upTo: 1 << 20)
        return Answer(
            status: Int(response.status.code),
            cacheControl: response.headers["cache-control"].joined(separator: ","),
            body: Data(body.readableBytesView))
    }

    /// Lives as long as the process. A redirect is an answer like another, for the caller to refuse: it
    /// would lead to an address that nobody configured.
    private static let client = HTTPClient(
        eventLoopGroupProvider: .singleton,
        configuration: HTTPClient.Configuration(redirectConfiguration: .disallow))
}
