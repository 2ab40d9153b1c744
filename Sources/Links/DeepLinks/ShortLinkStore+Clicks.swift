package import Kernel
package import Postgres
package import Visits

/// How often links were opened, by which their lists are sorted.
extension ShortLinkStore {
    /// Returns the statement that adds visits to the links by which lists are sorted.
    package static func add(clicks: [ClickedLink: Int]) -> Statement {
        // A code may have several segments, and so may a domain: at most one of them stands there.
        let places = clicks.sorted { $0.key.text < $1.key.text }.flatMap { link, count in
            (link.isDeepLink ? Self.places(in: link.text) : []).map {
                (domain: $0.domain, code: $0.code, count: Int64(count))
            }
        }
        return """
            WITH opened AS MATERIALIZED (
                SELECT code, domain, count
                FROM unnest(\(places.map(\.code)), \(places.map(\.domain)), \(places.map(\.count)))
                    AS given (code, domain, count))
            -- By = alone the planner may read the whole table instead of its key.
            UPDATE links l SET clicks = l.clicks + o.count FROM opened o
            WHERE l.code = o.code AND l.domain = ANY (ARRAY[o.domain])
            """
    }

    /// Returns the domains and codes that may make the URL of a short link.
    static func places(in url: String) -> [(domain: String, code: String)] {
        let bytes = url.utf8
        return bytes.indices.filter { bytes[$0] == UInt8(ascii: "/") }.compactMap { slash in
            let code = url[bytes.index(after: slash)...]
            guard let sound = ShortLink.Code(String(code)) else { return nil }
            return (String(url[..<slash]), sound.text)
        }
    }
}

extension ClickSource {
    /// Counts visits, and notes those of short links, by which their lists are sorted.
    /// - Parameter domains: all domains of deep links.
    package convenience init(store: ClickStore, domains: [LinkDomain]) {
        self.init(store: store, domains: domains, noting: ShortLinkStore.add(clicks:))
    }
}
