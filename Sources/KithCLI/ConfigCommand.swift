import ArgumentParser
import Foundation
import Kernel
import Kith
import Postgres

/// `kith config`: what operators set, and its history.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract:
            "Show apps, policies, values, experiments, offers and rewards, and what was published of them.",
        subcommands: [Show.self, History.self, Diff.self, Revert.self, To.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what is set, as a file for `kith apply`.",
            discussion: "The revision stands in a comment of the first line, for `kith apply --expect`.")

        @Option(help: "Print what was set as of this revision.")
        var revision: Int64?

        func run() async throws {
            try await withPublisher { publisher in
                let state = try await ConfigCommand.state(revision, publisher)
                try put("# revision \(state.revision)\n\(AppsFile.yaml(of: state.sections))")
            }
        }
    }

    struct History: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List what was published, newest first.")

        @Option(help: "How many publications.")
        var limit = 20

        func validate() throws {
            guard (1...1000).contains(limit) else { throw ValidationError("--limit must be from 1 to 1000") }
        }

        func run() async throws {
            try await withPublisher { publisher in
                for one in try await publisher.history.list(before: .max, limit: limit) {
                    let items = one.content.items.map { change in
                        let mark = change.before == nil ? "+" : change.after == nil ? "-" : "~"
                        return mark + change.name.text
                    }
                    let reason = one.content.reason.map { "  \($0.text)" } ?? ""
                    try say(
                        "\(one.number)  \(one.at.formatted(.iso8601))  \(one.content.actor.text)  \(one.content.source.rawValue)  "
                            + items.joined(separator: " ") + reason)
                }
            }
        }
    }

    struct Diff: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what differs between two revisions, a line a field.")

        @Argument(help: "The older revision; 0 is before the first.")
        var from: Int64

        @Argument(help: "The newer revision; by default the newest.")
        var to: Int64?

        func run() async throws {
            try await withPublisher { publisher in
                let one = try await ConfigCommand.state(from, publisher)
                let other = try await ConfigCommand.state(to, publisher)
                let lines = one.sections.lines(to: other.sections)
                for line in lines { try say(line) }
                if lines.isEmpty { try say("nothing differs") }
            }
        }
    }

    struct Revert: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Undo one publication.",
            discussion: "Refused if later ones changed the same items, unless --force names these.")

        @Argument(help: "The number of the publication, as `kith config history` prints it.")
        var number: Int64

        @OptionGroup var options: PublicationOptions

        func run() async throws {
            try await withPublisher { publisher in
                guard let publication = try await publisher.history.publication(number) else {
                    throw ConfigCommand.unknown(number)
                }
                let (plan, later) = try await publisher.reverting(publication)
                let forced = Set(options.force.compactMap(ItemName.init))
                for other in later {
                    guard let item = other.changes(of: publication).first(where: { !forced.contains($0) })
                    else {
                        continue
                    }
                    throw Failure(
                        "publication \(other.number) changed \(item.text) later: revert that one first, or add --force \(item.text)"
                    )
                }
                try await options.publish(plan, from: .revert, publisher)
            }
        }
    }

    struct To: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Go back to what was set as of a revision.")

        @Argument(help: "The revision; 0 is before the first publication.")
        var revision: Int64

        @OptionGroup var options: PublicationOptions

        func run() async throws {
            try await withPublisher { publisher in
                guard let plan = try await publisher.restoring(revision) else {
                    throw ConfigCommand.unknown(revision)
                }
                try await options.publish(plan, from: .restore, publisher)
            }
        }
    }

    /// - Parameter revision: nil for the newest.
    private static func state(_ revision: Int64?, _ publisher: Publisher) async throws -> Publisher.State {
        guard let revision else { return try await publisher.state() }
        guard let state = try await publisher.state(at: revision) else { throw unknown(revision) }
        return state
    }

    private static func unknown(_ number: Int64) -> Failure {
        Failure("there is no publication \(number): see `kith config history`")
    }
}

/// Passes a publisher of the database of the settings.
private func withPublisher(_ body: (Publisher) async throws -> Void) async throws {
    let environment = try Environment()
    let db = try await environment.database()
    try await body(Publisher(db: db, config: environment.config))
    await db.close()
}
