import Foundation
package import Imports
import Kernel
package import Postgres
import Web

/// Imports links from files of Google's export, or of `kith export links`.
package struct ShortLinkImportStore: Sendable {
    let db: Database
    let projects: [LinkedProject]

    package init(db: Database, projects: [LinkedProject]) {
        self.db = db
        self.projects = projects
    }

    package static let needsDomains = "KITH_LINK_DOMAINS is not set: name the domains of the links there"

    /// Whether there is a domain for the links.
    package var hasDomains: Bool { projects.contains { !$0.domains.isEmpty } }

    /// Imports a file, like `StagedImport.run`. A link whose code leads elsewhere is refused, and nothing is
    /// overwritten.
    package nonisolated(nonsending) func run(
        isDryRun: Bool = false, progress: @escaping @Sendable (ImportProgress) -> Void = { _ in },
        from next: nonisolated(nonsending) () async throws -> [UInt8]?
    ) async throws -> ImportReport {
        guard hasDomains else { throw ImportError.malformed(line: nil, Self.needsDomains) }
        return try await StagedImport.run(
            LinkColumn.columns, into: "links", of: db, isDryRun: isDryRun, progress: progress, from: next
        ) { staged in try await write(staged) }
    }

    private nonisolated(nonsending) func write(_ staged: StagedImport) async throws -> ImportReport {
        let now =
            try await staged.session.first("SELECT now()") { try $0.next(as: Date.self) } ?? .distantPast
        let reader = LinkFileReader(projects, now: now)
        var (report, done) = (ImportReport(lines: staged.records, imported: 0), 0)
        var findings = Findings(progress: staged.progress)
        try await staged.forEachBatch(
            of: LinkColumn.columns, most: LinkParameter.mostBytes + 1
        ) { lines in
            let lines = try await refusingLinks(lines.map { ReadLine($0, reader) }, staged.session)
            report.imported += try await write(lines, staged.session, &findings)
            done += lines.count
            staged.progress(.writing(rows: done, of: staged.records))
        }
        report.findings = findings.all
        return report
    }

    fileprivate struct Place: Hashable {
        let code: String
        let domain: String
    }

    /// Refuses lines whose target is itself a short link, from the database or from these lines.
    private nonisolated(nonsending) func refusingLinks(
        _ lines: [ReadLine], _ session: Session
    ) async throws -> [ReadLine] {
        let domains = projects.flatMap(\.domains)
        func target(_ line: ReadLine) -> Place? {
            guard let url = line.link?.parameters["link"].flatMap({ try? WebURL($0) }),
                let (domain, code) = domains.shortLink(at: url)
            else { return nil }
            return Place(code: code.text, domain: domain.text)
        }
        let targets = Set(lines.compactMap(target))
        guard !targets.isEmpty else { return lines }
        let there = try await session.query(
            """
            SELECT code, domain FROM links
            WHERE code = ANY(\(targets.map(\.code))) AND domain = ANY(\(Array(Set(targets.map(\.domain)))))
              AND kind <> 'deleted'
            """
        ) { try Place(code: $0.next(), domain: $0.next()) }
        let links = Set(there + lines.compactMap(\.link?.place))
        return lines.map { line in
            guard let place = target(line), links.contains(place) else { return line }
            var refused = line
            refused.result = .failure(LinkFileRefusal(DeepLinkError.targetIsLink(.link, line.url)))
            return refused
        }
    }

    /// Writes the lines. Returns how many are new. The statement decides: a link that already had a code
    /// keeps it.
    private nonisolated(nonsending) func write(
        _ lines: [ReadLine], _ session: Session, _ findings: inout Findings
    ) async throws -> Int {
        var firsts: [Place: ReadLine] = [:]
        for line in lines { if let place = line.link?.place, firsts[place] == nil { firsts[place] = line } }
        let links = firsts.values.compactMap(\.link).sorted { $0.code.text < $1.code.text }
        let new = Set(try await insert(links, session))
        let isNew = lines.map { line in
            line.link.map { new.contains($0.place) && firsts[$0.place]?.number == line.number } ?? false
        }
        let existing = try await parameters(of: zip(lines, isNew).compactMap { $1 ? nil : $0.link }, session)
        for (line, isNew) in zip(lines, isNew) {
            switch line.result {
            case .failure(let refusal): findings.refuse(refusal, line)
            case .success(let link) where isNew: findings.warn(of: link, line)
            case .success(let link):
                let there = existing[link.place]
                guard there != link.parameters else {
                    findings.add(.already, at: line.number)
                    continue
                }
                let reason =
                    if let there {
                        "it leads elsewhere already (\(there["link"] ?? "")), or by other parameters, and stays so: change it with "
                            + "PATCH /v1/links/\(link.code.text), or drop the line"
                    } else {
                        "a link with this code was deleted, and the code is not given again: drop the line"
                    }
                findings.refuse(LinkFileRefusal(.codeTaken, reason), line)
            }
        }
        return new.count
    }

    private nonisolated(nonsending) func insert(
        _ links: [LinkFileLine], _ session: Session
    ) async throws -> [Place] {
        func seconds(_ time: Date?) -> Double { time?.timeIntervalSince1970 ?? .nan }
        return try await session.query(
            """
            INSERT INTO links (code, domain, kind, parameters, name, note, tags, created_at, archived_at, expires_at)
            SELECT code, domain, kind, parameters::jsonb, nullif(name, ''), nullif(note, ''),
                   string_to_array(nullif(tags, ''), ','), to_timestamp(created_at),
                   to_timestamp(nullif(archived_at, 'NaN')), to_timestamp(nullif(expires_at, 'NaN'))
            FROM unnest(
                     \(links.map(\.code.text)), \(links.map(\.domain.text)), \(links.map(\.kind.rawValue)),
                     \(links.map { try JSON.text($0.parameters) }), \(links.map { $0.name ?? "" }),
                     \(links.map { $0.note ?? "" }),
                     \(links.map { $0.tags.map(\.text).joined(separator: ",") }),
                     \(links.map { seconds($0.createdAt) }), \(links.map { seconds($0.archivedAt) }),
                     \(links.map { seconds($0.expiresAt) })
                 ) AS given (code, domain, kind, parameters, name, note, tags, created_at, archived_at, expires_at)
            ON CONFLICT DO NOTHING
            RETURNING code, domain
            """
        ) { try Place(code: $0.next(), domain: $0.next()) }
    }

    private nonisolated(nonsending) func parameters(
        of links: [LinkFileLine], _ session: Session
    ) async throws -> [Place: [String: String]] {
        guard !links.isEmpty else { return [:] }
        let rows = try await session.query(
            """
            SELECT code, domain, parameters::text FROM links
            WHERE code = ANY(\(links.map(\.code.text))) AND domain = ANY(\(Array(Set(links.map(\.domain.text)))))
              AND kind <> 'deleted'
            """
        ) {
            try (
                Place(code: $0.next(), domain: $0.next()),
                JSONDecoder().decode([String: String].self, from: Data($0.next(as: String.self).utf8))
            )
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}

extension LinkFileLine {
    fileprivate var place: ShortLinkImportStore.Place {
        ShortLinkImportStore.Place(code: code.text, domain: domain.text)
    }
}

/// A line, and the reader's result for it.
private struct ReadLine {
    let number: Int
    /// The URL as the file has it.
    let url: String
    var result: Result<LinkFileLine, LinkFileRefusal>

    var link: LinkFileLine? { try? result.get() }

    init(_ line: StagedImport.Line, _ reader: LinkFileReader) {
        var fields: [LinkColumn: String] = [:]
        for (column, field) in zip(LinkColumn.allCases, line.fields) { fields[column] = field }
        (number, url) = (line.number, fields[.shortLink] ?? "")
        result = Result { () throws(LinkFileRefusal) in try reader.read(fields) }
    }
}

/// What the report says: one line each while they are read, and all of a kind at the end.
private struct Findings {
    let progress: @Sendable (ImportProgress) -> Void
    private var byReason: [ImportReport.Reason: ImportReport.Finding] = [:]

    init(progress: @escaping @Sendable (ImportProgress) -> Void) { self.progress = progress }

    var all: [ImportReport.Finding] { Array(byReason.values) }

    mutating func add(_ reason: ImportReport.Reason, at number: Int) {
        var finding = byReason[reason] ?? ImportReport.Finding(reason, 0)
        finding.count += 1
        if finding.lines.count < 5 { finding.lines.append(number) }
        byReason[reason] = finding
    }

    mutating func refuse(_ refusal: LinkFileRefusal, _ line: ReadLine) {
        add(refusal.reason, at: line.number)
        progress(.found("line \(line.number): refused \(Self.shown(line.url)): \(Self.shown(refusal.text))"))
    }

    mutating func warn(of link: LinkFileLine, _ line: ReadLine) {
        guard !link.warnings.isEmpty else { return }
        add(.linkPartly, at: line.number)
        for warning in link.warnings {
            progress(.found("line \(line.number): warning \(link.url): \(Self.shown(warning))"))
        }
    }

    /// Returns one line, fit for a terminal.
    private static func shown(_ text: String) -> String {
        let line = String(
            text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
        return line.count > 300 ? "\(line.prefix(300))…" : line
    }
}
