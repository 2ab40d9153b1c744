import Foundation
import Imports
import Kernel
package import Postgres
import Web

/// Writes links as the file that `kith import fdl` reads.
package struct ShortLinkExportStore: Sendable {
    private let db: Database

    package init(_ db: Database) { self.db = db }

    /// The first line.
    package static let header = CSVLine.text(LinkColumn.allCases.map(\.rawValue))

    /// Returns all domains that have links, whether the settings name them or not.
    package func domains() async throws -> [String] { try await Self.domains(on: db.bulk) }

    package static func domains(on connection: some Querying) async throws -> [String] {
        try await connection.query("SELECT DISTINCT domain FROM links ORDER BY domain") {
            try $0.next()
        }
    }

    /// Writes the links of a domain, newest first, a page of lines at a time.
    package nonisolated(nonsending) func export(
        domain: String, _ write: nonisolated(nonsending) (_ lines: String) async throws -> Void
    ) async throws {
        try await Self.export(domain: domain, on: db.lists) { lines, _ in try await write(lines) }
    }

    package static nonisolated(nonsending) func export(
        domain: String, on connection: some Querying,
        _ write: nonisolated(nonsending) (_ lines: String, _ rows: Int) async throws -> Void
    ) async throws {
        guard let domain = LinkDomain(domain) else { return }
        var after: Cursor?
        repeat {
            let page = try await ShortLinkStore.list(
                in: domain, ShortLinkFilter(), after: after, limit: 1000, on: connection)
            if !page.items.isEmpty {
                let lines = page.items.map { CSVLine.text($0.fields(in: domain)) }
                try await write(lines.joined(separator: "\n"), lines.count)
            }
            after = page.next
        } while after != nil
    }
}

extension ShortLinkStore.Row {
    /// Returns the fields. A field is nil if there is none, or if it is empty.
    fileprivate func fields(in domain: LinkDomain) -> [String?] {
        func text(_ time: Date?) -> String? {
            guard let time else { return nil }
            let micros = String(time.microsecondsSince1970 % 1000 + 1000).dropFirst()
            return "\(JSON.timestamp(time).dropLast())\(micros)Z"
        }
        return LinkColumn.allCases.map { column in
            switch column {
            case .shortLink: "\(domain.text)/\(code.text)"
            case .archived: archivedAt == nil ? "false" : "true"
            case .linkName: name
            case .createdAt: text(createdAt)
            case .suffix: kind.rawValue
            // An end that moves on with each visit is not exported.
            case .expiresAt: lapses ? nil : text(expiresAt)
            case .archivedAt: text(archivedAt)
            case .tags: tags.isEmpty ? nil : tags.joined(separator: ",")
            case .note: note
            default: parameters[column.rawValue].flatMap { $0.isEmpty ? nil : $0 }
            }
        }
    }
}
