import Kernel
import Web

/// Reads the rules of an association file, and finds what is wrong with each.
struct LinkRuleReader: Sendable {
    var findings: LinkFindings
    /// The variables of the file.
    var variables = URLVariables.predefined
    private let reader: PathPattern.Reader

    init(_ file: AssociationFile) {
        (findings, reader) = (LinkFindings(file), file.reader)
    }

    /// The keys of a component, or of the defaults for all of them.
    private var keys: [String] {
        reader == .apple
            ? ["/", "?", "#", "exclude", "comment", "caseSensitive", "percentEncoded"]
            : ["/", "?", "#", "exclude"]
    }

    /// Returns the rules of `components`.
    /// - Parameter defaults: the members of a component that does not say otherwise.
    mutating func components(
        _ tree: JSONTree, at place: String, defaults: [JSONTree.Member] = []
    ) -> [LinkRule] {
        let name = place.split(separator: ".").last.map(String.init) ?? place
        return findings.elements(tree, at: place).enumerated().compactMap { index, element in
            let here = "\(place)[\(index)]"
            guard element.members != nil else {
                findings.wrongType(element, "an object", at: here)
                return nil
            }
            return component(element, at: here, "\(name)[\(index)]", defaults)
        }
    }

    /// Returns members that apply to all components. Mistakes in them are reported once.
    mutating func defaults(_ tree: JSONTree?, at place: String) -> [JSONTree.Member] {
        guard let tree else { return [] }
        let members = findings.members(tree, at: place)
        if tree.members != nil { _ = component(tree, at: place, place, []) }
        return members
    }

    /// An object with patterns, and the defaults for what it does not say.
    private struct Component {
        let tree: JSONTree
        let place: String
        let defaults: [JSONTree.Member]

        func value(_ key: String) -> JSONTree? {
            tree[key] ?? defaults.first { $0.key == key }?.value
        }

        /// Whether the component itself has the key. Mistakes in defaults are reported where they stand.
        func isOwn(_ key: String) -> Bool { tree[key] != nil }
    }

    private mutating func component(
        _ tree: JSONTree, at place: String, _ name: String, _ defaults: [JSONTree.Member]
    ) -> LinkRule {
        findings.unknownKeys(tree.members ?? [], known: keys, at: place)
        let component = Component(tree: tree, place: place, defaults: defaults)
        let excludes = flag("exclude", of: component, .excludeType) ?? false
        let ignoresCase = reader == .apple && flag("caseSensitive", of: component, .type) == false
        let decodes = reader == .apple && flag("percentEncoded", of: component, .type) == false
        let path = text("/", of: component, decodes: decodes)
        let fragment = text("#", of: component, decodes: decodes)
        let query = query(of: component, ignoresCase)
        if let comment = tree["comment"], reader == .apple, comment.text == nil {
            findings.wrongType(comment, "a text", at: "\(place).comment")
        }
        var rule = LinkRule(
            place: name, line: tree.line, text: Self.shown(path: path, component.value("?"), fragment),
            path: PathPattern(
                text: path ?? "*", reader: reader, variables: variables, ignoringCase: ignoresCase))
        (rule.query, rule.excludes, rule.decodes) = (query, excludes, decodes)
        rule.fragment = fragment.map { URLPattern($0, variables: variables, ignoringCase: ignoresCase) }
        rule.comment = tree["comment"]?.text
        return rule
    }

    private mutating func flag(_ key: String, of component: Component, _ fault: LinkFault) -> Bool? {
        guard let tree = component.value(key) else { return nil }
        if tree.bool == nil, component.isOwn(key) {
            findings.add(
                fault, "`\(key)` is \(tree.kind) and must be true or false", at: component.place, tree)
        }
        return tree.bool
    }

    private mutating func text(_ key: String, of component: Component, decodes: Bool) -> String? {
        guard let tree = component.value(key) else { return nil }
        guard let text = tree.text else {
            if component.isOwn(key) { findings.wrongType(tree, "a text", at: "\(component.place).\(key)") }
            return nil
        }
        if component.isOwn(key) { check(text, key, decodes: decodes, at: component.place, tree) }
        return text
    }

    private static func shown(path: String?, _ query: JSONTree?, _ fragment: String?) -> String {
        let items = query?.members?.map { "\($0.key)=\($0.value.text ?? "…")" }.joined(separator: "&")
        return (path ?? "*") + ((query?.text ?? items).map { "?\($0)" } ?? "")
            + (fragment.map { "#\($0)" } ?? "")
    }

    private mutating func query(of component: Component, _ ignoresCase: Bool) -> LinkRule.Query? {
        guard let tree = component.value("?") else { return nil }
        let isOwn = component.isOwn("?")
        if let text = tree.text {
            if isOwn { check(text, "?", decodes: true, at: component.place, tree) }
            return .whole(URLPattern(text, variables: variables, ignoringCase: ignoresCase))
        }
        guard let members = tree.members else {
            if isOwn { findings.wrongType(tree, "a text or an object", at: "\(component.place).?") }
            return nil
        }
        var items: [LinkRule.Item] = []
        for member in members {
            guard let text = member.value.text else {
                if isOwn {
                    let what = "`\(member.key)` is \(member.value.kind) and must be a text"
                    findings.add(.queryValue, what, at: "\(component.place).?", member.value)
                }
                continue
            }
            if isOwn { check(text, "?", decodes: true, at: component.place, member.value) }
            let pattern = URLPattern(text, variables: variables, ignoringCase: ignoresCase)
            items.append(LinkRule.Item(name: member.key, pattern: pattern))
        }
        // One value that is not a text voids the others, as `swcutil` answers.
        return items.count == members.count ? .items(items) : nil
    }

    /// Returns the rules of `paths`.
    mutating func paths(_ tree: JSONTree, at place: String) -> [LinkRule] {
        findings.texts(tree, at: place).enumerated().map { index, entry in
            let excludes = entry.text.hasPrefix("NOT ")
            let pattern = excludes ? String(entry.text.dropFirst(4)) : entry.text
            if !excludes, pattern.prefixMatch(of: /(?i:not)\b/) != nil {
                findings.add(
                    .neverMatches,
                    "`\(pattern)` excludes nothing: NOT is in capitals, with one space behind it",
                    at: entry.place, entry.tree)
            } else {
                check(pattern, "/", decodes: false, at: entry.place, entry.tree)
            }
            return LinkRule(
                place: "paths[\(index)]", line: entry.tree.line, text: entry.text,
                path: PathPattern(text: pattern, variables: variables), excludes: excludes)
        }
    }

    private mutating func check(
        _ text: String, _ key: String, decodes: Bool, at place: String, _ tree: JSONTree
    ) {
        if text.hasPrefix("NOT ") {
            findings.add(.notInComponent, "`\(text)` begins with NOT", at: place, tree)
            return
        }
        if text.contains("$(") {
            let unknown = URLPattern(text, variables: variables).unknownVariable
            if let name = unknown ?? (reader == .google ? "a variable" : nil) {
                findings.add(.unknownVariable, "`\(text)` names \(name), which has no list", at: place, tree)
            }
        }
        guard key == "/" else { return }
        if let hindrance = Self.hindrance(text, decodes: decodes) {
            findings.add(.neverMatches, "`\(text)` matches no path: \(hindrance)", at: place, tree)
        } else if text.first.map({ !"/*$".contains($0) }) ?? false {
            findings.add(.noSlash, "`\(text)` does not begin with a slash", at: place, tree)
        }
    }

    /// Returns why no path can match a pattern.
    private static func hindrance(_ pattern: String, decodes: Bool) -> String? {
        if pattern.contains("#") { return "what follows # is the fragment" }
        if pattern.contains("://") { return "it has the scheme and the host" }
        if pattern.contains(/\?[^*?\/]+=/) { return "what follows ? is the query" }
        guard !decodes else { return nil }
        let isPlain = pattern.unicodeScalars.allSatisfy { $0.isASCII && $0.value > 0x20 && $0.value != 0x7F }
        return isPlain ? nil : "in a URL spaces and letters beyond ASCII are percent-encoded"
    }
}
