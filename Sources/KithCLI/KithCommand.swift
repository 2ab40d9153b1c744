import ArgumentParser
import Foundation
import Kith
import Postgres

/// The command `kith`.
@main
struct KithCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kith",
        abstract: "The home of an app's invites and friendships.",
        discussion: "Settings come from the environment (KITH_…); `kith serve --check` shows them.",
        subcommands: [
            Serve.self, Migrate.self, Dev.self, Token.self, Key.self, UsernameCommand.self, Verify.self,
            ImportCommand.self,
        ])

    /// Exit codes: 0 done, 1 failed with one line on standard error, 2 wrong usage.
    static func main() async {
        atexit { LogOutput.standardError.flush() }
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as Failure {
            fail(error.description, code: 1)
        } catch let error where Self.exitCode(for: error) == .success {
            exit(withError: error)
        } catch let error where Self.exitCode(for: error) == .validationFailure || error is ValidationError {
            fail(Self.fullMessage(for: error), code: 2)
        } catch let error as PostgresError {
            fail("kith: \(error.debugDescription)", code: 1)
        } catch {
            fail("kith: \(error)", code: 1)
        }
    }

    private static func fail(_ message: String, code: Int32) -> Never {
        LogOutput.standardError.write(message + "\n")
        Foundation.exit(code)
    }
}

/// A command could not do its work; the text says why and what to do next.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ text: String) {
        description = "kith: \(text)"
    }
}

/// Prints a line that is seen at once, also where output goes to a file.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
