import Kernel
import Web

/// Finds what is wrong with the rules of an app taken together. It does no I/O.
enum LinkRuleChecks {
    /// How many rules are compared, each with all before it. Further ones are only read.
    static let mostRules = 500

    /// Paths that no app can show, though a rule may open it.
    static let systemPaths = [
        "/.well-known/apple-app-site-association", "/.well-known/assetlinks.json", "/robots.txt", "/v1/me",
    ]

    /// - Parameter list: the place of the rules, as in `applinks.details[0].components`.
    static func check(
        _ rules: [LinkRule], of names: [String], at list: String, into findings: inout LinkFindings
    ) {
        shadows(rules, at: list, into: &findings)
        guard rules.contains(where: { !$0.excludes }) else {
            let what = rules.isEmpty ? "there is no rule" : "all rules exclude"
            findings.add(.opensNothing, "\(what), so no link opens \(named(names))", at: list)
            return
        }
        let opened = systemPaths.filter { path in
            TestedURL(path).map { AssociatedApp.decision(rules, $0).opens } ?? false
        }
        if !opened.isEmpty {
            findings.add(
                .opensAll, "a tap on \(opened.joined(separator: ", ")) opens \(named(names))", at: list)
        }
    }

    static func named(_ names: [String]) -> String {
        names.isEmpty ? "the app" : names.joined(separator: " and ")
    }

    private static func shadows(_ rules: [LinkRule], at list: String, into findings: inout LinkFindings) {
        for (index, rule) in rules.prefix(mostRules).enumerated() {
            guard let earlier = rules.prefix(index).first(where: { $0.covers(rule) }) else { continue }
            let short =
                earlier.text.hasSuffix("/*") ? " (`\(earlier.text)` also matches without its `/*`)" : ""
            let plain = PathPattern(text: earlier.path.text, reader: .google)
            let isPlain = plain.covers(PathPattern(text: rule.path.text, reader: .google))
            let line = JSONTree(.null, line: rule.line)
            findings.add(
                .shadowed,
                "`\(rule.text)` never counts: `\(earlier.text)` before it matches all that it does\(isPlain ? "" : short)",
                at: "\(list)[\(index)]", line)
        }
    }

    /// Returns a path that `paths` and `components` judge differently, with what each says.
    static func difference(_ components: [LinkRule], _ paths: [LinkRule]) -> String? {
        // Paths cannot express rules about query or fragment.
        guard components.allSatisfy({ $0.query == nil && $0.fragment == nil && !$0.decodes }) else {
            return nil
        }
        let patterns = (components + paths).prefix(60).map(\.path.text)
        for path in patterns.flatMap(samples) + systemPaths + ["/"] {
            guard let url = TestedURL(path) else { continue }
            let (new, old) = (AssociatedApp.decision(components, url), AssociatedApp.decision(paths, url))
            if new.opens != old.opens {
                let (one, other) = new.opens ? ("components", "paths") : ("paths", "components")
                return "`\(path)` opens the app by \(one), and not by \(other)"
            }
        }
        return nil
    }

    /// Returns paths that match a pattern.
    private static func samples(of pattern: String) -> [String] {
        guard !pattern.contains("$(") else { return [] }
        let path = pattern.hasPrefix("/") || pattern.hasPrefix("*") ? pattern : "/\(pattern)"
        return ["", "a", "a/b"].map { text in
            let sample = path.replacing("?", with: "a").replacing("*", with: text)
            return sample.hasPrefix("/") ? sample : "/\(sample)"
        }
    }
}
