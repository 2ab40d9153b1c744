import Foundation

/// Where events may be posted to, as far as the text says: its host's addresses are checked at each attempt.
struct WebhookURL: Sendable, Equatable {
    /// Host in lower case, port only if it is unusual.
    let text: String
    /// As in `text`, without the brackets of an address.
    let host: String

    /// Which hosts an operator lets Kith reach.
    enum Reach: String, Sendable {
        /// https at port 443, at public addresses.
        case isPublic = "deny"
        /// `KITH_WEBHOOK_PRIVATE_ADDRESSES=allow`: also http, other ports, and addresses of the operator's own network.
        case isAll = "allow"
    }

    /// Why a text is none.
    enum Fault: String, Error {
        case malformed = "must be an absolute URL of at most 2,000 characters, without a user and a fragment"
        case notHTTPS = "must begin with https://"
        case port = "must not name another port than 443"
        case oddHost = "must name its host by a name, or by an address in its usual form"
        case privateAddress = "must not lead to an address that is not public"
    }

    init(_ given: String, reach: Reach) throws(Fault) {
        guard given.utf8.count <= 2000, let url = try? WebURL(given), url.fragment == nil,
            !given.contains("#")
        else {
            throw .malformed
        }
        let isSecure = url.text.lowercased().hasPrefix("https:")
        guard isSecure || reach == .isAll else { throw .notHTTPS }
        guard Self.isUsual(url.host) else { throw .oddHost }
        let authority = url.text.dropLast(url.rest.utf8.count).drop { $0 != "/" }.dropFirst(2)
        let digits = authority.hasSuffix("]") ? "" : authority.split(separator: ":").dropFirst().last ?? ""
        let port = digits.isEmpty ? (isSecure ? 443 : 80) : Int(digits) ?? 0
        guard port > 0 else { throw .port }
        guard port == 443 || reach == .isAll else { throw .port }
        let isUsualPort = port == (isSecure ? 443 : 80)
        text =
            "\(isSecure ? "https" : "http")://\(url.host)\(isUsualPort ? "" : ":\(port)")"
            + (url.rest.hasPrefix("/") ? url.rest : "/" + url.rest)
        host = url.host.hasPrefix("[") ? String(url.host.dropFirst().dropLast()) : url.host
        // The client must find the same host in it, since it knows the address by that.
        guard URL(string: text)?.host() == host else { throw .malformed }
        if ClientAddress(host) != nil, !PublicAddress.allows(host, reach) { throw .privateAddress }
    }

    /// Systems read `2130706433`, `0177.1` and `0x7f.1` as addresses, each in its own way.
    private static func isUsual(_ host: String) -> Bool {
        if host.hasPrefix("[") { return ClientAddress(host.dropFirst().dropLast()) != nil }
        let last = host.split(separator: ".").last ?? ""
        let isNumber = last.hasPrefix("0x") || last.utf8.allSatisfy(\.isASCIIDigit)
        return !isNumber || ClientAddress(host) != nil
    }
}
