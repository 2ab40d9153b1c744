import ArgumentParser
import Console
import Foundation
import Kernel
import Kith
import Postgres
import Web

extension Role: ExpressibleByArgument {}

extension EmailAddress: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

/// `kith person`: people who sign in at the console.
struct PersonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "person", abstract: "Add, list and remove people who sign in at the console.",
        subcommands: [
            Add.self, List.self, Roles.self, Remove.self, Link.self, SignOut.self,
        ])

    /// A person, and the roles that they get.
    struct WithRoles: ParsableArguments {
        @Argument(help: "Their mail address.")
        var email: EmailAddress

        @Option(
            name: .customLong("role"),
            help: "What they may do: viewer, links, growth, support or admin. May be given several times.")
        var roles: [Role]

        func validate() throws {
            guard !roles.isEmpty else { throw ValidationError("name at least one --role") }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add a person, and print a link with which they sign in once.",
            discussion:
                "Somebody who is there already gets exactly these roles: a first line says what they had.")

        @OptionGroup var person: WithRoles

        func run() async throws {
            let environment = try Environment()
            let console = try PersonCommand.console(environment)
            let db = try await environment.database()
            let people = PersonStore(db: db)
            let change = try await people.set(
                person.email, roles: Set(person.roles), by: .thisCommand, at: Date())
            if let former = change.formerRoles { try say(Self.line(change, former)) }
            try await PersonCommand.printLink(for: person.email, people, console)
            await db.close()
        }

        /// Says what became different for somebody who was there already.
        private static func line(_ change: PersonStore.Change, _ former: Set<Role>) -> String {
            let (email, roles) = (change.person.email.text, change.person.roles)
            guard roles != former else { return "\(email) was there already, with these roles" }
            return "\(email) is now \(roles.names.joined(separator: ", ")); "
                + "was \(former.names.joined(separator: ", ")); \(change.endedSessions) sessions ended"
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List who may sign in, with their roles.")

        func run() async throws {
            let db = try await Environment().database()
            let sessions = Dictionary(
                grouping: try await SessionStore(db: db).list(at: Date()), by: \.person)
            for person in try await PersonStore(db: db).list() {
                let count = sessions[person.id]?.count ?? 0
                try say(
                    "\(person.email.text)  \(person.roles.names.joined(separator: ","))  \(person.createdAt.formatted(.iso8601))  "
                        + "\(count) sessions\(person.isByRule ? "  by rule" : "")")
            }
            await db.close()
        }
    }

    struct Roles: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "roles", abstract: "Give a person exactly these roles, which ends their sessions.")

        @OptionGroup var person: WithRoles

        func run() async throws {
            let db = try await Environment().database()
            let people = PersonStore(db: db)
            guard let known = try await people.find(person.email), known.removedAt == nil else {
                throw PersonCommand.unknown(person.email)
            }
            let set = try await people.set(
                person.email, roles: Set(person.roles), by: .thisCommand, at: Date())
            try say("\(person.email.text) is now \(set.person.roles.names.joined(separator: ", "))")
            await db.close()
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a person, and sign them out everywhere.",
            discussion:
                "Whoever was removed is let in by no rule of KITH_CONSOLE_ROLES, until they are added again."
        )

        @Argument(help: "Their mail address.")
        var email: EmailAddress

        func run() async throws {
            let db = try await Environment().database()
            do {
                try await PersonStore(db: db).remove(email, by: .thisCommand, at: Date())
            } catch PersonError.unknown { throw PersonCommand.unknown(email) }
            try say("removed \(email.text)")
            await db.close()
        }
    }

    struct Link: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "link", abstract: "Print a link with which a person signs in once.")

        @Argument(help: "Their mail address.")
        var email: EmailAddress

        func run() async throws {
            let environment = try Environment()
            let console = try PersonCommand.console(environment)
            let db = try await environment.database()
            try await PersonCommand.printLink(for: email, PersonStore(db: db), console)
            await db.close()
        }
    }

    struct SignOut: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-out", abstract: "End all sessions of a person, or everybody's.",
            discussion: "Links to sign in that nobody used no longer work, either.")

        @Argument(help: "Their mail address.")
        var email: EmailAddress?

        @Flag(help: "Sign everybody out.")
        var all = false

        func validate() throws {
            guard all == (email == nil) else { throw ValidationError("name one mail address, or --all") }
        }

        func run() async throws {
            let db = try await Environment().database()
            if let email {
                do {
                    let count = try await PersonStore(db: db).signOut(email, by: .thisCommand, at: Date())
                    try say("\(count) sessions of \(email.text) ended")
                } catch PersonError.unknown { throw PersonCommand.unknown(email) }
            } else {
                let count = try await SessionStore(db: db).endAll(by: .thisCommand, at: Date())
                try say("everybody must sign in at the console anew: \(count) sessions ended")
            }
            await db.close()
        }
    }

    private static func console(_ environment: Environment) throws -> String {
        guard let url = environment.config.console.url else {
            throw Failure("KITH_CONSOLE_URL is not set: nobody can sign in, so nothing was done")
        }
        return url
    }

    private static func printLink(for email: EmailAddress, _ people: PersonStore, _ console: String)
        async throws
    {
        do {
            let link = try await people.makeLink(for: email, by: .thisCommand, world: .live)
            try say(link.secret.signInURL(at: console))
        } catch PersonError.unknown { throw unknown(email) }
    }

    private static func unknown(_ email: EmailAddress) -> Failure {
        Failure("nobody with the address \(email.text) may sign in: see `kith person list`")
    }
}
