package import Foundation
package import Kernel
package import Postgres
import Web
import Yams

/// The file of `kith apply`. A section that is missing in it stays as it is.
package struct AppsFile: Sendable {
    package static let mostBytes = 3 << 20
    /// How long servers may take to follow.
    package static let secondsToFollow = AppliedAppsService.interval.components.seconds

    package let sections: AppliedSections

    /// Reads the file. Throws a `ConfigError` that names every mistake with its line.
    /// - Parameters:
    ///   - folder: the folder of the files that the text names.
    ///   - config: the settings that apply to all apps.
    package init(yaml: String, folder: URL, config: Config) throws {
        guard yaml.isStreamSafe else {
            throw ConfigError(mistakes: ["the file has more than 30 accents in a row, which no text needs"])
        }
        var reader = AppsFileReader(folder: folder)
        do {
            guard let root = try Yams.compose(yaml: yaml) else {
                throw ConfigError(mistakes: ["the file is empty"])
            }
            reader.read(root)
        } catch let error as YamlError {
            throw ConfigError(mistakes: ["the file is not YAML: \(error)"])
        }
        sections = reader.sections
        var mistakes = reader.mistakes
        if mistakes.isEmpty {
            mistakes = found(over: config).map { reader.placed($0) }
        }
        guard mistakes.isEmpty else { throw ConfigError(mistakes: mistakes) }
    }

    private func found(over config: Config) -> [String] {
        sections.all.flatMap { section in
            switch section {
            case let apps as AppliedApps: apps.mistakes(over: config)
            case let section as any KeyedSection: section.mistakes
            default: [String]()
            }
        } + App.features.flatMap { $0.mistakes(sections) }
    }

    /// What `kith apply` does to make the file true.
    /// - Parameter app: the app of the settings.
    package func plan(_ db: Database, beside app: AppConfig) async throws -> SectionPlan {
        var plan = SectionPlan()
        for store in App.sections { plan += try await store.init(db: db).plan(for: sections, beside: app) }
        return plan
    }

    /// What is applied, as a file.
    package static func yaml(of sections: [any AppliedSection]) throws -> String {
        var file: [String: Any] = [:]
        for section in sections {
            switch section {
            case let apps as AppliedApps: file[AppliedApps.name] = table(of: apps)
            case let section as any KeyedSection: file[type(of: section).name] = table(of: section)
            default: break
            }
        }
        return try Yams.dump(object: file, width: -1, allowUnicode: true, sortKeys: true)
    }

    private static func table(of apps: AppliedApps) -> [String: Any] {
        apps.apps.mapValues { app in
            var table = AppliedTable()
            table["hosts"] = app.hosts
            for field in AppField.all {
                guard let text = app.fields[field.name] else { continue }
                table[field.name] = field.isList ? text.listed : text
            }
            return table.yaml
        }
    }

    /// Nil if the section has no entries.
    private static func table<Section: KeyedSection>(of section: Section) -> [String: Any]? {
        guard !section.entries.isEmpty else { return nil }
        return section.entries.mapValues { fields in
            var table = AppliedTable()
            for (name, text) in fields { table[name] = Section.isList(name) ? text.listed : text }
            return table.yaml
        }
    }
}

/// A table of the file, made of fields like `when.version.lt`.
private struct AppliedTable {
    private var values: [String: Any] = [:]
    private var tables: [String: AppliedTable] = [:]

    subscript(field: String) -> Any? {
        get { values[field] }
        set {
            guard let dot = field.firstIndex(of: ".") else { return values[field] = newValue }
            tables[String(field[..<dot]), default: .init()][String(field[field.index(after: dot)...])] =
                newValue
        }
    }

    var yaml: [String: Any] { values.merging(tables.mapValues { $0.yaml as Any }) { $1 } }
}
