package import Foundation
package import Kernel
import Postgres
import Web
import Yams

/// The file of `kith apply`. A section that is missing in it stays as it is.
package struct AppsFile: Sendable {
    package static let mostBytes = BodyLimit.config.bytes
    /// How long servers may take to follow.
    package static let secondsToFollow = AppliedAppsService.interval.components.seconds

    /// The sections that it names, with what stays of them.
    package let sections: AppliedSections

    /// Reads the file. Throws a `ConfigError` that names every mistake with its line.
    /// - Parameters:
    ///   - folder: the folder of the files that the text names.
    ///   - config: the settings that apply to all apps.
    ///   - former: what stays unless the file names it.
    package init(yaml: String, folder: URL, config: Config, over former: AppliedSections = .init()) throws {
        try self.init(Self.read(yaml, folder), config, over: former)
    }

    /// Returns the sections that a file names, which may have mistakes that only a server knows. Throws a
    /// `ConfigError` that names all others with their lines.
    package static func sections(yaml: String, folder: URL) throws -> AppliedSections {
        let reader = try read(yaml, folder)
        var mistakes = reader.mistakes
        if mistakes.isEmpty { mistakes = reader.sections.ownMistakes.map { reader.placed($0) } }
        guard mistakes.isEmpty else { throw ConfigError(mistakes: mistakes) }
        return reader.sections
    }

    private static func read(_ yaml: String, _ folder: URL) throws -> AppsFileReader {
        guard yaml.isStreamSafe else {
            throw ConfigError(mistakes: ["the file has more than 30 accents in a row, which no text needs"])
        }
        var reader = AppsFileReader(folder: folder)
        do {
            guard let root = try Yams.compose(yaml: yaml) else {
                throw ConfigError(mistakes: ["the file is empty"])
            }
            guard root.hasAtMost(mostNodes) else {
                throw ConfigError(mistakes: ["the file has more than \(mostNodes) values"])
            }
            reader.read(root)
        } catch let error as YamlError {
            throw ConfigError(mistakes: ["the file is not YAML: \(error)"])
        }
        return reader
    }

    /// Reads the changes of a call: a table of sections as the file has them, in which null removes an item.
    /// Throws a `ConfigError` that names every mistake.
    init(changes: JSONTree, config: Config, over former: AppliedSections) throws {
        var (root, removed, mistakes) = ([(Node, Node)](), [ItemName](), [String]())
        for section in changes.members ?? [] {
            var items: [(Node, Node)] = []
            for item in section.value.members ?? [] {
                if item.value.value != .null { items.append((Node(text: item.key), Node(item.value))) }
                let name = ItemName(section.key, item.key)
                if item.value.value == .null { removed.append(name) }
                if item.value.value == .null, former[item: name] == nil {
                    mistakes.append("\(name.text): cannot be removed, since there is none")
                }
            }
            let isTable = section.value.members != nil
            root.append((Node(text: section.key), isTable ? Node(items) : Node(section.value)))
        }
        var reader = AppsFileReader(folder: nil)
        reader.read(Node(root))
        try self.init(reader, config, over: former, removing: removed, mistakes)
    }

    private init(
        _ reader: AppsFileReader, _ config: Config, over former: AppliedSections,
        removing removed: [ItemName] = [], _ mistakes: [String] = []
    ) throws {
        var sections = AppliedSections(
            reader.sections.all.map { section in former.section(type(of: section).name) ?? section })
        sections.replace(reader.sections.items.mapValues { $0 })
        sections.replace(Dictionary(removed.map { ($0, nil) }) { first, _ in first })
        self.sections = sections
        var mistakes = reader.mistakes + mistakes
        if mistakes.isEmpty { mistakes = sections.mistakes(over: config).map { reader.placed($0) } }
        guard mistakes.isEmpty else { throw ConfigError(mistakes: mistakes) }
    }

    /// The most values, which an alias repeats: a file of a few lines could have billions.
    private static let mostNodes = 100_000

    /// What is applied, as a file.
    package static func yaml(of sections: AppliedSections) throws -> String {
        var file: [String: Any] = [:]
        for section in sections.all where !section.items.isEmpty {
            file[type(of: section).name] = section.items.mapValues {
                FieldTree($0, isList: type(of: section).isList).yaml
            }
        }
        // A file must name a section, but none without items: --prune would remove what others add to it.
        if file.isEmpty { file[AppliedApps.name] = [String: Any]() }
        return try Yams.dump(object: file, width: -1, allowUnicode: true, sortKeys: true)
    }
}

extension AppliedSections {
    static let kinds = App.sections.map { kind(of: $0) }

    private static func kind<Store: SectionStore>(of store: Store.Type) -> any AppliedSection.Type {
        Store.Section.self
    }

    /// Whether a text names a section, or could name an item of one.
    package static func isPlace(_ text: String) -> Bool {
        kind(text) != nil || ItemName(text).flatMap { kind($0.section) } != nil
    }

    /// Returns the section of that name. Nil if there is none.
    static func kind(_ name: String) -> (any AppliedSection.Type)? { kinds.first { $0.name == name } }

    /// What is wrong with these sections, in the words of the file.
    func mistakes(over config: Config) -> [String] {
        let ofApps = self[AppliedApps.self]?.mistakes(over: config) ?? []
        return ofApps + ownMistakes + App.features.flatMap { $0.mistakes(self) }
    }

    /// What is wrong with each section by itself, whatever the settings and the other sections say.
    fileprivate var ownMistakes: [String] {
        all.flatMap { ($0 as? any KeyedSection)?.mistakes ?? [] }
    }
}

extension FieldTree {
    fileprivate var yaml: Any {
        switch self {
        case .text(let text): text
        case .list(let texts): texts
        case .table(let members): members.mapValues(\.yaml)
        }
    }
}

extension Node {
    /// Whether it and all in it are at most so many values, each counted as often as it stands there.
    fileprivate func hasAtMost(_ most: Int) -> Bool {
        var (left, waiting) = (most, [self])
        while let node = waiting.popLast() {
            left -= 1
            guard left >= 0 else { return false }
            if let mapping = node.mapping { waiting += mapping.values }
            if let sequence = node.sequence { waiting += sequence }
        }
        return true
    }

    /// Creates a text, even of a word like null.
    fileprivate init(text: String) { self.init(text, Tag(.str), .doubleQuoted) }

    fileprivate init(_ tree: JSONTree) {
        switch tree.value {
        case .object(let members): self.init(members.map { (Node(text: $0.key), Node($0.value)) })
        case .array(let elements): self.init(elements.map { Node($0) })
        case .text(let text), .number(let text): self.init(text: text)
        case .bool(let bool): self.init(text: bool ? "true" : "false")
        case .null: self.init("null", Tag(.null))
        }
    }
}
