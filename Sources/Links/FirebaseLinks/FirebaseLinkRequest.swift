import Graph
import Kernel
import Web

/// What makes a short link: a long link, or its parts, and a suffix.
struct FirebaseLinkRequest: Sendable {
    var domain: LinkDomain
    var link: DeepLink
    var warnings: [LinkWarning]
    var suffix: ShortLinkCreation.Suffix

    init(_ message: ProtoMessage, for project: LinkedProject, _ links: InviteLinks) throws(Problem) {
        let given: (domain: LinkDomain, parameters: [(name: String, value: String)])
        let long = try message.text("longDynamicLink")
        switch (long, try message.message("dynamicLinkInfo")) {
        case (let long?, nil): given = try Self.parts(of: long, project.domains)
        case (nil, let info?): given = try Self.parts(of: info, project.domains)
        case (nil, nil): throw .notOneDomain(nil, nil)
        case (.some, .some):
            throw .invalid("longDynamicLink", "and `dynamicLinkInfo` must not both be there")
        }
        do throws(DeepLinkError) {
            domain = given.domain
            (link, warnings) = try DeepLink.new(given.parameters, in: long, for: project, links)
        } catch {
            throw error.firebaseProblem(long ?? "dynamicLinkInfo.link must be there")
        }
        suffix = try Self.suffix(message)
        guard let long else { return }
        if long.contains("#"), !warnings.contains(where: { $0.code == .linkWithFragments }) {
            warnings.append(LinkWarning(code: .linkWithFragments, parameter: "longDynamicLink"))
        }
        if let warning = LongLink.warning((try? WebURL(long))?.query) { warnings.append(warning) }
    }

    private static func parts(
        of long: String, _ domains: [LinkDomain]
    ) throws(Problem) -> (LinkDomain, [(name: String, value: String)]) {
        guard let url = try? WebURL(long) else { throw .notParsable(long) }
        guard let (domain, rest) = domains.having(url) else { throw .notOwned(url.host) }
        guard ["", "/"].contains(rest), let parameters = LongLink.parameters(url.query) else {
            throw .notParsable(long)
        }
        return (domain, parameters)
    }

    private static func parts(
        of info: ProtoMessage, _ domains: [LinkDomain]
    ) throws(Problem) -> (LinkDomain, [(name: String, value: String)]) {
        let (host, prefix) = (try info.text("dynamicLinkDomain"), try info.text("domainUriPrefix"))
        let wanted: LinkDomain?
        switch (host, prefix) {
        case (nil, let prefix?): wanted = LinkDomain(prefix)
        case (let host?, nil):
            // The text may be a host alone, whatever its scheme.
            wanted = ["https", "http"].lazy.compactMap { LinkDomain("\($0)://\(host)") }
                .first(where: domains.contains)
        default: throw .notOneDomain(host, prefix)
        }
        guard let wanted, domains.contains(wanted) else { throw .notOwned(host ?? prefix ?? "") }
        var parameters: [(name: String, value: String)] = []
        for parameter in LinkParameter.allCases {
            let value =
                parameter.kind == .flag ? try info.flag(parameter.path) : try info.text(parameter.path)
            if let value { parameters.append((parameter.rawValue, value)) }
        }
        return (wanted, parameters)
    }

    private enum Option: String, CaseIterable {
        case unspecified = "OPTION_UNSPECIFIED"
        case unguessable = "UNGUESSABLE"
        case short = "SHORT"
        case custom = "CUSTOM"
    }

    private static func suffix(_ message: ProtoMessage) throws(Problem) -> ShortLinkCreation.Suffix {
        let field = "suffix.customSuffix"
        let option = try message.choice("suffix.option", of: Option.self) ?? .unspecified
        switch (option, try message.text(field)) {
        case (.unspecified, nil), (.unguessable, nil): return .unguessable
        case (.short, nil): return .short
        case (.custom, let text?):
            guard let code = ShortLink.Code(text) else {
                throw .invalid(
                    field, "must have 1 to 128 letters, digits, - and _, in segments divided by /")
            }
            return .custom(code)
        case (.custom, nil): throw .invalid(field, "must be there with the option CUSTOM")
        case (_, .some): throw .invalid(field, "stands only with the option CUSTOM")
        }
    }
}
