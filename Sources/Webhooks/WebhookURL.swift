import Foundation
import Web

/// A URL to which events may be posted, as far as its text shows. The addresses of its host are checked at
/// each attempt.
package struct WebhookURL: Sendable, Equatable {
    /// The URL with its host in lower case, and its port only if it is unusual.
    let text: String
    /// The host as in `text`, without the brackets of an address.
    let host: String

    /// Why a text is not such a URL.
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
        // The client must find the same host in it, since it knows the address by that name.
        guard URL(string: text)?.host() == host else { throw .malformed }
        if ClientAddress(host) != nil, !PublicAddress.allows(host, reach) { throw .privateAddress }
    }
}
