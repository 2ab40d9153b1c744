import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Posts to a server at an address that was checked, and connects to no other. It follows no redirects.
package final class PinnedClient: Sendable {
    /// The part of an answer that is kept.
    package struct Answer: Sendable {
        package var status: Int
        /// After how many seconds the server wants another try.
        package var retryAfter: Int?
    }

    package let address: String
    private let client: HTTPClient

    /// - Parameters:
    ///   - host: the name as it stands in the URLs. TLS asks for its certificate.
    ///   - address: an IP address.
    package init(host: String, address: String, connections: Int) {
        self.address = address
        var configuration = HTTPClient.Configuration.guarded
        configuration.dnsOverride = [host: address]
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Closes the client. Without this call the process ends when the client is freed.
    package func close() async {
        try? await client.shutdown()
    }

    /// Posts a body. Throws an `HTTPFetch.Failure`. For a long or slow answer the status counts, and the rest
    /// is not awaited.
    package func post(
        _ url: String, _ body: [UInt8], headers: [(String, String)], within time: Duration,
        mostBytes: Int = 1 << 16
    ) async throws -> Answer {
        try await withThrowingTaskGroup(of: Answer.self) { group in
            group.addTask {
                do {
                    return try await self.exchange(url, body, headers, time, mostBytes)
                } catch let error as HTTPClientError where error == .deadlineExceeded {
                    throw HTTPFetch.Failure.late(time)
                } catch { throw HTTPFetch.Failure(error) }
            }
            group.addTask {
                try await Task.sleep(for: time)
                throw HTTPFetch.Failure.late(time)
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw HTTPFetch.Failure.late(time) }
            return answer
        }
    }

    private func exchange(
        _ url: String, _ body: [UInt8], _ headers: [(String, String)], _ time: Duration, _ mostBytes: Int
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers = HTTPHeaders(headers)
        request.body = .bytes(body, length: .known(Int64(body.count)))
        let response = try await client.execute(request, deadline: .now() + .nanoseconds(time.nanoseconds))
        if response.status == .noContent || response.headers.first(name: "content-length") == "0" {
            await Self.drain(response.body, mostBytes)
        } else {
            await withTaskGroup { group in
                group.addTask { await Self.drain(response.body, mostBytes) }
                group.addTask { try? await Task.sleep(for: .seconds(1)) }
                await group.next()
                group.cancelAll()
            }
        }
        return Answer(
            status: Int(response.status.code),
            retryAfter: response.headers.first(name: "retry-after").flatMap(Self.seconds))
    }

    /// Reads the rest of an answer: only a connection whose answer is read to its end can be used again.
    private static func drain(_ body: HTTPClientResponse.Body, _ mostBytes: Int) async {
        var count = 0
        do {
            for try await part in body {
                count += part.readableBytes
                if count > mostBytes { break }
            }
        } catch {}
    }

    /// Reads a number of seconds, or a date (RFC 9110 §10.2.3).
    private static func seconds(_ text: String) -> Int? {
        if let seconds = Int(text), seconds >= 0 { return seconds }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return format.date(from: text).map { max(0, Int($0.timeIntervalSinceNow.rounded(.up))) }
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
