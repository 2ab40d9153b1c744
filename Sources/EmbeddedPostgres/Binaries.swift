internal import Foundation

/// Finds the server's programs, which are rarely on the PATH.
enum Binaries {
    /// Returns the folder that holds `postgres`, `initdb` and `pg_ctl`. Throws `notInstalled`.
    static func find() throws -> String {
        guard let folder = candidates.first(where: isComplete) else {
            throw EmbeddedPostgresError.notInstalled
        }
        return folder
    }

    private static var candidates: [String] {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let debian = versions(in: "/usr/lib/postgresql").map { "/usr/lib/postgresql/\($0)/bin" }
        let homebrew = ["/opt/homebrew/opt", "/usr/local/opt"].flatMap { folder in
            versions(in: folder, prefix: "postgresql@").map { "\(folder)/postgresql@\($0)/bin" }
        }
        let configured = path.map { $0 + "/pg_config" }.first(where: FileManager.default.isExecutableFile)
            .flatMap { Owner.current.run([$0, "--bindir"]).line }
        return [configured].compactMap(\.self) + debian + homebrew + path
    }

    /// Returns the versions, newest first.
    private static func versions(in folder: String, prefix: String = "") -> [Int] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(prefix) }.compactMap { Int($0.dropFirst(prefix.count)) }.sorted(
            by: >)
    }

    private static func isComplete(_ folder: String) -> Bool {
        ["postgres", "initdb", "pg_ctl"].allSatisfy {
            FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)")
        }
    }
}
