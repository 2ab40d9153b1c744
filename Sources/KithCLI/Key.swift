public import ArgumentParser
import Foundation
public import Kith
import Postgres

extension APIKey.Scope: ExpressibleByArgument {}

/// `kith key`: the keys that backends call with.
struct Key: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make, list and revoke API keys.", subcommands: [Create.self, List.self, Revoke.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Make a key. It is shown this once.")

        @Option(help: "What it is for.")
        var name: String

        @Option(help: "client, server or admin.")
        var scope: APIKey.Scope

        func run() async throws {
            let db = try Environment().database()
            let key = try await APIKeyStore(db: db).create(name: name, scope: scope)
            say(key)
            await db.close()
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the keys, without their secrets.")

        func run() async throws {
            let db = try Environment().database()
            for key in try await APIKeyStore(db: db).list() {
                let state = key.revokedAt.map { "revoked \($0.formatted(.iso8601))" } ?? "in force"
                say(
                    "\(key.id)  \(key.scope.rawValue)  \(key.createdAt.formatted(.iso8601))  \(state)  \(key.name)"
                )
            }
            await db.close()
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Revoke a key, at once and for ever.")

        @Argument(help: "Its id, as listed.")
        var id: String

        func run() async throws {
            let db = try Environment().database()
            guard try await APIKeyStore(db: db).revoke(id) else {
                throw Failure("there is no key \(id) in force: see `kith key list`")
            }
            say("revoked \(id)")
            await db.close()
        }
    }
}
