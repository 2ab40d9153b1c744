import Foundation
package import Kernel
package import Postgres
package import Visits

/// Lists of links, and what they are sorted by.
extension ShortLinkStore {
    /// Returns links of a domain. A search or an order by clicks reads all links of the domain in the worst
    /// case, so it goes to the lane of long work.
    func list(
        in domain: LinkDomain, _ filter: ShortLinkFilter, after cursor: Cursor?, limit: Int
    ) async throws -> ListPage<Row> {
        let isLong = filter.text != nil || filter.order == .clicks
        return try await Self.list(
            in: domain, filter, after: cursor, limit: limit, on: isLong ? db.bulk : db.lists)
    }

    static func list(
        in domain: LinkDomain, _ filter: ShortLinkFilter, after cursor: Cursor?, limit: Int,
        on connection: some Querying
    ) async throws -> ListPage<Row> {
        let order = filter.order
        // Few may match, and one by one in an order that is not theirs on disk, rows take four times as long.
        let key = filter.isSelective ? order.computedKey : order.key
        let rows = try await connection.query(
            """
            SELECT clicks, sort_name, \(columns) FROM links
            WHERE domain = \(domain.text) AND kind <> 'deleted'\(filter.conditions)\(order.condition(behind: cursor))
            ORDER BY \(key) \(order.direction), code \(order.direction) LIMIT \(limit + 1)
            """
        ) { row in
            let (clicks, name): (Int64, String) = try (row.next(), row.next())
            let link = try Row(row: &row)
            let cursor =
                switch order {
                case .newest, .oldest: Cursor(at: link.createdAt, id: link.code.text)
                case .clicks: Cursor(parts: [String(clicks), link.code.text])
                case .name: Cursor(parts: [name, link.code.text])
                }
            return (cursor: cursor, item: link)
        }
        return ListPage(rows, limit: limit)
    }

    /// Returns a query of what is counted of the links that have a tag.
    package static func subjects(tagged tag: LinkTag) -> Statement {
        "SELECT domain || '/' || code FROM links WHERE tags @> \([tag.text])"
    }

    /// Returns the statement that adds visits to the links by which lists are sorted.
    static func add(clicks: [ClickedLink: Int]) -> Statement {
        // A code may have several segments, and so may a domain: at most one of them stands there.
        let places = clicks.sorted { $0.key.text < $1.key.text }.flatMap { link, count in
            link.places.map { (domain: $0.domain, code: $0.code, count: Int64(count)) }
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
}

extension ShortLinkFilter {
    /// Whether it may leave so few links that all of the domain are read.
    fileprivate var isSelective: Bool { text != nil || keyID != nil }

    fileprivate var conditions: Statement {
        var all: [Statement] = [""]
        if let tag { all.append("tags @> \([tag.text])") }
        if let isArchived { all.append(isArchived ? "archived_at IS NOT NULL" : "archived_at IS NULL") }
        if let keyID { all.append("created_by = \(keyID)") }
        // The subquery is carried out once, the function alone for each row.
        if let text { all.append("strpos(search_text, (SELECT sort_key(\(text)))) > 0") }
        return all.joined(separator: " AND ")
    }
}

extension ShortLinkFilter.Order {
    fileprivate var key: Statement {
        switch self {
        case .newest, .oldest: "created_at"
        case .clicks: "clicks"
        case .name: "sort_name"
        }
    }

    /// The same as `key`, by which no index is sorted, but for times.
    fileprivate var computedKey: Statement {
        switch self {
        case .newest, .oldest, .clicks: key
        case .name: "(sort_name || '')"
        }
    }

    private var isDescending: Bool { self == .newest || self == .clicks }

    fileprivate var direction: Statement { isDescending ? "DESC" : "ASC" }

    /// Returns the condition that a row stands behind a cursor.
    fileprivate func condition(behind cursor: Cursor?) -> Statement {
        guard let cursor else { return "" }
        let value: Statement =
            switch self {
            case .newest, .oldest: "\(cursor.at)"
            case .clicks: "\(Int64(cursor.parts[0]) ?? 0)"
            case .name: "\(cursor.parts[0])"
            }
        let isBehind: Statement = isDescending ? "<" : ">"
        return " AND (\(key), code) \(isBehind) (\(value), \(cursor.key))"
    }
}

extension ClickSource {
    /// Counts visits, and notes those of short links, by which their lists are sorted.
    /// - Parameter domains: all domains of deep links.
    package init(store: ClickStore, domains: [LinkDomain]) {
        self.init(store: store, domains: domains, noting: ShortLinkStore.add(clicks:))
    }
}

extension ClickedLink {
    /// The domains and codes that may make the URL of a short link. None for all other links.
    fileprivate var places: [(domain: String, code: String)] {
        guard isDeepLink else { return [] }
        let bytes = text.utf8
        return bytes.indices.filter { bytes[$0] == UInt8(ascii: "/") }.compactMap { slash in
            let code = text[bytes.index(after: slash)...]
            guard let sound = ShortLink.Code(String(code)) else { return nil }
            return (String(text[..<slash]), sound.text)
        }
    }
}
