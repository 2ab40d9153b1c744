import Kernel
import Web

/// An assetlinks.json, and what is wrong with it
/// (https://developers.google.com/digital-asset-links/v1/statements,
/// https://developer.android.com/training/app-links/configure-assetlinks).
struct AndroidAssociation: Sendable {
    private(set) var apps: [AssociatedApp] = []
    private var reader = LinkRuleReader(.android)
    /// The place of each key of each app, by the app and what it may do.
    private var keys: [String: [String: String]] = [:]
    /// The apps that some statement gives links to, and those that a statement names.
    private var (opened, named): (Set<String>, [(package: String, place: String)]) = ([], [])

    var findings: [LinkFinding] { reader.findings.all }

    static let handleAllURLs = "delegate_permission/common.handle_all_urls"
    private static let relations = [
        handleAllURLs, "delegate_permission/common.get_login_creds",
        "delegate_permission/common.use_as_origin",
        "delegate_permission/common.query_webapk", "delegate_permission/common.share_location",
    ]

    init(_ tree: JSONTree) {
        reader.findings.repeatedKeys(tree)
        for (index, element) in reader.findings.elements(tree, at: "").enumerated() {
            statement(element, at: "[\(index)]")
        }
        var told: Set<String> = []
        for app in named where !opened.contains(app.package) && told.insert(app.package).inserted {
            reader.findings.add(
                .noHandleAllURLs, "no statement of \(app.package) has the relation for links", at: app.place)
        }
    }

    private mutating func statement(_ tree: JSONTree, at place: String) {
        let members = reader.findings.members(tree, at: place)
        guard tree.members != nil else { return }
        if let include = tree["include"] {
            reader.findings.add(.include, "it includes \(include.text ?? include.kind)", at: place, include)
            return
        }
        reader.findings.unknownKeys(members, known: ["relation", "target", "relation_extensions"], at: place)
        let relations = self.relations(tree, at: place)
        var rules: [LinkRule]?
        if let extensions = tree["relation_extensions"] {
            rules = self.rules(extensions, relations, at: "\(place).relation_extensions")
        }
        guard let target = tree["target"] else {
            reader.findings.add(.type, "`target` is missing", at: place, tree)
            return
        }
        _ = reader.findings.members(target, at: "\(place).target")
        guard target.members != nil else { return }
        self.target(target, relations, rules, at: "\(place).target")
    }

    private mutating func relations(_ tree: JSONTree, at place: String) -> [String] {
        guard let relation = tree["relation"] else {
            reader.findings.add(.type, "`relation` is missing", at: place, tree)
            return []
        }
        return reader.findings.texts(relation, at: "\(place).relation").map { entry in
            if !Self.relations.contains(entry.text) {
                let nearest = entry.text.nearest(among: Self.relations) ?? Self.handleAllURLs
                reader.findings.add(
                    .unknownRelation, "`\(entry.text)` is not known; `\(nearest)`?", at: entry.place,
                    entry.tree)
            }
            return entry.text
        }
    }

    private mutating func target(
        _ tree: JSONTree, _ relations: [String], _ rules: [LinkRule]?, at place: String
    ) {
        guard let namespace = tree["namespace"]?.text, ["android_app", "web"].contains(namespace) else {
            let what =
                tree["namespace"].map { "`namespace` is \($0.text ?? $0.kind)" } ?? "`namespace` is missing"
            reader.findings.add(.namespace, what, at: place, tree["namespace"] ?? tree)
            return
        }
        guard namespace == "android_app" else {
            reader.findings.unknownKeys(tree.members ?? [], known: ["namespace", "site"], at: place)
            return
        }
        reader.findings.unknownKeys(
            tree.members ?? [], known: ["namespace", "package_name", "sha256_cert_fingerprints"], at: place)
        guard let package = tree["package_name"]?.text,
            package.wholeMatch(of: /[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+/) != nil
        else {
            let what = tree["package_name"].map { "`\($0.text ?? $0.kind)` is no package" }
            reader.findings.add(
                .package, what ?? "`package_name` is missing", at: place, tree["package_name"] ?? tree)
            return
        }
        let fingerprints = self.fingerprints(tree, of: package, relations, at: place)
        named.append((package, place))
        guard relations.contains(Self.handleAllURLs) else { return }
        opened.insert(package)
        if let rules {
            let list = "relation_extensions.dynamic_app_link_components"
            LinkRuleChecks.check(
                rules, of: [package], at: place.replacing(".target", with: ".\(list)"), into: &reader.findings
            )
        }
        if let index = apps.firstIndex(where: { $0.name == package }) {
            apps[index].fingerprints += fingerprints
            if let rules { apps[index].rules = (apps[index].rules ?? []) + rules }
        } else {
            apps.append(
                AssociatedApp(
                    name: package, reader: .google, place: place, rules: rules, fingerprints: fingerprints))
        }
    }

    private mutating func fingerprints(
        _ tree: JSONTree, of package: String, _ relations: [String], at place: String
    ) -> [String] {
        guard let list = tree["sha256_cert_fingerprints"] else {
            reader.findings.add(
                .noFingerprints, "`sha256_cert_fingerprints` of \(package) is missing", at: place, tree)
            return []
        }
        let place = "\(place).sha256_cert_fingerprints"
        // An app may have one statement for each relation.
        let app = ([package] + relations.sorted()).joined(separator: " ")
        let entries = reader.findings.texts(list, at: place)
        if list.elements?.isEmpty == true {
            reader.findings.add(.noFingerprints, "\(package) has no fingerprint", at: place, list)
        }
        return entries.compactMap { entry in
            guard let fingerprint = AndroidApp.Fingerprint(entry.text) else {
                let what = "`\(entry.text)` is no SHA-256\(Self.hash(entry.text).map { ", but \($0)" } ?? "")"
                reader.findings.add(.fingerprint, what, at: entry.place, entry.tree)
                return nil
            }
            if fingerprint.text != entry.text {
                let what = "`\(entry.text)` is not in capitals with colons"
                reader.findings.add(.fingerprintForm, what, at: entry.place, entry.tree)
            }
            if let owner = Self.samples[fingerprint.text] {
                reader.findings.add(
                    .sampleFingerprint, "`\(entry.text.prefix(11))…` is that of \(owner)", at: entry.place,
                    entry.tree)
            }
            if let first = keys[app]?[fingerprint.text] {
                let what = "\(package) has this fingerprint at \(first), too"
                reader.findings.add(.duplicate, what, at: entry.place, entry.tree)
            }
            keys[app, default: [:]][fingerprint.text] = entry.place
            return fingerprint.text
        }
    }

    /// Certificates of documents and templates, which people copy from there.
    private static let samples = [
        "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5":
            "Google's documents",
        "FA:C6:17:45:DC:09:03:78:6F:B9:ED:E6:2A:96:2B:39:9F:73:48:F0:BB:6F:89:9B:83:32:66:75:91:03:3B:9C":
            "React Native's debug.keystore, which everybody has",
    ]

    /// Returns what a text is that is not a SHA-256.
    private static func hash(_ text: String) -> String? {
        let digits = text.filter { $0 != ":" && $0 != " " }
        if digits.wholeMatch(of: /[A-Za-z0-9+\/_\-]{43}=?/) != nil { return "maybe one in Base64" }
        guard digits.wholeMatch(of: /[0-9A-Fa-f]+/) != nil else { return nil }
        return switch digits.count {
        case 40: "a SHA-1"
        case 32: "an MD5"
        case 128: "a SHA-512"
        default: "\(digits.count) digits in place of 64"
        }
    }

    /// Returns the rules that Android 15 and later read for links.
    private mutating func rules(_ tree: JSONTree, _ relations: [String], at place: String) -> [LinkRule]? {
        var rules: [LinkRule]?
        for member in reader.findings.members(tree, at: place) {
            let inner = "\(place).\(member.key)"
            if !relations.isEmpty, !relations.contains(member.key) || member.key != Self.handleAllURLs {
                let what = "`\(member.key)` is no relation of this statement that knows extensions"
                reader.findings.add(.extensionRelation, what, at: place, member.value)
            }
            let list = "dynamic_app_link_components"
            let members = reader.findings.members(member.value, at: inner)
            reader.findings.unknownKeys(members, known: [list], at: inner)
            guard let components = member.value[list] else { continue }
            let found = reader.components(components, at: "\(inner).\(list)")
            // An empty list counts as none: Android then asks only the manifest.
            if member.key == Self.handleAllURLs, !found.isEmpty { rules = found }
        }
        return rules
    }
}
