import ArgumentParser
import Graph
import Kith
import Postgres

/// `kith username`: frees usernames that nobody has now.
struct UsernameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "username", abstract: "Free usernames that nobody has now.", subcommands: [Release.self])

    struct Release: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "release",
            abstract: "Free a username that is held for its last owner, or reserved after a deletion.",
            discussion: """
                Then anybody may take it. Old links still lead where they led: those of its last owner to \
                them, those of a deleted account nowhere. A username that somebody has now is refused.

                Exit codes: 0 if the username is free; 1 if somebody has it, the settings reserve it, or the \
                database cannot be reached; 2 for wrong usage or an invalid username.
                """)

        @Argument(help: "The username, in any case.")
        var name: String

        func run() async throws {
            let environment = try Environment()
            let db = try await environment.database()
            switch try await UsernameReleaseStore(db, environment.config).release(name) {
            case .released:
                try say("released \(name): anybody may take it now, unless the settings refuse it")
            case .free: try say("\(name) was already free")
            case .unknown: try say("nobody ever had \(name): it is free")
            case .active: throw Failure("somebody has the username \(name) now, and only they can give it up")
            case .reserved:
                throw Failure("\(name) is reserved by Kith or KITH_USERNAME_RESERVED; nobody had it")
            case .malformed(let reason): throw ValidationError("'\(name)' cannot be a username: \(reason)")
            }
            await db.close()
        }
    }
}
