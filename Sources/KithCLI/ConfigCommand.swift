import ArgumentParser
import Foundation
import Kernel
import Kith

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

        @OptionGroup var place: ConfigPlaceOptions

        func run() async throws {
            try await place.withPlace { place in
                let state = try await place.state(revision)
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

        @OptionGroup var place: ConfigPlaceOptions

        func run() async throws {
            try await place.withPlace { place in
                for one in try await place.history(limit) {
                    let reason = one.reason.map { "  \($0)" } ?? ""
                    try say(
                        "\(one.number)  \(one.at.formatted(.iso8601))  \(one.actor)  \(one.source)  "
                            + one.items.joined(separator: " ") + reason)
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

        @OptionGroup var place: ConfigPlaceOptions

        func run() async throws {
            try await place.withPlace { place in
                let (one, other) = try await (place.state(from), place.state(to))
                let lines = one.sections.lines(to: other.sections)
                for line in lines { try say(line) }
                if lines.isEmpty { try say("nothing differs") }
            }
        }
    }

    struct Revert: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Undo one publication.",
            discussion:
                "Refused if items are neither as it made them nor as they were before, unless --force names these."
        )

        @Argument(help: "The number of the publication, as `kith config history` prints it.")
        var number: Int64

        @OptionGroup var options: PublicationOptions
        @OptionGroup var place: ConfigPlaceOptions

        func validate() throws { try place.validate(options) }

        func run() async throws { try await place.withPlace { try await $0.revert(number, options) } }
    }

    struct To: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Go back to what was set as of a revision.")

        @Argument(help: "The revision; 0 is before the first publication.")
        var revision: Int64

        @Option(
            help: ArgumentHelp(
                "A section or an item that goes back, such as values or policies.minimum; may be repeated. By default all.",
                valueName: "name"))
        var only: [String] = []

        @OptionGroup var options: PublicationOptions
        @OptionGroup var place: ConfigPlaceOptions

        func validate() throws {
            for name in only where !AppliedSections.isPlace(name) {
                throw ValidationError(
                    "--only names a section or an item, such as values or policies.minimum, not '\(name)'")
            }
            try place.validate(options)
        }

        func run() async throws {
            try await place.withPlace { try await $0.restore(revision, only: only, options) }
        }
    }
}
