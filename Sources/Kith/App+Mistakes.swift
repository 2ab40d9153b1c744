import Foundation
import Kernel
import Links
package import Logging
import Pictures
package import Postgres
import Web

/// Finds what keeps a server from serving well, before it serves.
extension App {
    /// Returns the product with these settings. Throws a `ConfigError` with all of ``mistakes(in:)`` if there
    /// is one.
    package static func checked(_ config: Config, db: Database, logger: Logger) async throws -> App {
        do {
            let app = try App(config, db: db, logger: logger)
            if let mistake = await config.auth.mistakeInFile() ?? erasureLogMistake(config) {
                throw ConfigError(mistakes: [mistake])
            }
            return app
        } catch {
            // `App` stops at the first mistake. Looking for all of them at every start would take as long as
            // the rest of it.
            let mistakes = await mistakes(in: config)
            throw mistakes.isEmpty ? error : ConfigError(mistakes: mistakes)
        }
    }

    /// Returns the errors that would stop `kith serve`, one on each line, without serving or connecting.
    package static func mistakes(in environment: [String: String]) async -> [String] {
        let (config, unread) = Config.read(environment)
        let named = Set(unread.flatMap(settings))
        // Skip errors that only follow from a value that cannot be read.
        return unread + (await mistakes(in: config)).filter { settings($0).isDisjoint(with: named) }
    }

    /// Returns the settings that a mistake names.
    private static func settings(_ mistake: String) -> Set<String> {
        Set(mistake.matches(of: /KITH_[A-Z_]+/).map { String($0.output).replacing(/_FILE$/, with: "") })
    }

    /// Returns the mistakes in settings that can be read.
    static func mistakes(in config: Config) async -> [String] {
        var mistakes: [String] = []
        func check(_ part: () throws -> Void) {
            do { try part() } catch { mistakes += "\(error)".split(separator: "\n").map(String.init) }
        }
        if config.database.url.isEmpty {
            mistakes.append("KITH_DATABASE_URL is not set")
        } else {
            check { _ = try config.database.open(config.database.driver) }
        }
        check { _ = try config.auth.rules() }
        check { _ = try config.auth.keys(.live) }
        if let mistake = await config.auth.mistakeInFile() { mistakes.append(mistake) }
        if let mistake = erasureLogMistake(config) { mistakes.append(mistake) }
        mistakes += AppListing.mistakes(in: config.app).map(\.description)
        check { try config.console.requireAll() }
        check { _ = try AssociationFiles(config.app) }
        check { _ = try SchemeURL.all(config.app) }
        check { _ = try LinkedProject(config) }
        check { _ = try CardStyle(config.cards, icon: nil) }
        check { _ = try Templates(folder: config.app.templates) }
        check { _ = try LandingLanguages(standard: config.app.language, folder: config.app.templates) }
        return mistakes
    }

    /// Returns what is wrong with the erasure log. A log that cannot be written would be missed only on the
    /// day of a restore.
    private static func erasureLogMistake(_ config: Config) -> String? {
        guard let path = config.server.erasureLog else { return nil }
        let (files, folder) = (FileManager.default, URL(filePath: path).deletingLastPathComponent().path)
        var isFolder: ObjCBool = false
        let isThere = files.fileExists(atPath: path, isDirectory: &isFolder)
        let canWrite =
            isThere
            ? !isFolder.boolValue && files.isWritableFile(atPath: path) : files.isWritableFile(atPath: folder)
        return canWrite ? nil : "KITH_ERASURE_LOG: '\(path)' is no file that Kith can write"
    }
}
