import ArgumentParser
import Kith
import Postgres

/// `kith verify`: whether the data is what it must be, on a server that goes on working.
struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check every invariant over the whole database.",
        discussion: "Exits with 1 and a list where one is broken. The server may go on working meanwhile.")

    @Flag(help: "Mend what has only one right answer, and say what was mended.")
    var repair = false

    func run() async throws {
        let db = try await Environment().database()
        let line = ProgressLine()
        let report = try await VerifyStore(db: db).verify(repairing: repair) { line.show($0.line) }
        line.end()
        for line in report.lines { try say(line) }
        await db.close()
        let broken = report.broken.map(\.invariant.name)
        guard broken.isEmpty else { throw Failure("broken: \(broken.joined(separator: ", "))") }
    }
}
