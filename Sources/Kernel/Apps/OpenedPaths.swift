/// Which paths of a link host open the app: those that it can show. The first rule whose pattern matches a
/// path decides. A path that matches none opens the browser.
package enum OpenedPaths {
    package struct Rule: Hashable, Sendable {
        let pattern: PathPattern
        let opens: Bool
        /// What the paths are, for people who read the file.
        let comment: String
    }

    /// The rules of a host of invites. The first pattern ends in `?*`, since to Apple `/users/*/*` matches
    /// `/users/ann` too.
    package static let rules = [
        Rule(pattern: PathPattern(text: "/users/*/?*"), opens: false, comment: "Pictures of a user's link."),
        Rule(pattern: PathPattern(text: "/users/?*"), opens: true, comment: "A user's link."),
        Rule(pattern: PathPattern(text: "/*/?*"), opens: false, comment: "The API, pictures and files."),
        Rule(
            pattern: PathPattern(text: "/" + String(repeating: "?", count: codeLength)), opens: true,
            comment: "A short link."),
    ]

    /// Returns the rules of a host with these domains of deep links, which may also be a host of users'
    /// links.
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

    /// The rule for links by name. It comes after the rule that leaves what is below these paths to the
    /// browser.
    private static let vanityLink = Rule(
        pattern: PathPattern(text: "/@?*"), opens: true, comment: "A user's link by name.")

    /// The rules for files that browsers and systems ask a host for.
    private static let files = Set(HostFile.allCases.map(\.pattern)).sorted().map {
        Rule(pattern: PathPattern(text: $0), opens: false, comment: "A file.")
    }

    /// How many characters a short code has.
    static let codeLength = 16

    package static func opens(_ path: String, for reader: PathPattern.Reader) -> Bool {
        rules.first { PathPattern(text: $0.pattern.text, reader: reader).matches(path) }?.opens ?? false
    }
}
