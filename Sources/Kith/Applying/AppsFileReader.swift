import Foundation
import Kernel
import Pictures
import Web
import Yams

/// Reads the nodes of the file, and collects mistakes.
struct AppsFileReader {
    /// The folder of the files that the text names. Nil if it may name none.
    let folder: URL?
    private(set) var sections = AppliedSections()
    private(set) var mistakes: [String] = []
    /// The time zone in which the days of the file begin.
    private var zone = TimeZone.gmt
    /// The line of each field, by a name such as `apps.production.hosts`.
    private var lines: [String: Int] = [:]

    init(folder: URL?) {
        self.folder = folder
    }

    /// Returns a mistake of a field with its line.
    func placed(_ mistake: String) -> String {
        // The longest place with which it begins. A key may have a blank; the longest place is far shorter.
        var place = mistake.prefix(300)
        while let end = place.lastIndex(where: { " :.".contains($0) }) {
            place = place[..<end]
            if let line = lines[String(place)] { return "line \(line): \(mistake)" }
        }
        return mistake
    }

    mutating func read(_ root: Node) {
        let nodes = table(root, "the file")
        for (name, node) in nodes where name == Self.zoneName { readZone(node) }
        for (name, node) in nodes where name != Self.zoneName {
            switch AppliedSections.kind(name) {
            case is AppliedApps.Type:
                var read = AppliedApps()
                for (key, node) in table(node, name) { read.apps[key] = app(node, "apps.\(key)") }
                sections.add(read)
            case let kind as any KeyedSection.Type: add(kind, node)
            default: refuse(node, name, "is not a section: there are \(Self.names(and: "and"))")
            }
        }
        if mistakes.isEmpty, sections.all.isEmpty {
            refuse(root, "the file", "has no section: \(Self.names(and: "or"))")
        }
    }

    private static func names(and word: String) -> String {
        let names = AppliedSections.kinds.map { $0.name }
        return names.dropLast().joined(separator: ", ") + " \(word) \(names.last ?? "")"
    }

    private mutating func add<Section: KeyedSection>(_: Section.Type, _ node: Node) {
        sections.add(section(node) as Section)
    }

    private static let zoneName = "timezone"

    private mutating func readZone(_ node: Node) {
        guard let text = scalar(node, Self.zoneName) else { return }
        guard text == "UTC" || text.contains("/"), let found = TimeZone(identifier: text) else {
            return refuse(node, Self.zoneName, "'\(text)' is no time zone: name one as in Asia/Tokyo")
        }
        zone = found
    }

    private mutating func section<Section: KeyedSection>(_ node: Node) -> Section {
        var read = Section()
        for (key, node) in table(node, Section.name) {
            if let short = Section.shortField, let text = node.scalar?.string, !text.isEmpty, node.null == nil
            {
                read.entries[key] = [short: scalar(node, "\(Section.name).\(key)") ?? text]
                continue
            }
            read.entries[key] = [:]
            readFields(
                of: Section.self, node, "\(Section.name).\(key)", [], &read.entries[key, default: [:]])
        }
        return read
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

    /// Returns the text of a field. Nil if it is empty, or wrong.
    private mutating func text(_ node: Node, _ name: String, _ app: String) -> String? {
        let place = "\(app).\(name)"
        guard let field = AppField.all.first(where: { $0.name == name }) else {
            let nearest = name.near(among: AppField.all.map(\.name) + ["hosts"]).map {
                ": did you mean \($0)?"
            }
            refuse(node, place, "is not a field\(nearest ?? "")")
            return nil
        }
        if field.isList { return list(node, place, field.parts)?.joined(separator: ",") }
        guard let text = scalar(node, place) else { return nil }
        return name == "icon" ? icon(text, node, place) : text
    }

    /// Returns the text of a node. Nil if it is empty, or not a text.
    private mutating func scalar(_ node: Node, _ place: String) -> String? {
        guard let text = node.scalar?.string else {
            refuse(node, place, "must be a text")
            return nil
        }
        // PostgreSQL cannot store a NUL.
        if text.contains("\0") { refuse(node, place, "holds a NUL") }
        return text.isEmpty || node.null != nil ? nil : text
    }

    /// Reads the fields of a table in an entry, and of tables in it. The section knows which fields exist.
    private mutating func readFields<Section: KeyedSection>(
        of section: Section.Type, _ node: Node, _ place: String, _ path: [String],
        _ fields: inout [String: String]
    ) {
        guard path.count < Section.mostDepth else { return refuse(node, place, "is no field") }
        let names = FieldNames(Section.fieldNames)
        for (name, node) in table(node, place) {
            let (path, place) = (path + [name], "\(place).\(name)")
            let field = path.joined(separator: ".")
            if node.mapping?.isEmpty == true {
                refuse(node, place, "is empty: leave it out")
            } else if node.mapping != nil {
                readFields(of: section, node, place, path, &fields)
            } else if Section.isList(field) {
                fields[field] = list(node, place)?.joined(separator: ",")
            } else if node.null != nil || node.scalar?.string.isEmpty == true {
                // An empty condition would apply to everybody.
                refuse(node, place, "is empty: leave it out")
            } else if node.sequence != nil, let form = names.table(field) {
                refuse(node, place, form)
            } else if node.sequence != nil, !names.contains(field) {
                // The section's reader knows what the file may mean.
                fields[field] = ""
            } else {
                let text = scalar(node, place)
                let day = Section.isTime(field) ? text.flatMap { CalendarDay.begin(of: $0, in: zone) } : nil
                fields[field] = day ?? text
            }
        }
    }

    /// - Parameter parts: the fields of entries that are tables.
    private mutating func list(_ node: Node, _ place: String, _ parts: [String] = []) -> [String]? {
        // A call may give the text that an answer has.
        let listed = folder == nil ? node.scalar?.string.listed.map { Node($0) } : nil
        let nodes = node.sequence.map(Array.init) ?? listed ?? [node]
        if !parts.isEmpty, refuseStrangers(in: nodes, place, parts) { return nil }
        let texts = nodes.map { $0.scalar?.string ?? Self.text(of: $0, parts) }
        guard texts.count <= 100, texts.allSatisfy({ $0?.isEmpty == false && $0?.contains(",") == false })
        else {
            refuse(node, place, "must be a list of at most 100 texts without commas")
            return nil
        }
        if texts.contains(where: { $0?.contains("\0") == true }) { refuse(node, place, "holds a NUL") }
        return texts.compactMap(\.self)
    }

    /// Refuses fields that an entry cannot have. Returns whether there were any.
    private mutating func refuseStrangers(in entries: [Node], _ place: String, _ parts: [String]) -> Bool {
        let strangers = entries.flatMap { entry in
            (entry.mapping.map { Array($0.keys) } ?? []).filter { !parts.contains($0.scalar?.string ?? "") }
        }
        for stranger in strangers {
            let name = stranger.scalar?.string ?? ""
            let nearest = name.near(among: parts).map { ": did you mean \($0)?" }
            refuse(stranger, "\(place).\(name)", "is not a field\(nearest ?? "")")
        }
        return !strangers.isEmpty
    }

    /// Returns the text of an entry that is a table. Nil for one without its head.
    private static func text(of node: Node, _ parts: [String]) -> String? {
        guard let table = node.mapping, let head = parts.first else { return nil }
        var texts: [String: String] = [:]
        for (name, value) in table {
            guard let name = name.scalar?.string, let text = value.scalar?.string else { return nil }
            texts[name] = text
        }
        guard let text = texts.removeValue(forKey: head) else { return nil }
        return texts.sorted { $0.key < $1.key }.reduce(text) { "\($0) \($1.key)=\($1.value)" }
    }

    /// Returns the icon itself, since servers do not have its file.
    private mutating func icon(_ text: String, _ node: Node, _ place: String) -> String? {
        if text.hasPrefix(AppIcon.dataURLPrefix) { return text }
        guard let folder else {
            refuse(node, place, "must be the icon itself, as a data: URL")
            return nil
        }
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
            guard let text = name.scalar?.string else {
                refuse(name, place, "has a name that is not a text: quote it")
                continue
            }
            lines["\(place).\(text)"] = name.mark?.line
            if text.contains("\0") { refuse(name, place, "has a name that holds a NUL") }
        }
        return pairs.compactMap { name, node in name.scalar.map { ($0.string, node) } }
    }

    private mutating func refuse(_ node: Node, _ place: String, _ reason: String) {
        mistakes.append("\(node.mark.map { "line \($0.line): " } ?? "")\(place) \(reason)")
    }
}
