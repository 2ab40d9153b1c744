import Foundation
import Hummingbird
import Kernel
import Visits

/// A short link.
package struct ShortDynamicLinkResponse: ResponseEncodable {
    let shortLink: String
    let previewLink: String
    /// The warnings. Absent if there are none.
    let warning: [DynamicLinkWarning]?

    init(_ row: ShortLinkStore.Row, in domain: LinkDomain, _ warnings: [LinkWarning]) {
        shortLink = "\(domain.text)/\(row.code.text)"
        previewLink = "\(shortLink)?d=1"
        warning = DynamicLinkWarning.all(warnings)
    }
}

struct DynamicLinkWarning: Encodable {
    let warningCode: String
    let warningMessage: String
    var warningDocumentLink = "https://firebase.google.com/docs/dynamic-links/create-manually"

    /// Returns the warnings. Nil if there are none, since Google's APIs leave out empty lists.
    static func all(_ warnings: [LinkWarning]) -> [Self]? {
        warnings.isEmpty
            ? nil : warnings.map { Self(warningCode: $0.code.rawValue, warningMessage: $0.message) }
    }
}

/// A short link with what is stored about it.
package struct ManagedShortLinkResponse: ResponseEncodable {
    let managedShortLink: ManagedShortLink
    let previewLink: String
    let warning: [DynamicLinkWarning]?

    struct ManagedShortLink: Encodable {
        let creationTime: Date
        let info: DynamicLinkInfo
        let link: String
        let linkName: String?
        let visibility: String
    }

    init(_ row: ShortLinkStore.Row, in domain: LinkDomain, _ warnings: [LinkWarning]) {
        let short = ShortDynamicLinkResponse(row, in: domain, warnings)
        managedShortLink = ManagedShortLink(
            creationTime: row.createdAt, info: DynamicLinkInfo(row.parameters, in: domain),
            link: short.shortLink, linkName: row.name,
            visibility: row.archivedAt == nil ? "UNARCHIVED" : "ARCHIVED")
        (previewLink, warning) = (short.previewLink, short.warning)
    }
}

/// Parameters at their places in `dynamicLinkInfo`.
struct DynamicLinkInfo: Encodable {
    private indirect enum Field: Encodable {
        case text(String)
        case flag(Bool)
        case group([String: Field])

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .flag(let flag): try container.encode(flag)
            case .group(let fields): try container.encode(fields)
            }
        }

        mutating func put(_ field: Field, at path: ArraySlice<Substring>) {
            guard let name = path.first.map(String.init) else { return self = field }
            guard case .group(var fields) = self else { return }
            fields[name, default: .group([:])].put(field, at: path.dropFirst())
            self = .group(fields)
        }
    }

    private var root: Field

    init(_ parameters: [String: String], in domain: LinkDomain) {
        root = .group(["domainUriPrefix": .text(domain.text)])
        for (name, value) in parameters {
            guard let parameter = LinkParameter(rawValue: name) else { continue }
            root.put(
                parameter.kind == .flag ? .flag(value == "1") : .text(value),
                at: parameter.path.split(separator: ".")[...])
        }
    }

    func encode(to encoder: any Encoder) throws { try root.encode(to: encoder) }
}

/// What happened to a link's visitors.
package struct DynamicLinkStatsResponse: ResponseEncodable {
    let linkEventStats: [DynamicLinkEventStat]

    /// Adds up the counts of all days.
    init(_ counts: [ClickStore.Count]) {
        linkEventStats = Click.Statistic.allCases.flatMap { event in
            Click.Platform.allCases.compactMap { platform in
                let count = counts.filter { $0.event == event && $0.platform == platform }.map(\.count)
                    .reduce(0, +)
                return count > 0 ? DynamicLinkEventStat(count, event, platform) : nil
            }
        }
    }
}

struct DynamicLinkEventStat: Encodable, Sendable {
    /// The count. Google's APIs write an int64 as text.
    let count: String
    let event: String
    let platform: String

    init(_ count: Int, _ event: Click.Statistic, _ platform: Click.Platform) {
        self.count = String(count)
        self.event =
            switch event {
            case .click: "CLICK"
            case .redirect: "REDIRECT"
            case .install: "APP_INSTALL"
            case .firstOpen: "APP_FIRST_OPEN"
            case .reopen: "APP_RE_OPEN"
            }
        self.platform = platform.rawValue.uppercased()
    }
}
