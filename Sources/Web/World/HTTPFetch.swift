import AsyncHTTPClient
package import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// An outgoing HTTP request, which follows no redirects.
package struct HTTPFetch: Sendable {
    /// Fetches a URL. Throws an `HTTPFetch.Failure`.
    package var get: @Sendable (_ url: URL) async throws -> Answer

    package struct Answer: Sendable {
        package var status: Int
        package var body: Data
        /// The headers by their names in lower case. Several values of a name are joined by commas.
        package var headers: [String: String]

        package init(status: Int, headers: [String: String] = [:], body: Data) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        package var cacheControl: String? { headers["cache-control"] }
    }
}

extension HTTPFetch {
    /// The real requests. They throw if the whole exchange takes more than 5 seconds or 1 MiB.
    package static let live = live(timeout: .seconds(5))

    package static func live(
        timeout: Duration, mostBytes: Int = 1 << 20, method: String = "GET", headers: [String: String] = [:],
        body: Data? = nil
    ) -> HTTPFetch {
        HTTPFetch { url in
            // The client's own deadline covers only the head of the answer; a body could then drip forever.
            try await withThrowingTaskGroup(of: Answer.self) { group in
                group.addTask {
                    do {
                        return try await exchange(url, method, headers, body, mostBytes)
                    } catch { throw Failure(error) }
                }
                group.addTask {
                    try await Task.sleep(for: timeout)
                    throw Failure.late(timeout)
                }
                defer { group.cancelAll() }
                guard let answer = try await group.next() else { throw Failure.late(timeout) }
                return answer
            }
        }
    }

    private static func exchange(
        _ url: URL, _ method: String, _ headers: [String: String], _ body: Data?, _ mostBytes: Int
    ) async throws -> Answer {
        guard ["http", "https"].contains(url.scheme?.lowercased()) else { throw Failure.notHTTP }
        // NIO ends the process if the number is not a port.
        if let port = url.port, !(1...65_535).contains(port) { throw Failure.refused }
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = HTTPMethod(rawValue: method)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body { request.body = .bytes(body) }
        let response = try await client.execute(request, deadline: .distantFuture)
        let body = try await response.body.collect(upTo: mostBytes)
        return Answer(
            status: Int(response.status.code),
            headers: Dictionary(
                response.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { "\($0),\($1)" }
            ),
            body: Data(buffer: body))
    }

    /// The client lives as long as the process. It returns redirects as they are, for the caller to refuse:
    /// they lead to addresses that nobody configured. It tries once to connect, and gives up before any
    /// caller's time is over, so that a server that cannot be reached is told apart from a slow one.
    private static let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .guarded)
}
