import Foundation
import Web

/// Where events may be posted to, as far as the text says: its host's addresses are checked at each attempt.
package struct WebhookURL: Sendable, Equatable {
    /// Host in lower case, port only if it is unusual.
    let text: String
    /// As in `text`, without the brackets of an address.
    let host: String

    /// Why a text is none.
    enum Fault: String, Error {
        case malformed =
            "must be an absolute URL of at most 2,000 characters, without a user and a fragment, whose host is a name or an address in its usual form"
        case notHTTPS = "must begin with https://"
        case port = "must not name another port than 443"
        case privateAddress = "must not lead to an address that is not public"
    }

    init(_ given: String, reach: PublicAddress.Reach) throws(Fault) {
        guard given.utf8.count <= 2000, let url = try? WebURL(given), url.fragment == nil,
            !given.contains("#")
        else {
            throw .malformed
        }
        guard url.isSecure || reach == .isAll else { throw .notHTTPS }
        guard url.port == nil || reach == .isAll else { throw .port }
        text = url.origin + (url.rest.hasPrefix("/") ? url.rest : "/" + url.rest)
        host = url.host.hasPrefix("[") ? String(url.host.dropFirst().dropLast()) : url.host
        // The client must find the same host in it, since it knows the address by that.
        guard URL(string: text)?.host() == host else { throw .malformed }
        if ClientAddress(host) != nil, !PublicAddress.allows(host, reach) { throw .privateAddress }
    }
}
