import ArgumentParser
import Foundation
import Kith
import Webhooks

extension Webhooks {
    /// `kith webhooks redeliver`: sends events again.
    struct Redeliver: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "redeliver", abstract: "Send events to a webhook again.")

        @Argument(help: "The webhook's id, as listed.", transform: WebhookOperator.id)
        var id: UUID

        @Option(help: "One event, by its id.")
        var event: Int64?

        @Option(help: "All events since a time that are still kept, as in 2026-11-21T09:30:00Z.")
        var since: String?

        @Flag(help: "All that it did not take in three days.")
        var dead = false

        private var sinceDate: Date? { since.flatMap { try? Date($0, strategy: .iso8601) } }

        func validate() throws {
            guard [event != nil, since != nil, dead].count(where: { $0 }) == 1 else {
                throw ValidationError("name one of --event, --since and --dead")
            }
            if since != nil, sinceDate == nil {
                throw ValidationError("--since must be as in 2026-11-21T09:30:00Z")
            }
        }

        func run() async throws {
            try await WebhookOperator.run { setup in
                if let event {
                    try await setup.redeliver(id, event: event)
                    try say("event \(event) will be sent again")
                } else if let sinceDate {
                    try await setup.redeliver(id, since: sinceDate)
                    try say("all events since then will be sent again")
                } else {
                    try say("\(try await setup.redeliverDead(id)) events will be sent again")
                }
            }
        }
    }

    /// `kith webhooks listen`: takes events on this machine.
    struct ListenCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "listen",
            abstract:
                "For development: take events on this machine, and say of each whether its signature holds.",
            discussion: """
                Kith posts to this machine only with KITH_WEBHOOK_PRIVATE_ADDRESSES=allow. A line begins with signed, forged, \
                unsigned, old, or, without --secret, unchecked; then come the event's id and, if it is signed or unchecked, its \
                body. All others get a 401.
                """)

        @Option(help: "The port; 0 for any that is free.")
        var port = 9000

        @Option(help: "The webhook's secret, whsec_…")
        var secret: String?

        @Option(help: "End after so many events.")
        var count: Int?

        func validate() throws {
            guard (0...65535).contains(port) else {
                throw ValidationError("--port must be from 0 to 65535")
            }
        }

        func run() async throws {
            guard let listener = WebhookListener(secret: secret, logger: try Environment().logger) else {
                throw ValidationError("--secret must be as `kith webhooks create` printed it, whsec_…")
            }
            try await listener.run(
                port: port, count: count,
                begun: { port in
                    FileHandle.standardError.write(
                        Data("kith: listening at http://127.0.0.1:\(port)/\n".utf8))
                },
                tell: { try? say($0) })
        }
    }
}
