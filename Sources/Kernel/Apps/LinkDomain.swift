import Foundation
package import Web

/// A place of short and long links that has its own codes: `https://go.example.com`, or
/// `https://example.com/l`.
package struct LinkDomain: Hashable, Sendable {
    /// Scheme, host and port.
    package let origin: String
    /// The path, such as `/l`. Empty for the whole host.
    package let prefix: String
    package let text: String
    private let host: String?

    init(origin: String, prefix: String) {
        (self.origin, self.prefix, text) = (origin, prefix, origin + prefix)
        host = try? WebURL(origin).host
    }

    /// Nil unless the text is scheme, host and port, perhaps with a path of letters, digits and `._~-`.
    package init?(_ text: String) {
        guard let url = try? WebURL(text),
            // Browsers resolve `.` and `..` before they send the request.
            url.resolvedPath == url.path
        else { return nil }
        let path = url.rest.hasSuffix("/") ? url.rest.dropLast() : url.rest[...]
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.first?.isEmpty ?? true,
            segments.dropFirst().allSatisfy({ $0.consists(of: .alphanumeric + "._~-", count: 1...8192) })
        else { return nil }
        self.init(origin: url.origin, prefix: String(path))
    }

    /// The first part of its path. Nil for the whole host.
    package var segment: String? { prefix.split(separator: "/").first.map(String.init) }

    /// Returns the rest of a path behind the prefix, with its slash. Nil if the path is not in this domain.
    package func rest(of path: some StringProtocol) -> String? {
        guard path.hasPrefix(prefix) else { return nil }
        let rest = path.dropFirst(prefix.count)
        return rest.isEmpty || rest.hasPrefix("/") ? String(rest) : nil
    }

    /// Whether a link to this URL leads to this domain.
    package func has(_ url: WebURL) -> Bool {
        guard url.host == host else { return false }
        return rest(of: url.resolvedPath) != nil
    }

    /// Returns the domains of the settings.
    package static func all(_ config: AppConfig) throws(AppsError) -> [LinkDomain] {
        var domains: [LinkDomain] = []
        for text in config.linkDomains?.listed ?? [] {
            guard let domain = LinkDomain(text) else { throw .linkDomain(text) }
            if domains.contains(where: { $0.host == domain.host && $0.prefix == domain.prefix }) {
                throw .linkDomainTwice(text)
            }
            domains.append(domain)
        }
        return domains
    }
}

package extension [LinkDomain] {
    /// Returns which of these domains, all on one host, has a path, and the rest of the path. The longest
    /// prefix decides.
    func having(_ path: some StringProtocol) -> (domain: LinkDomain, rest: String)? {
        compactMap { domain in domain.rest(of: path).map { (domain, $0) } }
            .max { $0.0.prefix.utf8.count < $1.0.prefix.utf8.count }
    }

    /// Returns which of these domains has a URL, and the path behind it.
    func having(_ url: WebURL) -> (domain: LinkDomain, rest: String)? {
        filter { $0.has(url) }.having(url.resolvedPath)
    }
}
