package import HTTPTypes
import Hummingbird

package extension Request {
    /// Returns the only value of a header. Throws a 400 for several values, which would read as one list.
    func header(_ name: HTTPField.Name) throws(Problem) -> String? {
        guard headers[values: name].count <= 1 else {
            throw .invalid(name.rawName, "is given more than once")
        }
        return headers[name]
    }

    /// Whether the client has the representation with this ETag (RFC 9110 §13.1.2).
    func has(_ tag: String) -> Bool {
        HeaderList(headers, .ifNoneMatch).contains([tag, "W/\(tag)", "*"])
    }
}

/// The first parts of a header that is a list. No honest client sends more.
package struct HeaderList {
    static let maxParts = 32

    private let parts: [Substring.UTF8View]

    package init(_ headers: HTTPFields, _ name: HTTPField.Name) {
        parts = (headers[name] ?? "").utf8.split(separator: UInt8(ascii: ","), maxSplits: Self.maxParts)
            .prefix(Self.maxParts).map(\.trimmed)
    }

    /// Whether one of these texts is among the parts.
    func contains(_ texts: [String]) -> Bool {
        parts.contains { part in texts.contains { part.elementsEqual($0.utf8) } }
    }

    /// Whether this media type is listed by its name, and not with the quality 0. `*/*` does not count.
    package func accepts(_ mediaType: String) -> Bool {
        ranges.first { $0.name == mediaType }?.quality ?? 0 > 0
    }

    /// How welcome this media type is, from 0 to 1, by the narrowest range that has it (RFC 9110 §12.5.1).
    package func quality(of mediaType: String) -> Double {
        let ranges = ranges
        return [mediaType, mediaType.prefix { $0 != "/" } + "/*", "*/*"].lazy
            .compactMap { name in ranges.first { $0.name == name }?.quality }.first ?? 0
    }

    /// The media types and ranges of `Accept`. All their parameters but the quality are left out.
    private var ranges: [(name: String, quality: Double)] {
        parts.map { part in
            let pieces = part.split(separator: UInt8(ascii: ";")).map { Substring($0.trimmed).lowercased() }
            return (pieces.first ?? "", pieces.dropFirst().lazy.compactMap(Web.quality).first ?? 1)
        }
    }
}

extension Substring.UTF8View {
    var trimmed: Substring.UTF8View {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let tail = drop(while: isBlank)
        return tail[..<(tail.lastIndex { !isBlank($0) }.map(tail.index(after:)) ?? tail.startIndex)]
    }
}

// Each literal is a valid token, and each name is made once, at its first use.
// swift-format-ignore: NeverForceUnwrap
package extension HTTPField.Name {
    static let kithUser = HTTPField.Name("Kith-User")!
    static let kithReadAfter = HTTPField.Name("Kith-Read-After")!
    /// The name of the test device that the answer is for.
    static let kithTestDevice = HTTPField.Name("Kith-Test-Device")!
    static let kithSignature = HTTPField.Name("Kith-Signature")!
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
    /// Tells nginx whether to collect an answer before it sends it on.
    static let xAccelBuffering = HTTPField.Name("X-Accel-Buffering")!
    static let idempotentReplayed = HTTPField.Name("Idempotent-Replayed")!
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    static let robotsTag = HTTPField.Name("X-Robots-Tag")!
    static let xRequestID = HTTPField.Name("X-Request-Id")!
    /// Headers in which browsers said that they fetch a page before their user opens it, before there was
    /// `Sec-Purpose`.
    static let ahead = ["Purpose", "X-Purpose", "X-Moz"].compactMap { HTTPField.Name($0) }
    /// What a browser wants the answer for: a page of its own (`document`), a picture, a script.
    static let secFetchDest = HTTPField.Name("Sec-Fetch-Dest")!
    /// From where a browser's page sends the request: `same-origin` for a page of this host.
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
    static let xForwardedFor = HTTPField.Name("X-Forwarded-For")!
}
