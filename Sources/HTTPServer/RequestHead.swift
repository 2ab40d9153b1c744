import HTTPTypes
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Web

/// Checks what RFC 9112 requires of a request's head beyond the grammar. If two parsers on the way disagree
/// about where a request ends or which host it is for, requests can be smuggled.
package struct RequestHead {
    let request: HTTPRequest
    /// The length of the body. Nil for chunks.
    let bodyLength: Int?
    /// Whether another request may follow on the connection.
    let keepsAlive: Bool
    let wantsContinue: Bool

    init(_ head: HTTPRequestHead) throws(Problem) {
        // Check this before anything compares the texts.
        guard head.uri.isStreamSafe, head.headers.allSatisfy({ $0.value.isStreamSafe }) else {
            throw .badRequest("a header or the target, which has more than 30 accents in a row")
        }
        let (host, path) = try Self.target(of: head, try Self.host(of: head))
        bodyLength = try Self.bodyLength(of: head)
        // The parser reads no further request after an upgrade that it believes was accepted. In HTTP/1.0 a
        // response without a length ends with the connection.
        keepsAlive =
            head.isKeepAlive && head.version.minor >= 1 && !head.headers.contains(name: "upgrade")
        wantsContinue =
            head.version.minor >= 1 && head.headers["expect"].contains { $0.lowercased() == "100-continue" }
        guard let method = try? HTTPRequest.Method(head.method) else { throw .badRequest("the method") }
        request = HTTPRequest(
            method: method, scheme: "http", authority: host, path: path,
            headerFields: Self.fields(of: head.headers))
    }

    /// Returns the headers that Kith reads, each at most twice, which is enough to refuse a repeated one.
    /// Others are dropped, since thousands of waiting requests could keep many of them in memory.
    private static func fields(of headers: HTTPHeaders) -> HTTPFields {
        var fields = HTTPFields()
        for header in headers {
            guard let name = read[header.name.utf8.count]?.first(where: { isName(header.name, $0) }),
                !fields.contains(name) || fields[values: name].count < 2
            else { continue }
            fields.append(HTTPField(name: name, value: header.value))
        }
        let forwarded = headers[HTTPField.Name.xForwardedFor.canonicalName]
        if !forwarded.isEmpty { fields[.xForwardedFor] = forwarded.joined(separator: ",") }
        return fields
    }

    /// Whether a header has this name.
    private static func isName(_ text: String, _ name: HTTPField.Name) -> Bool {
        text.utf8.withBytes { text in
            name.canonicalName.utf8.withBytes { name in
                text.count == name.count
                    && text.indices.allSatisfy { at in
                        text[at] == name[at] || text[at] | 0x20 == name[at] && name[at].isASCIILetter
                    }
            }
        }
    }

    /// The names of the headers that Kith reads, by the lengths of these names.
    private static let read: [Int: [HTTPField.Name]] = Dictionary(
        grouping: [
            .accept, .acceptLanguage, .accessControlRequestMethod, .authorization, .contentEncoding,
            .contentLength, .contentType, .cookie,
            .idempotencyKey,
            .ifMatch, .ifNoneMatch, .lastEventID, .kithReadAfter, .kithUser, .origin, .referer, .secFetchDest,
            .secFetchSite,
            .secPurpose,
            .userAgent,
            .xRequestID,
        ] + HTTPField.Name.ahead + HTTPField.Name.countries,
        by: \.canonicalName.utf8.count)

    /// Returns the host by RFC 9112 §3.2: exactly one header, or none in HTTP/1.0.
    private static func host(of head: HTTPRequestHead) throws(Problem) -> String? {
        let hosts = head.headers["host"]
        guard hosts.count == 1 || (hosts.isEmpty && head.version.minor == 0) else {
            throw .badRequest("the header Host, which must be there once")
        }
        guard let host = hosts.first else { return nil }
        guard isHost(host) else { throw .badRequest("the header Host") }
        return host
    }

    private static func isHost(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isPartOfHost)
    }

    private static func isPartOfHost(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "-._~:[]%".utf8.contains(byte)
    }

    /// Returns the target by RFC 9112 §3.2.1 and §3.2.2: a path, or a URL of this host, since Kith is not a
    /// proxy.
    private static func target(
        of head: HTTPRequestHead, _ host: String?
    ) throws(Problem) -> (host: String?, path: String) {
        guard head.method != .CONNECT else {
            throw Problem(
                .methodNotAllowed, "method_not_allowed", "This server is no proxy.",
                headers: [.allow: "DELETE, GET, HEAD, PATCH, POST, PUT"])
        }
        let target = head.uri
        if target.utf8.first == UInt8(ascii: "/") { return (host, target) }
        let lower = target.lowercased()
        guard let scheme = ["http://", "https://"].first(where: lower.hasPrefix) else {
            throw .badRequest("the target, which must be a path")
        }
        let rest = target.dropFirst(scheme.count)
        let authority = rest.prefix { !"/?#".contains($0) }
        guard isHost(authority) else { throw .badRequest("the host of the target") }
        let host = host ?? String(authority)
        guard bare(authority, scheme) == bare(host, scheme) else {
            throw Problem(
                .misdirectedRequest, "misdirected_request",
                "The target is of another host than the header Host.")
        }
        let path = rest.dropFirst(authority.count)
        return (host, path.first == "/" ? String(path) : "/\(path)")
    }

    /// Returns the host in lower case, without the scheme's default port.
    private static func bare(_ host: some StringProtocol, _ scheme: String) -> String {
        let lower = host.lowercased()
        let port = scheme == "http://" ? ":80" : ":443"
        return lower.hasSuffix(port) ? String(lower.dropLast(port.count)) : lower
    }

    /// Returns the body's length by RFC 9112 §6.1 and §6.3. The parser has checked that a length is one
    /// number.
    private static func bodyLength(of head: HTTPRequestHead) throws(Problem) -> Int? {
        let codings = head.headers[canonicalForm: "transfer-encoding"].map { $0.lowercased() }
        let lengths = head.headers["content-length"]
        guard codings.isEmpty || lengths.isEmpty, lengths.count <= 1 else {
            throw .badRequest("the length, which is given twice")
        }
        guard !codings.isEmpty else {
            guard let text = lengths.first else { return 0 }
            guard let length = Int(text), length >= 0 else { throw .badRequest("the length") }
            return length
        }
        guard codings.last == "chunked", head.version.minor >= 1 else {
            throw .badRequest("the transfer coding, of which the last must be chunked")
        }
        guard codings.count == 1 else {
            throw Problem(
                .notImplemented, "transfer_coding_unsupported", "The only transfer coding here is chunked.")
        }
        return nil
    }
}

extension Problem {
    /// - Parameter part: the part that is wrong.
    static func badRequest(_ part: String) -> Problem {
        Problem(.badRequest, "malformed_request", "The request cannot be read: \(part).")
    }

    static let requestTimeout = Problem(
        .requestTimeout, "request_timeout", "The request did not come in time.")

    static let incompleteBody = badRequest("its body, which broke off or has broken chunks")

    static let tooManyConnections = Problem(
        .serviceUnavailable, "too_many_connections",
        "The server has all the connections it can take. Try again.",
        retryAfter: 1)

    static let headerFieldsTooLarge = Problem(
        .requestHeaderFieldsTooLarge, "headers_too_large",
        "A header may have at most 16 KiB, all of them 32 KiB, and there may be 100.")
}
