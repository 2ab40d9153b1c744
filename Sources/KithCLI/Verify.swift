import ArgumentParser
import Kernel
import Kith
import Operations
import Postgres

/// `kith verify`: checks the data while the server keeps working.
struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check every invariant over the whole database.",
        discussion:
            "Exits with 1 and a list of the broken invariants, if any. If KITH_SECRETS_KEY is set, it must open what the database holds. The server may keep working meanwhile."
    )

    @Flag(help: "Repair violations that have only one correct fix, and report the repairs.")
    var repair = false

    func run() async throws {
        let environment = try Environment()
        let db = try await environment.database()
        let line = ProgressLine()
        let report = try await VerifyStore(db: db, checks: App.checks).verify(repairing: repair) {
            line.show($0.line)
        }
        line.end()
        for line in report.lines { try say(line) }
        let sealed = SealedSecrets(db, environment.config)
        let closed = sealed.hasKey ? try await sealed.closed() : []
        for one in closed { try say("secrets_closed: \(one); \(sealed.advice)") }
        await db.close()
        let broken = report.broken.map(\.invariant.name) + (closed.isEmpty ? [] : ["secrets_closed"])
        guard broken.isEmpty else { throw Failure("broken: \(broken.joined(separator: ", "))") }
    }
}
