import ArgumentParser
import Foundation
import Kith
import Postgres
import Synchronization

/// `kith verify`: whether the data is what it must be, on a server that goes on working.
struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check every invariant over the whole database.",
        discussion: "Exits with 1 and a list where one is broken. The server may go on working meanwhile.")

    @Flag(help: "Mend what has only one right answer, and say what was mended.")
    var repair = false

    func run() async throws {
        let db = try Environment().database()
        let line = ProgressLine()
        let report = try await VerifyStore(db: db).verify(repairing: repair) { line.show($0.line) }
        line.clear()
        for line in report.lines { say(line) }
        await db.close()
        let broken = report.broken.map(\.invariant.name)
        guard broken.isEmpty else { throw Failure("broken: \(broken.joined(separator: ", "))") }
    }
}

/// One line on standard error that is written over again on a terminal, and else repeated every 5 seconds.
private final class ProgressLine: Sendable {
    private let isTerminal = isatty(FileHandle.standardError.fileDescriptor) == 1
    private let shownAt = Mutex(ContinuousClock.now)

    func show(_ text: String) {
        let interval: Duration = isTerminal ? .milliseconds(100) : .seconds(5)
        let isDue = shownAt.withLock { shownAt in
            guard ContinuousClock.now - shownAt >= interval else { return false }
            shownAt = .now
            return true
        }
        if isDue { write(isTerminal ? "\r\u{1B}[K\(text)" : "\(text)\n") }
    }

    func clear() {
        if isTerminal { write("\r\u{1B}[K") }
    }

    private func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
