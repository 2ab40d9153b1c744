import Foundation

/// A place of short and long links, with codes of its own: `https://go.example.com`, or `https://example.com/l`.
struct LinkDomain: Hashable, Sendable {
    /// Scheme, host and port.
    let origin: String
    /// As `/l`; empty for the whole host.
    let prefix: String

    var text: String { origin + prefix }

    init(origin: String, prefix: String) {
        (self.origin, self.prefix) = (origin, prefix)
    }

    /// Nil for what is not scheme, host and port, with a path of letters, digits and `._~-` or without.
    init?(_ text: String) {
        guard let url = try? WebURL(text),
            let found = url.rest.wholeMatch(of: /((?:\/[A-Za-z0-9._~\-]+)*)\/?/)
        else {
            return nil
        }
        self.init(origin: String(url.text.dropLast(url.rest.count)).lowercased(), prefix: String(found.1))
    }

    /// The rest of a path behind the prefix, with its slash; nil if the path is not of this domain.
    func rest(of path: some StringProtocol) -> String? {
        guard path.hasPrefix(prefix) else { return nil }
        let rest = path.dropFirst(prefix.count)
        return rest.isEmpty || rest.hasPrefix("/") ? String(rest) : nil
    }

    /// Whether a link to this URL leads here.
    func has(_ url: WebURL) -> Bool {
        guard let own = try? WebURL(text), own.host == url.host else { return false }
        return rest(of: url.rest.prefix { $0 != "?" && $0 != "#" }) != nil
    }

    /// Those of the settings.
    static func all(_ config: AppConfig) throws(AppsError) -> [LinkDomain] {
        var domains: [LinkDomain] = []
        for text in config.linkDomains?.listed ?? [] {
            guard let domain = LinkDomain(text) else { throw .linkDomain(text) }
            domains.append(domain)
        }
        return domains
    }
}
