import Foundation
import Imports
import Kernel
import Web

/// Why a line is refused, and what to do.
struct LinkFileRefusal: Error {
    let reason: ImportReport.Reason
    let text: String

    init(_ reason: ImportReport.Reason, _ text: String) { (self.reason, self.text) = (reason, text) }
}

/// Reads lines of such files by the settings.
struct LinkFileReader: Sendable {
    private let places: [(host: String, domain: LinkDomain, project: LinkedProject)]
    private let now: Date

    /// - Parameter projects: the projects of all apps.
    init(_ projects: [LinkedProject], now: Date) {
        places = projects.flatMap { project in
            project.domains.compactMap { domain in
                (try? WebURL(domain.text)).map { (host: $0.host, domain: domain, project: project) }
            }
        }
        // A domain below another has its own links, so the longer prefix comes first.
        .sorted { $0.domain.prefix.utf8.count > $1.domain.prefix.utf8.count }
        self.now = now
    }

    func read(_ fields: [LinkColumn: String]) throws(LinkFileRefusal) -> LinkFileLine {
        let (code, domain, project) = try place(of: fields[.shortLink] ?? "")
        var line = LinkFileLine(
            code: code, domain: domain, kind: fields[.suffix].flatMap { .init(rawValue: $0) } ?? .custom,
            parameters: [:], createdAt: now)
        for (column, value) in fields {
            guard let parameter = column.parameter, !value.isEmpty else { continue }
            line.parameters[parameter.rawValue] = column == .efr ? Self.flag(value) : value
        }
        line.warnings = try check(line.parameters, project)
        line.parameters = line.parameters.filter { $0.value.utf8.count <= LinkParameter.mostBytes }
        func text(_ column: LinkColumn, _ what: String, atMost limit: Int) -> String? {
            guard let text = fields[column], !text.isEmpty else { return nil }
            if let line = OneLine(text, atMost: limit) { return line.text }
            line.warnings.append("its \(what) is not one line of 1 to \(limit) characters: left out")
            return nil
        }
        line.name = text(.linkName, "name", atMost: ShortLinkDetails.longestName)
        line.note = text(.note, "note", atMost: ShortLinkDetails.longestNote)
        line.tags = Self.tags(fields[.tags] ?? "", &line.warnings)
        func time(_ column: LinkColumn, before end: Date) -> Date? {
            guard let text = fields[column], !text.isEmpty else { return nil }
            if let time = Date(inLinkFile: text), time >= Date(timeIntervalSince1970: 0), time <= end {
                return time
            }
            line.warnings.append(
                "\(column.rawValue) is no time that can be, as in 2021-03-04T05:06:07Z: left out")
            return nil
        }
        line.createdAt = time(.createdAt, before: now) ?? now
        line.archivedAt = time(.archivedAt, before: now)
        if line.archivedAt == nil, let archived = fields[.archived], Self.flag(archived) == "1" {
            line.archivedAt = now
        }
        line.expiresAt = time(.expiresAt, before: .latestInLinkFile)
        return line
    }

    /// Reads tags, divided by commas.
    private static func tags(_ text: String, _ warnings: inout [String]) -> [LinkTag] {
        let given = text.split(separator: ",").map(String.init)
        let tags = given.compactMap { LinkTag($0) }
        if tags.count < given.count { warnings.append("a tag is not \(LinkTag.rule): left out") }
        let each = tags.reduce(into: [LinkTag]()) { if !$0.contains($1) { $0.append($1) } }
        if each.count > LinkTag.most {
            warnings.append("it has more than \(LinkTag.most) tags: the rest is left out")
        }
        return Array(each.prefix(LinkTag.most))
    }

    /// Returns which link of which domain a URL is.
    private func place(
        of text: String
    ) throws(LinkFileRefusal) -> (ShortLink.Code, LinkDomain, LinkedProject) {
        guard let url = try? WebURL(text.contains("://") ? text : "https://\(text)") else {
            throw LinkFileRefusal(.linkCode, "the column short_link has no URL")
        }
        let path = url.rest.prefix { $0 != "?" && $0 != "#" }
        for (host, domain, project) in places where host == url.host {
            guard let rest = domain.rest(of: path) else { continue }
            let code = rest.drop { $0 == "/" }.reversed().drop { $0 == "/" }.reversed()
            guard let code = ShortLink.Code(String(code)) else {
                throw LinkFileRefusal(
                    .linkCode,
                    "its code must have 1 to 128 letters, digits, - and _, in segments divided by /")
            }
            guard project.domains.opens(code, in: domain) else {
                throw LinkFileRefusal(.linkCode, "something else stands there: \(code.text)")
            }
            return (code, domain, project)
        }
        let advice =
            url.host.hasSuffix(".page.link")
            ? "nobody can take over page.link: print it anew with another domain"
            : "add it to KITH_LINK_DOMAINS, if it leads to this server; with a path, as in https://example.com/l, if invites "
                + "have that host"
        throw LinkFileRefusal(.linkDomain, "no link stands at \(url.host) here: \(advice)")
    }

    private static func flag(_ text: String) -> String? {
        switch text.lowercased() {
        case "1", "true", "t", "yes", "y": "1"
        case "false", "f", "no", "n": nil
        default: text
        }
    }
}

/// Parameters.
extension LinkFileReader {
    /// Checks the parameters. Returns a warning for each one that is not valid.
    private func check(
        _ parameters: [String: String], _ project: LinkedProject
    ) throws(LinkFileRefusal) -> [String] {
        do throws(DeepLinkError) {
            let pairs = parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
            return try DeepLink.read(pairs, for: project, isStrict: false).1.compactMap(\.advice)
        } catch {
            throw LinkFileRefusal(error)
        }
    }

    fileprivate static func host(of url: String) -> String { (try? WebURL(url))?.host ?? url }
}

extension LinkFileRefusal {
    init(_ error: DeepLinkError) {
        switch error {
        case .noTarget: self.init(.linkTarget, "the column link is empty: write where it leads")
        case .malformed, .tooLong, .tooLargeForApps:
            self.init(
                .linkTarget,
                "the column link has no http or https URL of at most \(LinkParameter.mostBytes.grouped) bytes: write where it leads"
            )
        case .targetIsLink:
            self.init(.linkTarget, "it leads to another link: write where that one leads")
        case .losesUID:
            self.init(.linkTarget, "the uid stands outside of the column link: write the whole link there")
        case .notAllowed(_, let url):
            self.init(
                .linkNotAllowed,
                "it leads to \(LinkFileReader.host(of: url)): add that host to KITH_LINK_TARGETS, if links may lead there"
            )
        case .codeTaken, .codeUnusable: self.init(.codeTaken, "it leads elsewhere already")
        }
    }
}

extension Date {
    /// The last day of the year 9999.
    fileprivate static let latestInLinkFile = Date(timeIntervalSince1970: 253_402_214_400)

    /// Reads RFC 3339, also with a blank and without a zone, or seconds, milliseconds or microseconds since
    /// 1970.
    fileprivate init?(inLinkFile text: String) {
        if let number = Int64(text) {
            let unit: Double = text.utf8.count > 14 ? 1e6 : text.utf8.count > 11 ? 1e3 : 1
            self.init(timeIntervalSince1970: Double(number) / unit)
            return
        }
        guard
            // For a time before year 1 Foundation makes a date that no timestamp can hold.
            !text.hasPrefix("0000"),
            let parts = text.wholeMatch(
                of: /(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d)(\.\d{1,9})?)? ?(?:Z|UTC|([+\-])(\d\d):(\d\d))?/)
        else { return nil }
        let whole = "\(parts.1)T\(parts.2 ?? "00:00:00")"
        // A day that its month does not have would count as one of the next month.
        guard let time = try? Date("\(whole)Z", strategy: .iso8601), JSON.timestamp(time).hasPrefix(whole)
        else {
            return nil
        }
        let east = (parts.5.flatMap { Double($0) } ?? 0) * 3600 + (parts.6.flatMap { Double($0) } ?? 0) * 60
        let fraction = parts.3.flatMap { Double("0\($0)") } ?? 0
        self = time.addingTimeInterval(fraction - (parts.4 == "-" ? -east : east))
    }
}
