import ArgumentParser
import Kith
import Postgres

/// `kith restored`: what follows after a backup was restored.
struct Restored: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restored",
        abstract: "Have every phone load its friends anew, once, after a backup was restored.",
        discussion: """
            A phone may know friends that the backup does not. Its next GET /v1/me/changes answers \
            410 reload_required. Kith notices by itself that a dump was restored (pg_restore); it cannot notice a \
            physical backup, a snapshot of a disk, or a standby that lagged when it was promoted. A second call \
            has them load once more.
            """)

    func run() async throws {
        let db = try await Environment().database()
        try await RestoreStore(db: db).forgetPhones()
        try say("every phone will load its friends anew")
        await db.close()
    }
}
