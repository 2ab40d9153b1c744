import Kernel

/// What each app does with a URL.
struct LinkTest: Hashable, Sendable {
    let url: TestedURL
    /// Whether the URL belongs to the host whose files were read.
    let isOfHost: Bool
    let results: [Result]

    struct Result: Hashable, Sendable {
        let app: String
        let systems: String
        /// Whether the URL opens the app. Nil if only the app's manifest decides.
        let opens: Bool?
        let rule: LinkRule?

        var text: String {
            guard let opens else { return "as the intent filters of its manifest say" }
            guard let rule else { return "opens the browser: no rule matches" }
            let comment = rule.comment.map { " (\($0))" } ?? ""
            return "opens the \(opens ? "app" : "browser"), by \(rule.place) `\(rule.text)`\(comment)"
        }
    }

    init(_ url: TestedURL, _ apps: [AssociatedApp], host: String?) {
        self.url = url
        isOfHost = url.host == nil || host == nil || url.host == host?.lowercased()
        results = isOfHost ? apps.flatMap { Self.results($0, url) } : []
    }

    private static func results(_ app: AssociatedApp, _ url: TestedURL) -> [Result] {
        func result(_ systems: String, _ rules: [LinkRule]?) -> Result {
            guard let rules else { return Result(app: app.name, systems: systems, opens: nil, rule: nil) }
            let (opens, rule) = AssociatedApp.decision(rules, url)
            return Result(app: app.name, systems: systems, opens: opens, rule: rule)
        }
        switch app.reader {
        case .apple:
            guard let old = app.oldRules else { return [result("Apple", app.rules)] }
            return [result("iOS 13 and later", app.rules), result("before", old)]
        case .google:
            guard let rules = app.rules else { return [result("Android", nil)] }
            return [result("Android 15 and later", rules), result("before", nil)]
        }
    }
}
