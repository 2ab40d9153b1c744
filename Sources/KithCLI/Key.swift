import ArgumentParser
import Foundation
import Kernel
import Postgres

extension APIKey.Scope: ExpressibleByArgument {}

/// `kith key`: API keys of apps, backends and operators.
struct Key: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Create, list and revoke API keys.",
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Create a key and print it, this once only.")

        @Option(help: "What the key is for.")
        var name: String

        @Option(help: "What it may do: client, server, viewer, links, growth, support or admin.")
        var scope: APIKey.Scope

        @Flag(name: .customLong("no-users"), help: "Make a server key that cannot act for users.")
        var actsForNoUsers = false

        @Option(help: ArgumentHelp("Refuse the key after so many days; by default never.", valueName: "days"))
        var expiresIn: Int?

        func validate() throws {
            guard (1...36_500).contains(expiresIn ?? 1) else {
                throw ValidationError("--expires-in must be from 1 to 36500 days")
            }
            guard !actsForNoUsers || scope == .server else {
                throw ValidationError("--no-users is for keys of scope server")
            }
        }

        func run() async throws {
            let db = try await Environment().database()
            let store = APIKeyStore(db: db)
            let key = try await store.create(
                name: name, scope: scope, actsForUsers: !actsForNoUsers, expiresIn: expiresIn,
                by: .thisCommand)
            do {
                try say(key)
            } catch {
                let id = APIKey(key)?.id ?? ""
                let isRevoked = try? await store.revoke(id, by: .thisCommand)
                let outcome = isRevoked == true ? "the key is revoked" : "run `kith key revoke \(id)`"
                throw Failure("\(error.reason); \(outcome)")
            }
            await db.close()
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the keys, without their secrets.")

        func run() async throws {
            let db = try await Environment().database()
            for key in try await APIKeyStore(db: db).list() { try say(Self.line(key)) }
            await db.close()
        }

        static func line(_ key: APIKeyStore.Listed) -> String {
            let used = key.usedAt.map { "used \($0.formatted(.iso8601))" } ?? "never used"
            return
                "\(key.id)  \(scope(of: key.rights))  \(key.createdAt.formatted(.iso8601))  \(state(of: key))  \(used)  "
                + key.name
        }

        private static func scope(of rights: APIKey.Rights) -> String {
            rights.scope == .server && !rights.actsForUsers ? "server (no users)" : rights.scope.rawValue
        }

        private static func state(of key: APIKeyStore.Listed) -> String {
            if let revoked = key.revokedAt { return "revoked \(revoked.formatted(.iso8601))" }
            guard let end = key.expiresAt else { return "in force" }
            return "\(end > Date() ? "expires" : "expired") \(end.formatted(.iso8601))"
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Revoke a key permanently.")

        @Argument(help: "The key's id, as listed.")
        var id: String

        func run() async throws {
            let db = try await Environment().database()
            guard try await APIKeyStore(db: db).revoke(id, by: .thisCommand) else {
                throw Failure("no key \(id) is in force: see `kith key list`")
            }
            try say("revoked \(id)")
            await db.close()
        }
    }
}
