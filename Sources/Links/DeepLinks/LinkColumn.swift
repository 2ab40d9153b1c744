import Imports
import Kernel

/// A column of the file of `kith import fdl` and `kith export links`. First come those of Google's export, in
/// its order (https://firebase.google.com/support/guides/export-dynamic-links), then those that it lacks.
package enum LinkColumn: String, CaseIterable, Sendable {
    case shortLink = "short_link"
    case link, apn, afl, amv, ibi, ifl, ius, ipfl, ipbi, isi, imv, efr, ofl, st, sd, si
    case utmSource = "utm_source"
    case utmMedium = "utm_medium"
    case utmCampaign = "utm_campaign"
    case utmTerm = "utm_term"
    case utmContent = "utm_content"
    case at, ct, mt, pt, archived
    case linkName = "link_name"
    case createdAt = "created_at"
    /// The columns that only Kith has.
    case suffix
    case expiresAt = "expires_at"
    case archivedAt = "archived_at"
    case al, gclid
    /// Divided by commas, which no tag has.
    case tags
    case note

    var parameter: LinkParameter? { LinkParameter(rawValue: rawValue) }

    static let ofGoogle = Array(allCases.prefix { $0 != .suffix })

    /// The columns of such files. They are found by their names if all are known, and otherwise by their
    /// positions, since Google does not say how its file calls them.
    static let columns = ImportColumns(
        of: "fdl", allCases.prefix(2).map(\.rawValue),
        allCases.dropFirst(2).map(\.rawValue),
        header: { try header($0) })

    private static func header(_ names: [String]) throws(ImportError) -> ImportColumns.Header {
        // The short link of a row may have no scheme.
        let isRow = names.prefix(2).contains { $0.contains("://") }
        let known = isRow ? [] : names.map { LinkColumn(named: $0) }
        let found = known.compactMap(\.self)
        if found.count == names.count, Set(found).isSuperset(of: [.shortLink, .link]) {
            guard Set(found).count == found.count else {
                throw .malformed(line: 1, "two columns of the same meaning: leave one")
            }
            return .init(columns: found.map(\.rawValue))
        }
        guard isRow || [ofGoogle.count, allCases.count].contains(names.count) else {
            let strangers = zip(names, known).filter { $1 == nil }.map { "'\($0.0)'" }
            let problem =
                strangers.isEmpty
                ? "no columns short_link and link" : "unknown column \(strangers.joined(separator: ", "))"
            throw .malformed(
                line: 1,
                "\(problem): it must be the \(ofGoogle.count) columns of Google's export, or of these: "
                    + allCases.map(\.rawValue).joined(separator: ","))
        }
        for (place, (name, column)) in zip(allCases, zip(names, known)) where column != nil && column != place
        {
            throw .malformed(
                line: 1,
                "a column is called '\(name)', but Google's export has \(place.rawValue) there: give all columns the names "
                    + allCases.map(\.rawValue).joined(separator: ","))
        }
        // A field of a row may contain commas, so only the database knows how many fields it has.
        return .init(
            columns: allCases.prefix(isRow ? ofGoogle.count : names.count).map(\.rawValue), isRow: isRow)
    }
}

extension LinkColumn {
    /// Finds a column by Kith's name, that of Firebase's REST, or another usual one, whatever the case and
    /// the signs between words.
    init?(named name: String) {
        guard let column = Self.byName[Self.key(name)] else { return nil }
        self = column
    }

    private static func key(_ name: String) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    private static let byName: [String: LinkColumn] = {
        var names: [String: LinkColumn] = [:]
        for column in allCases {
            let path = column.parameter.flatMap { $0.path.split(separator: ".").last }
            for name in [column.rawValue, path.map(String.init) ?? ""] + (others[column] ?? [])
            where !name.isEmpty {
                names[key(name)] = column
            }
        }
        return names
    }()

    private static let others: [LinkColumn: [String]] = [
        .shortLink: ["short URL", "short dynamic link"], .link: ["deep link", "deep link URL"],
        .apn: ["Android package"], .amv: ["Android min version", "Android minimum version"],
        .ibi: ["bundle id"], .ifl: ["iOS fallback URL"], .afl: ["Android fallback URL"],
        .ius: ["iOS URL scheme", "custom scheme"], .ipfl: ["iPad fallback link", "iPad fallback URL"],
        .ipbi: ["iPad bundle id"], .isi: ["App Store id"], .imv: ["iOS min version"],
        .efr: ["force redirect", "forced redirect"], .ofl: ["desktop fallback URL", "other fallback link"],
        .st: ["title"], .sd: ["description"], .si: ["image", "social image", "social image URL"],
        .archived: ["is archived"], .linkName: ["name"],
        .createdAt: ["creation timestamp", "creation time", "created", "timestamp"],
    ]
}
