import Foundation
import Postgres
import Testing

@testable import Imports
@testable import Kernel
@testable import Kith
@testable import Operations

/// Imports of files given as strings, and the contents of the database afterwards.
extension TestApp {
    @discardableResult
    func `import`(_ kind: Import, _ csv: String, isDryRun: Bool = false, chunk: Int = 64) async throws
        -> ImportReport
    {
        var rest = Array(csv.utf8)[...]
        return try await ImportStore(db, app.config).run(
            kind, isDryRun: isDryRun,
            from: {
                defer { rest = rest.dropFirst(chunk) }
                return rest.isEmpty ? nil : Array(rest.prefix(chunk))
            })
    }

    func importUsers(_ csv: String, keepNames: Bool = false, historyComplete: Bool = false) async throws
        -> ImportReport
    {
        try await `import`(.users(keepNames: keepNames, historyComplete: historyComplete), csv)
    }

    func importUsernames(_ csv: String, complete: Bool = false) async throws -> ImportReport {
        try await `import`(.usernames(complete: complete), csv)
    }

    func importFriendships(_ csv: String, oneSided: Import.OneSided = .friends) async throws -> ImportReport {
        try await `import`(.friendships(oneSided: oneSided), csv)
    }

    /// Users `u-a`, `u-b`, … with such names.
    func importUsers(named names: [String]) async throws {
        let csv = names.map { "u-\($0),\($0)\n" }.joined()
        let report = try await importUsers("uid,username\n" + csv)
        try #require(report.imported == names.count, "\(report)")
    }

    /// The relationship of `uid` to another user, by the API.
    func relationship(of uid: String, to other: String) async throws -> String? {
        try await get("/v1/users/\(other)", as: uid)["relationship"]
    }
}

extension ImportReport {
    /// As `reason count lines` for comparing.
    var found: [String] {
        findings.map { "\($0.reason.rawValue) \($0.count) \($0.lines)" }.sorted()
    }
}
