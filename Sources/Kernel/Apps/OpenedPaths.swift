/// Which paths of a link host open the app: those that it can show. The first rule whose pattern a path meets decides; a path
/// that meets none opens the browser.
package enum OpenedPaths {
    package struct Rule: Hashable, Sendable {
        let pattern: PathPattern
        let opens: Bool
        /// What the paths are, for whoever reads the file.
        let comment: String
    }

    /// `?*` at the end, since to Apple `/users/*/*` matches `/users/ann`, too.
    package static let rules = [
        Rule(pattern: PathPattern(text: "/users/*/?*"), opens: false, comment: "Pictures of a user's link."),
        Rule(pattern: PathPattern(text: "/users/?*"), opens: true, comment: "A user's link."),
        Rule(pattern: PathPattern(text: "/*/?*"), opens: false, comment: "The API, pictures and files."),
        Rule(
            pattern: PathPattern(text: "/" + String(repeating: "?", count: codeLength)), opens: true,
            comment: "A short link."),
    ]

    /// The rules of a host with these domains of deep links: beside users' links, or with nothing else.
    package static func rules(_ domains: [LinkDomain], besideInvites: Bool, vanity: Bool = false) -> [Rule] {
        let links = domains.flatMap { domain in
            domain.prefix.isEmpty
                ? files + [Rule(pattern: PathPattern(text: "/*"), opens: true, comment: "A deep link.")]
                : ["", "/*"].map { end in
                    Rule(
                        pattern: PathPattern(text: domain.prefix + end), opens: true, comment: "A deep link.")
                }
        }
        return links + (besideInvites ? rules : []) + (besideInvites && vanity ? [vanityLink] : [])
    }

    /// Behind the rule that leaves what is below it to the browser.
    private static let vanityLink = Rule(
        pattern: PathPattern(text: "/@?*"), opens: true, comment: "A user's link by name.")

    /// What browsers and systems ask of a host.
    private static let files = Set(HostFile.allCases.map(\.pattern)).sorted().map {
        Rule(pattern: PathPattern(text: $0), opens: false, comment: "A file.")
    }

    /// The characters of a short code.
    static let codeLength = 16

    package static func opens(_ path: String, for reader: PathPattern.Reader) -> Bool {
        rules.first { PathPattern(text: $0.pattern.text, reader: reader).matches(path) }?.opens ?? false
    }
}
