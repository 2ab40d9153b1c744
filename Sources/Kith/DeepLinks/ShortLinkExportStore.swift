import Foundation
public import Postgres

/// Writes links as the file that `kith import fdl` reads.
public struct ShortLinkExportStore: Sendable {
    private let db: Database

    public init(_ db: Database) { self.db = db }

    /// The first line.
    public static let header = line(LinkColumn.allCases.map(\.rawValue))

    /// All domains that have links, whether the settings name them or not.
    public func domains() async throws -> [String] {
        try await db.bulk.query("SELECT DISTINCT domain FROM deep_links ORDER BY domain") { try $0.next() }
    }

    /// Writes the links of a domain, newest first, a page of lines at a time.
    public nonisolated(nonsending) func export(
        domain: String, _ write: nonisolated(nonsending) (_ lines: String) async throws -> Void
    ) async throws {
        guard let domain = LinkDomain(domain) else { return }
        var after: Cursor?
        repeat {
            let page = try await ShortLinkStore(db: db).list(in: domain, after: after, limit: 1000)
            if !page.items.isEmpty {
                try await write(page.items.map { Self.line($0.fields(in: domain)) }.joined(separator: "\n"))
            }
            after = page.next
        } while after != nil
    }

    private static func line(_ fields: [String]) -> String {
        fields.map { field in
            field.utf8.contains(where: { ",\"\n\r".utf8.contains($0) })
                ? "\"\(field.replacing("\"", with: "\"\""))\"" : field
        }
        .joined(separator: ",")
    }
}

extension ShortLinkStore.Row {
    fileprivate func fields(in domain: LinkDomain) -> [String] {
        func text(_ time: Date?) -> String {
            guard let time else { return "" }
            let micros = String(time.microsecondsSince1970 % 1000 + 1000).dropFirst()
            return "\(JSON.timestamp(time).dropLast())\(micros)Z"
        }
        return LinkColumn.allCases.map { column in
            switch column {
            case .shortLink: "\(domain.text)/\(code.text)"
            case .archived: archivedAt == nil ? "false" : "true"
            case .linkName: name ?? ""
            case .createdAt: text(createdAt)
            case .suffix: kind.rawValue
            case .expiresAt: text(expiresAt)
            case .archivedAt: text(archivedAt)
            default: parameters[column.rawValue] ?? ""
            }
        }
    }
}
