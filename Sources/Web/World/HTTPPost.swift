package import Foundation

/// An outgoing POST, which follows no redirects.
package struct HTTPPost: Sendable {
    /// Posts a body to a URL. Throws an `HTTPFetch.Failure`.
    package var send:
        @Sendable (_ url: URL, _ headers: [String: String], _ body: Data) async throws -> HTTPFetch.Answer

    /// The real requests. They throw if the whole exchange takes more than 5 seconds or 1 MiB.
    package static let live = HTTPPost { url, headers, body in
        try await HTTPFetch.live(timeout: .seconds(5), method: "POST", headers: headers, body: body).get(url)
    }
}
