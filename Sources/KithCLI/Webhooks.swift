import ArgumentParser
import Foundation
import Kith
import Postgres
import Web
import Webhooks

/// `kith webhooks`: manages the endpoints of backends that get events.
struct Webhooks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks", abstract: "Tell backends what happens.",
        discussion: "Errors say which setting is missing. docs/webhooks.md says how to take events.",
        subcommands: [
            List.self, Create.self, Delete.self, Rotate.self, Resume.self, Redeliver.self, ListenCommand.self,
        ])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the webhooks, and how they fare.")

        func run() async throws {
            try await WebhookOperator.run { setup in
                for webhook in try await setup.list() {
                    let error = webhook.lastError.map { "  \($0)" } ?? ""
                    try say(
                        "\(webhook.id.uuidString.lowercased())  \(webhook.state)  \(webhook.waiting) waiting  \(webhook.dead) dead  "
                            + "\(webhook.url)\(error)")
                }
            }
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a webhook and print its id and its secret, this once only.")

        @Argument(help: "Where events are posted to.")
        var url: String

        @Option(
            help: "Types of events, separated by commas, as in docs/events.md. Without it all usual ones.")
        var types: String?

        func run() async throws {
            try await WebhookOperator.run { setup in
                let created = try await setup.create(
                    url: url, types: types?.split(separator: ",").map(String.init))
                let id = created.id.uuidString.lowercased()
                do throws(Failure) {
                    try say("\(id)  \(created.secret)")
                } catch {
                    try? await setup.delete(created.id)
                    throw Failure("\(error.reason); there is no webhook")
                }
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete a webhook, and all that waits for it.")

        @Argument(help: "The webhook's id, as listed.", transform: WebhookOperator.id)
        var id: UUID

        func run() async throws {
            try await WebhookOperator.run { setup in
                try await setup.delete(id)
                try say("deleted \(id.uuidString.lowercased())")
            }
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Give a webhook a new secret, and print it. The old one signs, too, for a day.")

        @Argument(help: "The webhook's id, as listed.", transform: WebhookOperator.id)
        var id: UUID

        func run() async throws {
            try await WebhookOperator.run { setup in try say(try await setup.rotate(id).secret) }
        }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resume", abstract: "Deliver again to a webhook that is paused or fails.")

        @Argument(help: "The webhook's id, as listed.", transform: WebhookOperator.id)
        var id: UUID

        func run() async throws {
            try await WebhookOperator.run { setup in
                try await setup.change(id, isPaused: false)
                try say("resumed \(id.uuidString.lowercased())")
            }
        }
    }
}

/// Runs work on webhooks, and says in plain words why it failed.
enum WebhookOperator {
    static func id(_ text: String) throws -> UUID {
        guard let id = UUID(uuidString: text) else {
            throw ValidationError("'\(text)' is no id: see `kith webhooks list`")
        }
        return id
    }

    static func run(_ work: (WebhookSetup) async throws -> Void) async throws {
        let environment = try Environment()
        let db = try await environment.database()
        do {
            try await work(WebhookSetup(db, environment.config))
        } catch {
            throw Refusal.reason(of: error).map(Failure.init) ?? error
        }
        await db.close()
    }
}
