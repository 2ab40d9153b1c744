import Foundation

/// What a URL that opened the app, or that the user scanned or pasted, says. It is read, not judged: whether
/// the link still works says the server.
public enum KithLink: Hashable, Sendable {
    /// `https://host/users/{username}?invitedBy=…&code=…`, or the same with `/@{username}`
    case user(username: String, invitedBy: String?, code: String?)
    /// A short link, `https://host/{code}`.
    case code(String)

    /// Which URLs are links of the app.
    public struct Rules: Sendable {
        /// Where the server's links begin, such as `https://join.example.com`.
        public let linkURL: URL
        /// More hosts of links, such as that of your old domain.
        public let otherHosts: Set<String>
        /// The app's own schemes, such as `myapp`.
        public let schemes: Set<String>
        /// Hosts whose links wrap another in `link`, beside those of Firebase Dynamic Links (`*.page.link`,
        /// `*.app.goo.gl`).
        public let wrappingHosts: Set<String>

        public init(
            linkURL: URL, otherHosts: Set<String> = [], schemes: Set<String> = [],
            wrappingHosts: Set<String> = []
        ) {
            self.linkURL = linkURL
            self.otherHosts = Set(otherHosts.map { $0.lowercased() })
            self.schemes = Set(schemes.map { $0.lowercased() })
            self.wrappingHosts = Set(wrappingHosts.map { $0.lowercased() })
        }
    }

    /// Reads a URL; nil if it is no link of the app.
    public static func parse(_ url: URL, _ rules: Rules) -> KithLink? { parse(url.absoluteString, rules) }

    /// Reads a text, such as what the user pasted; nil if it is no link of the app.
    public static func parse(_ text: String, _ rules: Rules) -> KithLink? { parse(text, rules, depth: 0) }

    private static func parse(_ text: String, _ rules: Rules, depth: Int) -> KithLink? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count <= 8192, depth < 4, let parts = URLComponents(string: text),
            let scheme = parts.scheme?.lowercased(), parts.user == nil, parts.password == nil
        else { return nil }
        let link: KithLink?
        if rules.schemes.contains(scheme) {
            // In `myapp://users/ann` the host is the first part of the path.
            link = KithLink(path: (parts.percentEncodedHost ?? "") + parts.percentEncodedPath, parts)
        } else if rules.isOurs(parts, scheme) {
            link = KithLink(path: parts.percentEncodedPath, parts)
        } else {
            link = nil
        }
        if let link { return link }
        // A wrapped link: of Firebase Dynamic Links, or what its SDK opened the app with.
        guard rules.wraps(parts, scheme) else { return nil }
        let inner = parts.value("deep_link_id") ?? parts.value("link")
        return inner.flatMap { parse($0, rules, depth: depth + 1) }
    }

    private init?(path: String, _ parts: URLComponents) {
        let path = path.split(separator: "/", omittingEmptySubsequences: true).map {
            String($0).removingPercentEncoding ?? ""
        }
        if path.count == 1, let code = Self.readCode(path[0]) {
            self = .code(code)
        } else if let username = Self.username(path) {
            self = .user(
                username: username, invitedBy: parts.value("invitedBy") ?? (parts.mentionsInviter ? "" : nil),
                code: parts.value("code").flatMap(Self.readCode))
        } else {
            return nil
        }
    }

    /// The name in `/users/{username}` or `/@{username}`.
    private static func username(_ path: [String]) -> String? {
        switch path.count {
        case 1 where path[0].hasPrefix("@") && path[0].count > 1: String(path[0].dropFirst())
        case 2 where path[0] == "users" && !path[1].isEmpty: path[1]
        default: nil
        }
    }

    /// A code as the server writes it, from any case and with o for 0, i or l for 1: QR symbols have
    /// capitals, and people type. What chats stick to its end is left out. Nil if it cannot be one.
    static func readCode(_ text: String) -> String? {
        let same: [Character: Character] = ["o": "0", "i": "1", "l": "1"]
        let characters = text.lowercased().map { same[$0] ?? $0 }
        let code = characters.prefix { "0123456789abcdefghjkmnpqrstvwxyz".contains($0) }
        return code.count == 16 ? String(code) : nil
    }
}

extension KithLink {
    /// The same link on the web, as the server writes it: to send to it, or to share.
    public func url(_ rules: Rules) -> URL {
        var parts = URLComponents(url: rules.linkURL, resolvingAgainstBaseURL: false) ?? URLComponents()
        switch self {
        case .code(let code):
            parts.percentEncodedPath = "/\(code)"
        case .user(let username, let invitedBy, let code):
            parts.percentEncodedPath = "/users/\(Self.encode(username))"
            let query = [("invitedBy", invitedBy), ("code", code)].compactMap { name, value in
                value.map { "\(name)=\(Self.encode($0))" }
            }
            parts.percentEncodedQuery = query.isEmpty ? nil : query.joined(separator: "&")
        }
        return parts.url ?? rules.linkURL
    }

    /// Percent-encodes all but RFC 3986's unreserved characters.
    static func encode(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

extension KithLink.Rules {
    fileprivate func isOurs(_ parts: URLComponents, _ scheme: String) -> Bool {
        guard let host = parts.host?.lowercased() else { return false }
        if scheme == linkURL.scheme?.lowercased(), host == linkURL.host?.lowercased(),
            parts.port == linkURL.port
        {
            return true
        }
        return scheme == "https" && parts.port == nil && otherHosts.contains(host)
    }

    func wraps(_ url: URL) -> Bool {
        guard url.scheme.map({ !schemes.contains($0.lowercased()) }) == true,
            let parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        else { return false }
        return wraps(parts, parts.scheme?.lowercased() ?? "")
    }

    /// What stands in `myapp://google/link/?deep_link_id=…`.
    func target(inScheme url: URL) -> URL? {
        guard let scheme = url.scheme?.lowercased(), schemes.contains(scheme),
            let parts = URLComponents(url: url, resolvingAgainstBaseURL: false), wraps(parts, scheme)
        else { return nil }
        return parts.value("deep_link_id").flatMap(URL.init(string:))
    }

    fileprivate func wraps(_ parts: URLComponents, _ scheme: String) -> Bool {
        // `com.example.app://google/link/?deep_link_id=…`
        if schemes.contains(scheme) { return parts.host?.lowercased() == "google" }
        guard scheme == "https" || scheme == "http", let host = parts.host?.lowercased() else { return false }
        return wrappingHosts.contains(host) || host.hasSuffix(".page.link") || host.hasSuffix(".app.goo.gl")
    }
}

extension URLComponents {
    /// The first value of a name in the query, decoded once; `+` stays `+`. Empty if it is wrongly encoded:
    /// an invite with a broken uid must not become one without a uid.
    func value(_ name: String) -> String? {
        for pair in (percentEncodedQuery ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard String(parts[0]).removingPercentEncoding == name else { continue }
            return parts.count == 2 ? String(parts[1]).removingPercentEncoding ?? "" : ""
        }
        return nil
    }

    /// Whether the query has what was an inviter before it was mangled. Without it the name alone could be
    /// somebody else's by now.
    var mentionsInviter: Bool {
        let query = percentEncodedQuery ?? ""
        let text = (query.removingPercentEncoding ?? query).lowercased()
        return text.filter { ("a"..."z").contains($0) }.contains("invitedby")
    }
}
