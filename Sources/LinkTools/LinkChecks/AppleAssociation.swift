import Kernel
import Web

/// An apple-app-site-association, and what is wrong with it
/// (https://developer.apple.com/documentation/bundleresources/applinks).
struct AppleAssociation: Sendable {
    private(set) var apps: [AssociatedApp] = []
    private var reader = LinkRuleReader(.apple)
    private var hasComment = false

    var findings: [LinkFinding] { reader.findings.all }

    init(_ tree: JSONTree) {
        reader.findings.repeatedKeys(tree)
        let members = reader.findings.members(tree, at: "")
        guard tree.members != nil else { return }
        let services = ["webcredentials", "appclips", "activitycontinuation"]
        reader.findings.unknownKeys(members, known: ["applinks"] + services, at: "")
        for service in services {
            guard let tree = tree[service] else { continue }
            _ = reader.findings.members(tree, at: service)
            if let apps = tree["apps"] {
                appIDs(apps, at: "\(service).apps")
            } else if tree.members != nil {
                reader.findings.add(.type, "`apps` is missing", at: service, tree)
            }
        }
        if let applinks = tree["applinks"] {
            links(applinks)
        } else {
            reader.findings.add(.noApplinks, "`applinks` is missing")
        }
        optionalParts(tree)
    }

    private mutating func links(_ tree: JSONTree) {
        let members = reader.findings.members(tree, at: "applinks")
        guard tree.members != nil else { return }
        reader.findings.unknownKeys(
            members, known: ["apps", "details", "defaults", "substitutionVariables"], at: "applinks")
        if let variables = tree["substitutionVariables"] { self.variables(variables) }
        if let apps = tree["apps"], apps.elements?.isEmpty != true {
            reader.findings.add(.appsNotEmpty, "`apps` is not an empty list", at: "applinks.apps", apps)
        }
        let defaults = reader.defaults(tree["defaults"], at: "applinks.defaults")
        guard let details = tree["details"] else {
            reader.findings.add(.noDetails, "`details` is missing", at: "applinks", tree)
            return
        }
        let place = "applinks.details"
        if let byApp = details.members {
            reader.findings.add(.detailsDictionary, "`details` is an object", at: place, details)
            for member in byApp {
                let app = JSONTree.Member(
                    key: "appID", value: JSONTree(.text(member.key), line: member.value.line))
                let inner = member.value.members.map {
                    JSONTree(.object([app] + $0), line: member.value.line)
                }
                detail(inner ?? member.value, at: "\(place).\(member.key)", defaults)
            }
        } else {
            for (index, element) in reader.findings.elements(details, at: place).enumerated() {
                detail(element, at: "\(place)[\(index)]", defaults)
            }
        }
        if details.elements?.isEmpty ?? details.members?.isEmpty ?? false {
            reader.findings.add(.noDetails, "`details` is empty", at: place, details)
        }
    }

    private mutating func variables(_ tree: JSONTree) {
        let place = "applinks.substitutionVariables"
        var lists: [String: [String]] = [:]
        for member in reader.findings.members(tree, at: place) {
            let name = member.key
            if name.contains(/[$()]/) {
                reader.findings.add(.variable, "the name `\(name)` has $, ( or )", at: place, member.value)
            }
            let values = reader.findings.texts(member.value, at: "\(place).\(name)")
            for value in values where value.text.contains("$(") {
                reader.findings.add(
                    .variable, "`\(value.text)` names a variable", at: value.place, value.tree)
            }
            if member.value.elements?.isEmpty == true {
                reader.findings.add(.variable, "`\(name)` has no text", at: "\(place).\(name)", member.value)
            }
            lists[name] = values.map(\.text)
        }
        reader.variables = URLVariables(lists)
    }

    private mutating func detail(_ tree: JSONTree, at place: String, _ defaults: [JSONTree.Member]) {
        let members = reader.findings.members(tree, at: place)
        guard tree.members != nil else { return }
        reader.findings.unknownKeys(
            members, known: ["appIDs", "appID", "components", "paths", "defaults"], at: place)
        let names = self.names(tree, at: place)
        // The nearer default wins.
        let inner = reader.defaults(tree["defaults"], at: "\(place).defaults") + defaults
        let components = tree["components"].map {
            reader.components($0, at: "\(place).components", defaults: inner)
        }
        let paths = tree["paths"].map { reader.paths($0, at: "\(place).paths") }
        hasComment = hasComment || (components ?? []).contains { $0.comment != nil }
        check(components, paths, names, tree, at: place)
        for name in names where !apps.contains(where: { $0.name == name }) {
            apps.append(
                AssociatedApp(
                    name: name, reader: .apple, place: place, rules: components ?? paths ?? [],
                    oldRules: components == nil ? nil : paths))
        }
    }

    private mutating func check(
        _ components: [LinkRule]?, _ paths: [LinkRule]?, _ names: [String], _ tree: JSONTree, at place: String
    ) {
        if components == nil && paths == nil {
            reader.findings.add(
                .opensNothing, "there is no rule, so no link opens \(LinkRuleChecks.named(names))", at: place,
                tree)
        }
        if let components {
            LinkRuleChecks.check(components, of: names, at: "\(place).components", into: &reader.findings)
        } else if paths != nil {
            reader.findings.add(.noComponents, "`components` is missing", at: place, tree)
        }
        if let paths {
            LinkRuleChecks.check(paths, of: names, at: "\(place).paths", into: &reader.findings)
        }
        let missing = ["appID", "paths"].filter { tree[$0] == nil }
        if components != nil, !names.isEmpty, !missing.isEmpty {
            let names = missing.map { "`\($0)`" }.joined(separator: " and ")
            let what = "\(names) \(missing.count == 1 ? "is" : "are") missing"
            reader.findings.add(.noPaths, what, at: place, tree)
        }
        // An error in one of the lists would make them differ.
        let isSound = !findings.contains { $0.place.hasPrefix(place) && $0.fault.severity == .error }
        if isSound, let components, let paths,
            let difference = LinkRuleChecks.difference(components, paths)
        {
            reader.findings.add(.componentsDiffer, difference, at: place, tree)
        }
    }

    /// Returns the apps of an element of `details`.
    private mutating func names(_ tree: JSONTree, at place: String) -> [String] {
        let many = tree["appIDs"].map { appIDs($0, at: "\(place).appIDs") }
        var one: String?
        if let single = tree["appID"] {
            one = single.text
            if let name = one {
                checkID(name, single, at: "\(place).appID")
            } else {
                reader.findings.wrongType(single, "a text", at: "\(place).appID")
            }
            if let name = one, let many, many.first != name {
                let what = "`appID` is \(name), and `appIDs` begins with \(many.first ?? "nothing")"
                reader.findings.add(.appIDsDiffer, what, at: place, single)
            }
        }
        let names = many ?? one.map { [$0] } ?? []
        if tree["appID"] == nil, tree["appIDs"]?.elements?.isEmpty ?? (tree["appIDs"] == nil) {
            let what = "`appIDs` is \(tree["appIDs"] == nil ? "missing" : "empty")"
            reader.findings.add(.noAppID, what, at: place, tree)
        }
        for name in names {
            guard let first = apps.first(where: { $0.name == name }) else { continue }
            reader.findings.add(.appTwice, "\(name) is in \(first.place), too", at: place, tree)
        }
        return names
    }

    @discardableResult
    private mutating func appIDs(_ tree: JSONTree, at place: String) -> [String] {
        reader.findings.texts(tree, at: place).map { entry in
            checkID(entry.text, entry.tree, at: entry.place)
            return entry.text
        }
    }

    private mutating func checkID(_ name: String, _ tree: JSONTree, at place: String) {
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count < 2 || IOSApp(teamID: parts[0], bundleID: parts[1]) == nil else { return }
        let lacksPrefix = parts.first?.wholeMatch(of: /[A-Z0-9]{10}/) == nil
        reader.findings.add(
            .appID, "`\(name)` is no app\(lacksPrefix ? ": it has no prefix such as ABCDE12345." : "")",
            at: place, tree)
    }

    private mutating func optionalParts(_ tree: JSONTree) {
        if let applinks = tree["applinks"], applinks["apps"] == nil {
            reader.findings.add(.noApps, "`apps` is missing", at: "applinks", applinks)
        }
        if !hasComment, apps.contains(where: { $0.rules?.first?.place.hasPrefix("components") ?? false }) {
            reader.findings.add(.noComments, "no component has a `comment`")
        }
        if tree["webcredentials"] == nil {
            reader.findings.add(.noWebCredentials, "`webcredentials` is missing")
        }
        if tree["appclips"] == nil { reader.findings.add(.noAppClips, "`appclips` is missing") }
    }
}
