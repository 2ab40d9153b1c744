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
        discussion: """
            Settings come from the environment (KITH_…); `kith serve --check` shows them. Without \
            KITH_DATABASE_URL all commands but `serve` use the database of the `kith dev` that runs in this folder.
            """,
        subcommands: [
            Serve.self, Migrate.self, Dev.self, Token.self, Key.self, UsernameCommand.self, Verify.self,
            ImportCommand.self,
        ])

    /// Exit codes: 0 done, 1 failed with one line on standard error, 2 wrong usage.
    static func main() async {
        keepStandardDescriptors()
        // What reads the output may end first: `say` tells so.
        signal(SIGPIPE, SIG_IGN)
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
            fail("kith: \(error.explanation)\(error.advice.map { "\nkith: \($0)" } ?? "")", code: 1)
        } catch {
            fail("kith: \(error)", code: 1)
        }
    }

    /// One that is closed would be taken by the next that is opened, a connection to the database: what is said
    /// would go there. These cannot be written to.
    private static func keepStandardDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDONLY)
        }
    }

    private static func fail(_ message: String, code: Int32) -> Never {
        LogOutput.standardError.write(message + "\n")
        Foundation.exit(code)
    }
}

/// A command could not do its work; the text says why and what to do next.
struct Failure: Error, CustomStringConvertible {
    let reason: String

    init(_ text: String) {
        reason = text
    }

    var description: String { "kith: \(reason)" }
}

/// Prints a line that is seen at once, also where output goes to a file.
func say(_ line: String) throws(Failure) {
    var rest = Array("\(line)\n".utf8)[...]
    while !rest.isEmpty {
        let (written, code) = rest.withUnsafeBytes { bytes in
            (write(STDOUT_FILENO, bytes.baseAddress, bytes.count), errno)
        }
        if written >= 0 {
            rest = rest.dropFirst(written)
        } else if code == EAGAIN {
            // Whoever gave the descriptor set it so; it takes more as soon as somebody reads.
            var waiting = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
            _ = poll(&waiting, 1, -1)
        } else if code != EINTR {
            throw Failure("standard output cannot be written: \(String(cString: strerror(code)))")
        }
    }
}
