/// Which paths of a link host open the app: those that it can show. The first rule whose pattern a path meets decides; a path
/// that meets none opens the browser.
enum OpenedPaths {
    struct Rule: Hashable, Sendable {
        let pattern: PathPattern
        let opens: Bool
        /// What the paths are, for whoever reads the file.
        let comment: String
    }

    /// `?*` at the end, since to Apple `/users/*/*` matches `/users/ann`, too.
    static let rules = [
        Rule(pattern: PathPattern(text: "/users/*/?*"), opens: false, comment: "Pictures of a user's link."),
        Rule(pattern: PathPattern(text: "/users/?*"), opens: true, comment: "A user's link."),
        Rule(pattern: PathPattern(text: "/*/?*"), opens: false, comment: "The API, pictures and files."),
        Rule(
            pattern: PathPattern(text: "/" + String(repeating: "?", count: codeLength)), opens: true,
            comment: "A short link."),
    ]

    /// The characters of a short code.
    static let codeLength = 16

    static func opens(_ path: String, for reader: PathPattern.Reader) -> Bool {
        rules.first { PathPattern(text: $0.pattern.text, reader: reader).matches(path) }?.opens ?? false
    }
}
