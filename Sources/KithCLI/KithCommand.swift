import ArgumentParser
import Foundation
import Kith
import Postgres
import Web

/// The command `kith`.
@main
struct KithCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kith",
        abstract: "The home of an app's invites and friendships.",
        discussion: """
            Settings come from the environment (KITH_…); `kith serve --check` prints them. Without \
            KITH_DATABASE_URL, all commands except `serve` use the database of the `kith dev` that runs in this folder.
            """,
        version: BuildInfo.line,
        // Each command names itself: deriving the names from types takes 15 ms of every start.
        subcommands: [
            Serve.self, Migrate.self, Dev.self, Token.self, Key.self, PersonCommand.self,
            UsernameCommand.self, Verify.self,
            ImportCommand.self, Export.self, Apply.self, ConfigCommand.self, Restored.self, CheckPreview.self,
            CheckLinks.self, Explain.self, Webhooks.self, Rewards.self, NumbersCommand.self,
            InvitersCommand.self,
        ])

    /// Runs the command. Exit codes: 0 done; 1 failed, with the reason on standard error; 2 wrong usage.
    static func main() async {
        keepStandardDescriptors()
        // The reader of the output may end first. Then `say` throws.
        signal(SIGPIPE, SIG_IGN)
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
        end(0)
    }

    /// Opens closed standard descriptors, read-only. Otherwise the next open, a connection to the database,
    /// would get that number, and output would be written there.
    private static func keepStandardDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDONLY)
        }
    }

    private static func fail(_ message: String, code: Int32) -> Never {
        LogOutput.standardError.write(message.shortLines.visibleLines + "\n")
        end(code)
    }

    /// Ends the process. `exit` would free the tables of OpenSSL, while a connection that is being opened
    /// still uses them.
    private static func end(_ code: Int32) -> Never {
        fflush(nil)
        LogOutput.standardError.flush()
        _exit(code)
    }
}

/// The error of a command. The text says why it failed and what to do next.
struct Failure: Error, CustomStringConvertible {
    let reason: String

    init(_ text: String) {
        reason = text
    }

    var description: String { "kith: \(reason)" }
}

/// Prints lines for people at once, without buffering. Control characters, which somebody may have sent to
/// steer the terminal, are printed visibly.
func say(_ lines: String) throws(Failure) { try put(lines.visibleLines) }

/// Prints data for a file or another program as it is.
func put(_ line: String) throws(Failure) {
    var rest = Array("\(line)\n".utf8)[...]
    while !rest.isEmpty {
        let (written, code) = rest.withUnsafeBytes { bytes in
            (write(STDOUT_FILENO, bytes.baseAddress, bytes.count), errno)
        }
        if written >= 0 {
            rest = rest.dropFirst(written)
        } else if code == EAGAIN {
            // The parent process has set the descriptor to non-blocking. Wait until its reader makes room.
            var waiting = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
            _ = poll(&waiting, 1, -1)
        } else if code != EINTR {
            throw Failure("cannot write to standard output: \(String(cString: strerror(code)))")
        }
    }
}
