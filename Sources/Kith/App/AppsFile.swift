public import Foundation
import Yams

/// The file of `kith apply`.
public struct AppsFile: Sendable {
    public static let mostBytes = 3 << 20
    /// How long servers may take to follow.
    public static let secondsToFollow = AppliedAppsService.interval.components.seconds

    public let apps: AppliedApps

    /// Throws a `ConfigError` that names every mistake with its line.
    /// - Parameters:
    ///   - folder: where the files are that the text names.
    ///   - config: the settings that hold for all apps.
    public init(yaml: String, folder: URL, config: Config) throws {
        var reader = AppsFileReader(folder: folder)
        do {
            guard let root = try Yams.compose(yaml: yaml) else {
                throw ConfigError(mistakes: ["the file is empty"])
            }
            apps = reader.read(root)
        } catch let error as YamlError {
            throw ConfigError(mistakes: ["the file is not YAML: \(error)"])
        }
        let mistakes =
            reader.mistakes.isEmpty
            ? apps.mistakes(over: config).map { reader.placed($0) } : reader.mistakes
        guard mistakes.isEmpty else { throw ConfigError(mistakes: mistakes) }
    }

    /// What is applied, as a file.
    public static func yaml(of applied: AppliedApps) throws -> String {
        let apps = applied.apps.mapValues { app -> [String: Any] in
            var table: [String: Any] = ["hosts": app.hosts]
            for field in AppField.all {
                guard let text = app.fields[field.name] else { continue }
                let value: Any = field.isList ? text.listed : text
                let path = field.name.split(separator: ".").map(String.init)
                if path.count == 1 {
                    table[path[0]] = value
                } else {
                    var part = table[path[0]] as? [String: Any] ?? [:]
                    part[path[1]] = value
                    table[path[0]] = part
                }
            }
            return table
        }
        return try Yams.dump(object: ["apps": apps], width: -1, allowUnicode: true, sortKeys: true)
    }
}

/// Reads the nodes of the file, and collects what is wrong with them.
private struct AppsFileReader {
    let folder: URL
    private(set) var mistakes: [String] = []
    /// Of each field, as `apps.production.hosts`.
    private var lines: [String: Int] = [:]

    init(folder: URL) {
        self.folder = folder
    }

    /// A mistake in what a field says, with its line.
    func placed(_ mistake: String) -> String {
        var place = mistake.prefix { $0 != " " && $0 != ":" }
        while lines[String(place)] == nil, let dot = place.lastIndex(of: ".") { place = place[..<dot] }
        return (lines[String(place)].map { "line \($0): " } ?? "") + mistake
    }

    mutating func read(_ root: Node) -> AppliedApps {
        var applied = AppliedApps()
        for (name, node) in table(root, "the file") {
            guard name == "apps" else {
                refuse(node, name, "is not a section: there is only apps")
                continue
            }
            for (key, node) in table(node, name) { applied.apps[key] = app(node, "apps.\(key)") }
        }
        if mistakes.isEmpty, root.mapping?["apps"] == nil { refuse(root, "the file", "has no section apps") }
        return applied
    }

    private mutating func app(_ node: Node, _ place: String) -> AppliedApp {
        var app = AppliedApp(hosts: [], fields: [:])
        for (name, node) in table(node, place) {
            if name == "hosts" {
                app.hosts = list(node, "\(place).hosts") ?? []
            } else if ["ios", "android"].contains(name) {
                for (part, node) in table(node, "\(place).\(name)") {
                    app.fields["\(name).\(part)"] = text(node, "\(name).\(part)", place)
                }
            } else {
                app.fields[name] = text(node, name, place)
            }
        }
        return app
    }

    /// The text of a field; nil if it is empty, or wrong.
    private mutating func text(_ node: Node, _ name: String, _ app: String) -> String? {
        let place = "\(app).\(name)"
        guard let field = AppField.all.first(where: { $0.name == name }) else {
            let nearest = name.nearest(among: AppField.all.map(\.name) + ["hosts"]).map {
                ": did you mean \($0)?"
            }
            refuse(node, place, "is not a field\(nearest ?? "")")
            return nil
        }
        if field.isList { return list(node, place)?.joined(separator: ",") }
        guard let text = node.scalar?.string else {
            refuse(node, place, "must be a text")
            return nil
        }
        return text.isEmpty || node.null != nil ? nil : name == "icon" ? icon(text, node, place) : text
    }

    private mutating func list(_ node: Node, _ place: String) -> [String]? {
        let texts = node.sequence?.map { $0.scalar?.string } ?? [node.scalar?.string]
        guard texts.count <= 100, texts.allSatisfy({ $0?.isEmpty == false && $0?.contains(",") == false })
        else {
            refuse(node, place, "must be a list of at most 100 texts without commas")
            return nil
        }
        return texts.compactMap(\.self)
    }

    /// The icon itself, since servers do not have its file.
    private mutating func icon(_ text: String, _ node: Node, _ place: String) -> String? {
        if text.hasPrefix(AppIcon.dataURLPrefix) { return text }
        guard let data = try? Data(contentsOf: folder.appending(path: text)) else {
            refuse(node, place, "cannot be read: '\(text)'")
            return nil
        }
        return AppIcon.dataURLPrefix + data.base64EncodedString()
    }

    private mutating func table(_ node: Node, _ place: String) -> [(String, Node)] {
        guard let pairs = node.mapping else {
            refuse(node, place, "must be a table of fields")
            return []
        }
        for (name, _) in pairs {
            if let text = name.scalar?.string { lines["\(place).\(text)"] = name.mark?.line }
        }
        return pairs.compactMap { name, node in name.scalar.map { ($0.string, node) } }
    }

    private mutating func refuse(_ node: Node, _ place: String, _ reason: String) {
        mistakes.append("\(node.mark.map { "line \($0.line): " } ?? "")\(place) \(reason)")
    }
}
