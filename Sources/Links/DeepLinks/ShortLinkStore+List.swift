import Foundation
package import Kernel
import Postgres
import Visits

/// Lists of links, and what they are sorted by.
extension ShortLinkStore {
    /// Returns links of a domain. A search or an order by clicks reads all links of the domain in the worst
    /// case, so it goes to the lane of long work.
    func list(
        in domain: LinkDomain, _ filter: ShortLinkFilter, after cursor: Cursor?, limit: Int
    ) async throws -> ListPage<Row> {
        let list = { (lane: Lane) in
            try await Self.list(in: domain, filter, after: cursor, limit: limit, on: lane)
        }
        let isLong = filter.text != nil || filter.order == .clicks
        return try await isLong ? db.question(list) : list(db.lists)
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

    /// Returns the most clicked links that have a tag. Nil if none has it.
    package func links(tagged tag: LinkTag, most: Int) async throws -> TaggedLinks? {
        let query: Statement = """
            SELECT domain || '/' || code, count(*) OVER () FROM links WHERE tags @> \([tag.text])
            ORDER BY clicks DESC, code, domain LIMIT \(most)
            """
        let rows = try await db.question { lane in
            try await lane.query(query) { try (url: $0.next(as: String.self), all: $0.next(as: Int64.self)) }
        }
        return rows.first.map { TaggedLinks(urls: rows.map(\.url), leftOut: Int($0.all) - rows.count) }
    }

    /// Whether this is the URL of a short link.
    package func has(_ url: String) async throws -> Bool {
        let places = Self.places(in: url)
        guard !places.isEmpty else { return false }
        let query: Statement = """
            WITH named AS MATERIALIZED (
                SELECT code, domain FROM unnest(\(places.map(\.code)), \(places.map(\.domain))) AS given (code, domain))
            SELECT 1 FROM links l JOIN named n ON l.code = n.code AND l.domain = ANY (ARRAY[n.domain])
            WHERE l.kind <> 'deleted' LIMIT 1
            """
        return try await db.question { try await $0.first(query) { try $0.next(as: Int.self) } } != nil
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

/// The links that have a tag, as sums name them.
package struct TaggedLinks: Sendable {
    package let urls: [String]
    /// How many others have it, which were clicked less.
    package let leftOut: Int
}
