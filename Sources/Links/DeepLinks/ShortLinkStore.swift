package import Foundation
package import Kernel
package import Postgres
package import Visits
import Web

/// Every statement on `links`.
package struct ShortLinkStore: Sendable {
    let db: Database
    private let inForce: ReadQueue<Place, Row>

    package init(db: Database) {
        self.db = db
        inForce = ReadQueue(refused: db.landings.countRefusal) {
            try await Self.findInForce($0, on: db.landings)
        }
    }

    /// The code and domain of a link.
    private struct Place: Hashable, Sendable {
        var code: String
        var domain: String
    }

    /// A row, with its parameters as they are stored.
    package struct Row: Sendable {
        var code: ShortLink.Code
        var kind: ShortLink.Kind
        package var parameters: [String: String]
        var name: String?
        /// The note and the tags. They are not read for visitors.
        var note: String?
        var tags: [String]
        var createdAt: Date
        var archivedAt: Date?
        package var expiresAt: Date?
        /// Whether it ends if nobody opens it.
        var lapses: Bool
        /// Whether it lapses and nobody has opened it yet today. It is set only for a link that is opened.
        var isToKeep = false
        /// The id of the key that made it.
        var createdBy: String?
    }

    package func find(_ code: ShortLink.Code, in domain: LinkDomain) async throws -> Row? {
        try await db.landings.first(
            """
            SELECT \(Self.columns) FROM links
            WHERE code = \(code.text) AND domain = \(domain.text) AND kind <> 'deleted'
            """, Row.init(row:))
    }

    /// Returns a link that has not expired, or nil. Opening a link that lapses keeps it for longer, but
    /// nobody waits for that.
    package func findInForce(_ code: ShortLink.Code, in domain: LinkDomain) async throws -> Row? {
        let row = try await inForce.value(of: Place(code: code.text, domain: domain.text))
        if let row, row.isToKeep { Task { try? await keep(code, in: domain, ifDue: true) } }
        return row
    }

    /// When a link that only apps asked for ends, if nobody opens it.
    private static let lapse: Statement = "now() + interval '180 days'"
    private static let isDue: Statement = "expires_at < \(lapse) - interval '1 day'"

    /// Lets a link that lapses last as long as a new one. Nil if it does not lapse, or is gone.
    /// - Parameter ifDue: whether to do nothing if this was already done today.
    @discardableResult
    func keep(_ code: ShortLink.Code, in domain: LinkDomain, ifDue: Bool = false) async throws -> Row? {
        // If many people open it at once, each call finds what the one before wrote, and only one connection
        // waits.
        try await db.write.with(key: Place(code: code.text, domain: domain.text)).first(
            """
            UPDATE links SET expires_at = greatest(expires_at, \(Self.lapse))
            WHERE code = \(code.text) AND domain = \(domain.text) AND lapses AND (\(!ifDue) OR \(Self.isDue))
            RETURNING \(Self.columns)
            """, Row.init(row:))
    }

    /// Deletes links that have lapsed and their counts, in parts, so that no statement takes long.
    package func forgetLapsed(countedIn clicks: ClickStore, part: Int = 5000) async throws {
        var count = part
        while count == part {
            let gone = try await db.bulk.ofPrimary.query(
                """
                WITH lapsed AS MATERIALIZED (
                    SELECT code, domain FROM links WHERE lapses AND expires_at <= now()
                    ORDER BY expires_at LIMIT \(part))
                -- By = alone the planner may read the whole table instead of its key.
                DELETE FROM links d USING lapsed l
                WHERE d.code = l.code AND d.domain = ANY (ARRAY[l.domain]) AND d.lapses AND d.expires_at <= now()
                RETURNING d.domain, d.code
                """
            ) { try ClickedLink.short($0.next(), code: $0.next()) }
            try await clicks.forget(gone)
            count = gone.count
        }
    }

    /// Deletes a link and its counts. Returns whether there was one. An unguessable code stays taken: a call
    /// that makes the same link again gets another code, so that a link that was passed on stays dead.
    func delete(_ code: ShortLink.Code, in domain: LinkDomain) async throws -> Bool {
        let link = ClickedLink.short(domain, code: code.text)
        let results = try await db.write.batch(
            [
                """
                UPDATE links SET kind = 'deleted', parameters = '{}', name = NULL, note = NULL, tags = NULL, created_by = NULL,
                    clicks = 0, archived_at = NULL, lapses = false, expires_at = now()
                WHERE code = \(code.text) AND domain = \(domain.text) AND kind = 'unguessable' RETURNING 1
                """,
                """
                DELETE FROM links
                WHERE code = \(code.text) AND domain = \(domain.text) AND kind IN ('short', 'custom') RETURNING 1
                """,
            ] + ClickStore.forget("\([link.text])"))
        return try results.prefix(2).contains { try $0.first { try $0.next(as: Int.self) } != nil }
    }

    private static func findInForce(_ places: [Place], on lane: Lane) async throws -> [Place: Row] {
        let rows = try await lane.query(
            """
            SELECT domain, lapses AND \(isDue), \(visited), NULL::text, NULL::text[] FROM links
            WHERE code = ANY(\(places.map(\.code))) AND domain = ANY(\(Array(Set(places.map(\.domain)))))
              AND (expires_at IS NULL OR expires_at > now())
            """
        ) { row in
            let (domain, isToKeep): (String, Bool) = try (row.next(), row.next())
            var link = try Row(row: &row)
            link.isToKeep = isToKeep
            return (Place(code: link.code.text, domain: domain), link)
        }
        // A damaged index could return a row twice.
        return Dictionary(rows) { first, _ in first }
    }

    /// Adds a link. Nil if the domain already has the code.
    func add(
        _ code: ShortLink.Code, in domain: LinkDomain, _ kind: ShortLink.Kind, _ parameters: [String: String],
        _ details: ShortLinkDetails, expiresIn: Int?, by maker: ShortLinkMaker
    ) async throws -> Row? {
        let insert = try insert(code, in: domain, kind, parameters, details, expiresIn: expiresIn, by: maker)
        return try await db.write.first(
            "\(insert) ON CONFLICT DO NOTHING RETURNING \(Self.columns)", Row.init(row:))
    }

    /// A link that is to be added together with others.
    struct NewLink {
        let code: ShortLink.Code
        let kind: ShortLink.Kind
        let parameters: [String: String]
        let details: ShortLinkDetails

        init(
            _ code: ShortLink.Code, _ kind: ShortLink.Kind, _ parameters: [String: String],
            _ details: ShortLinkDetails
        ) {
            (self.code, self.kind, self.parameters, self.details) = (code, kind, parameters, details)
        }
    }

    /// Adds all of some links, which begin at once and do not end, or none. Returns the place of one whose
    /// code the domain already has; then none was added.
    func add(_ links: [NewLink], in domain: LinkDomain, by maker: ShortLinkMaker) async throws -> Int? {
        // Two calls that want the same codes lock them in the same order.
        let order = links.indices.sorted { links[$0].code.text < links[$1].code.text }
        let statements = try order.map { place in
            try insert(
                links[place].code, in: domain, links[place].kind, links[place].parameters,
                links[place].details, expiresIn: nil, by: maker)
        }
        do {
            _ = try await db.write.batch(statements)
            return nil
        } catch let error as PostgresError where error.isUniqueViolation {
            return error.statementIndex.map { order[$0] }
        }
    }

    private func insert(
        _ code: ShortLink.Code, in domain: LinkDomain, _ kind: ShortLink.Kind, _ parameters: [String: String],
        _ details: ShortLinkDetails, expiresIn: Int?, by maker: ShortLinkMaker
    ) throws -> Statement {
        let end: Statement =
            maker.isBackend ? "now() + \(expiresIn.map(Double.init)) * interval '1 second'" : Self.lapse
        let content = try JSON.text(parameters)
        return """
            INSERT INTO links (code, domain, kind, parameters, name, note, tags, expires_at, lapses, created_by)
            VALUES (\(code.text), \(domain.text), \(kind.rawValue), \(content)::text::jsonb,
                    \(details.name), \(details.note), \(Self.tags(details.tags)), \(end), \(!maker.isBackend), \(maker.key))
            """
    }

    /// Returns the parameters of those of some links that are there, by their codes.
    func parameters(
        of codes: [ShortLink.Code], in domain: LinkDomain
    ) async throws -> [ShortLink.Code: [String: String]] {
        let rows = try await db.read.ofPrimary.query(
            """
            SELECT \(Self.columns) FROM links
            WHERE code = ANY(\(codes.map(\.text))) AND domain = \(domain.text) AND kind <> 'deleted'
            """, Row.init(row:))
        return Dictionary(rows.map { ($0.code, $0.parameters) }) { first, _ in first }
    }

    /// Lets a link last as long as a new one would, but never shorter than it does now. Nil if it leads
    /// elsewhere by now.
    func extend(
        _ code: ShortLink.Code, in domain: LinkDomain, to parameters: [String: String], until end: Date?
    ) async throws -> Row? {
        let latest: Statement = end.map { "greatest(expires_at, \($0))" } ?? "NULL::timestamptz"
        return try await db.write.first(
            """
            UPDATE links SET lapses = false, expires_at = CASE WHEN expires_at IS NOT NULL THEN \(latest) END
            WHERE code = \(code.text) AND domain = \(domain.text)
              AND parameters = \(JSON.text(parameters))::text::jsonb
            RETURNING \(Self.columns)
            """, Row.init(row:))
    }

    /// Returns how many of these codes the domain has.
    func taken(_ codes: [ShortLink.Code], in domain: LinkDomain) async throws -> Int {
        try await db.read.query(
            "SELECT 1 FROM links WHERE code = ANY(\(codes.map(\.text))) AND domain = \(domain.text)"
        ) { try $0.next(as: Int.self) }.count
    }

    /// Throws `targetIsLink` if a URL is a short link of one of these domains. It asks the database only
    /// about a URL there.
    func requireNoLink(at url: WebURL, of domains: [LinkDomain]) async throws {
        guard let (domain, code) = domains.shortLink(at: url), try await find(code, in: domain) != nil
        else { return }
        throw DeepLinkError.targetIsLink(.link, url.text)
    }

    /// Changes the given values. Nil if there is no such link.
    func change(_ code: ShortLink.Code, in domain: LinkDomain, _ change: ShortLinkChange) async throws -> Row?
    {
        let columns = try change.columns
        guard !columns.isEmpty else { return try await find(code, in: domain) }
        return try await db.write.first(
            """
            UPDATE links SET \(columns.joined(separator: ", "))
            WHERE code = \(code.text) AND domain = \(domain.text) AND kind <> 'deleted' RETURNING \(Self.columns)
            """, Row.init(row:))
    }

    static let columns: Statement = "\(visited), note, tags"
    /// What a visit needs.
    private static let visited: Statement = """
        code, kind, parameters::text, name, created_at, archived_at, expires_at, lapses, created_by
        """

    /// Returns tags as they are stored.
    fileprivate static func tags(_ tags: [LinkTag]) -> Statement { "nullif(\(tags.map(\.text)), '{}')" }
}

extension ShortLinkStore.Row {
    init(row: inout Postgres.Row) throws {
        let code: String = try row.next()
        guard let known = ShortLink.Code(code) else { throw DeepLinkError.malformed(code) }
        self.code = known
        kind = try ShortLink.Kind(rawValue: row.next()) ?? .custom
        // This runs at each visit, so it does not use JSONDecoder, which takes a tenth of the answer's time.
        let members = try JSONTree(Array(row.next(as: String.self).utf8)).members ?? []
        parameters = members.reduce(into: [:]) { $0[$1.key] = $1.value.text }
        (name, createdAt, archivedAt) = try (row.next(), row.next(), row.next())
        (expiresAt, lapses, createdBy) = try (row.next(), row.next(), row.next())
        (note, tags) = try (row.next(), row.next(as: [String]?.self) ?? [])
    }
}

/// What an operator changes about a short link. Nil means that a value stays, and `.some(nil)` that it is
/// removed.
struct ShortLinkChange: Sendable {
    var parameters: [String: String]?
    var name: String??
    var note: String??
    var tags: [LinkTag]?
    var isArchived: Bool?
    var expiresIn: Int??
}

extension ShortLinkChange {
    fileprivate var columns: [Statement] {
        get throws {
            var columns: [Statement] = []
            if let parameters {
                columns.append("parameters = \(try JSON.text(parameters))::text::jsonb")
            }
            if let name { columns.append("name = \(name)") }
            if let note { columns.append("note = \(note)") }
            if let tags { columns.append("tags = \(ShortLinkStore.tags(tags))") }
            if let isArchived { columns.append(isArchived ? "archived_at = now()" : "archived_at = NULL") }
            if let expiresIn {
                columns.append("lapses = false")
                columns.append("expires_at = now() + \(expiresIn.map(Double.init)) * interval '1 second'")
            }
            return columns
        }
    }
}
