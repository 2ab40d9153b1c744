import Kernel
import Web

/// A rule of an association file: which URLs it is about, and whether they open the app.
struct LinkRule: Hashable, Sendable {
    enum Query: Hashable, Sendable {
        case whole(URLPattern)
        /// The items must all match. The URL may have others.
        case items([Item])
    }

    struct Item: Hashable, Sendable {
        let name: String
        let pattern: URLPattern
    }

    /// The place of the rule, as in `components[2]`.
    let place: String
    let line: Int
    /// The patterns of the rule, as in the file.
    let text: String
    let path: PathPattern
    var query: Query?
    var fragment: URLPattern?
    var excludes = false
    /// Whether the rule is compared with the decoded URL.
    var decodes = false
    var comment: String?

    func matches(_ url: TestedURL) -> Bool {
        func part(_ text: String) -> String {
            decodes ? PercentEncoding.decode(text.utf8) ?? text : text
        }
        guard path.matches(part(url.path)), fragment?.matches(part(url.fragment)) ?? true else {
            return false
        }
        switch query {
        case nil: return true
        case .whole(let pattern): return pattern.matches(part(url.query))
        case .items(let items):
            // This is how `swcutil` answers: a missing item is empty, and if there are several, all must
            // match.
            return items.allSatisfy { item in
                let values = url.values(of: item.name)
                return (values.isEmpty ? [""] : values).allSatisfy { item.pattern.matches(part($0)) }
            }
        }
    }

    /// Whether no URL reaches the other rule if this one is before it.
    func covers(_ other: LinkRule) -> Bool {
        guard decodes == other.decodes, path.covers(other.path) else { return false }
        let queryCovers = query == nil || query == other.query
        let fragmentCovers = fragment.map { mine in other.fragment.map(mine.covers) ?? false } ?? true
        return queryCovers && fragmentCovers
    }
}

/// An app as an association file has it.
struct AssociatedApp: Hashable, Sendable {
    /// The app's id: `ABCDE12345.com.example.app`, or `com.example.app`.
    let name: String
    let reader: PathPattern.Reader
    /// The place of its rules, as in `applinks.details[0]`.
    let place: String
    /// The rules. Nil if the file has none: for Android the app's manifest then decides alone.
    var rules: [LinkRule]?
    /// The rules of `paths` beside `components`, for systems before iOS 13.
    var oldRules: [LinkRule]?
    var fingerprints: [String] = []

    /// Returns the decision. The first rule that a URL matches decides. If it matches none, the browser
    /// opens.
    static func decision(_ rules: [LinkRule], _ url: TestedURL) -> (opens: Bool, rule: LinkRule?) {
        let rule = rules.first { $0.matches(url) }
        return (rule.map { !$0.excludes } ?? false, rule)
    }
}
