package import Foundation
package import Growth
package import Kernel
import Links
package import Rollout
import Web
import Yams

/// The file of `kith apply`. A section that is missing in it stays as it is.
package struct AppsFile: Sendable {
    package static let mostBytes = 3 << 20
    /// How long servers may take to follow.
    package static let secondsToFollow = AppliedAppsService.interval.components.seconds

    package let apps: AppliedApps?
    package let policies: AppliedPolicies?
    package let values: AppliedValues?
    package let experiments: AppliedExperiments?
    package let offers: AppliedOffers?
    package let rewards: AppliedRewards?

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
        (apps, policies) = (reader.apps, reader.policies)
        (values, experiments, rewards) = (reader.values, reader.experiments, reader.rewards)
        offers = reader.offers
        var mistakes = reader.mistakes
        if mistakes.isEmpty {
            mistakes = found(over: config).map { reader.placed($0) }
        }
        guard mistakes.isEmpty else { throw ConfigError(mistakes: mistakes) }
    }

    private func found(over config: Config) -> [String] {
        (apps?.mistakes(over: config) ?? []) + (policies?.mistakes ?? [])
            + (values.map { $0.read().mistakes + LandingChanges.mistakes(in: $0) } ?? [])
            + (experiments.map { $0.read().mistakes + LandingChanges.mistakes(in: $0) } ?? [])
            + (offers?.read().mistakes ?? [])
            + (rewards?.read().mistakes ?? [])
    }

    /// Returns what is applied, as a file.
    package static func yaml(
        of apps: AppliedApps, _ policies: AppliedPolicies = .init(), _ values: AppliedValues = .init(),
        _ experiments: AppliedExperiments = .init(), _ offers: AppliedOffers = .init(),
        _ rewards: AppliedRewards = .init()
    ) throws -> String {
        var file: [String: Any] = [
            "apps": apps.apps.mapValues { app in
                var table = AppliedTable()
                table["hosts"] = app.hosts
                for field in AppField.all {
                    guard let text = app.fields[field.name] else { continue }
                    table[field.name] = field.isList ? text.listed : text
                }
                return table.yaml
            }
        ]
        add(policies, to: &file)
        add(values, to: &file)
        add(experiments, to: &file)
        add(offers, to: &file)
        add(rewards, to: &file)
        return try Yams.dump(object: file, width: -1, allowUnicode: true, sortKeys: true)
    }

    private static func add<Section: KeyedSection>(_ section: Section, to file: inout [String: Any]) {
        guard !section.entries.isEmpty else { return }
        file[Section.name] = section.entries.mapValues { fields in
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
