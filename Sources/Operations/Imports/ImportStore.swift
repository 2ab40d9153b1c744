import Foundation
package import Graph
package import Imports
import Kernel
package import Postgres

/// Imports a file: stages it by COPY and writes it in one transaction.
package struct ImportStore: Sendable {
    let db: Database
    let usernames: UsernamePolicy
    let friends: FriendLimits

    package init(_ db: Database, usernames: UsernamePolicy, friends: FriendLimits) {
        self.db = db
        self.usernames = usernames
        self.friends = friends
    }

    /// Imports valid lines, and refuses and counts the others. Throws an `ImportError` for a file that is not
    /// such CSV. A second run of the same file changes nothing.
    ///
    /// - Parameters:
    ///   - next: returns the chunks of the file, which may end anywhere, and nil at its end.
    ///   - isDryRun: whether to run the import and roll it back.
    package nonisolated(nonsending) func run(
        _ kind: Import, isDryRun: Bool = false,
        progress: @escaping @Sendable (ImportProgress) -> Void = { _ in },
        from next: nonisolated(nonsending) () async throws -> [UInt8]?
    ) async throws -> ImportReport {
        try await StagedImport.run(
            kind.columns, into: kind.tables, of: db, isDryRun: isDryRun, progress: progress, from: next
        ) { try await write(kind, $0) }
    }

    private nonisolated(nonsending) func write(_ kind: Import, _ staged: StagedImport) async throws
        -> ImportReport
    {
        switch kind {
        case .users(let keepNames, let isComplete):
            try await UserImportStore(staged: staged, policy: usernames)
                .write(keepNames: keepNames, historyComplete: isComplete)
        case .usernames(let isComplete):
            try await UsernameImportStore(staged: staged).write(complete: isComplete)
        case .friendships(let oneSided):
            try await FriendshipImportStore(staged: staged, limits: friends, oneSided: oneSided).write()
        case .nameStates: try await NameStateImportStore(staged: staged).write()
        case .relationships: try await RelationshipImportStore(staged: staged).write()
        case .invites: try await InviteImportStore(staged: staged).write()
        case .inviteUses: try await InviteUseImportStore(staged: staged).write()
        case .inviters: try await InviterImportStore(staged: staged).write()
        }
    }
}
