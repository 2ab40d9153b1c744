import ArgumentParser
import Foundation
import Kernel
import Kith

/// The options of the commands that publish.
struct PublicationOptions: ParsableArguments {
    @Flag(help: "Only print what would change.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "Publish although people would lose something by the change of this item; may be repeated.",
            valueName: "item"))
    var force: [String] = []

    @Option(help: "Why, in one line, for the history.")
    var reason: String?

    func validate() throws {
        for item in force where ItemName(item) == nil {
            throw ValidationError("--force names an item, such as policies.minimum, not '\(item)'")
        }
        if let reason, OperatorReason(reason) == nil {
            throw ValidationError("--reason must be one line of 1 to 500 characters")
        }
    }

    /// Prints what a plan changes, then publishes it.
    /// - Parameter warn: prints warnings of what is wanted.
    func publish(
        _ plan: Publisher.Plan, from source: Publication.Source, _ publisher: Publisher,
        warn: () throws -> Void = {}
    ) async throws {
        guard plan.section.mistakes.isEmpty else {
            throw Failure(plan.section.mistakes.joined(separator: "\n"))
        }
        for line in plan.section.lines + plan.section.effects { try say(line) }
        guard !plan.section.items.isEmpty else { return try say("nothing changes") }
        try warn()
        let dangers = plan.section.dangers(without: Set(force.compactMap(ItemName.init)))
        guard !dryRun else {
            for (item, danger) in dangers { try say("needs --force \(item.text): \(danger)") }
            return try say("nothing was changed: without --dry-run it would be")
        }
        guard dangers.isEmpty else {
            let reasons = dangers.map {
                "\($0.item.text): \($0.danger): if that is meant, add --force \($0.item.text)"
            }
            throw Failure(reasons.joined(separator: "\n"))
        }
        let number = try await publisher.publish(
            plan, by: .thisCommand, from: source, reason.flatMap(OperatorReason.init))
        guard let number else {
            throw Failure(
                "somebody published meanwhile, and nothing was changed: run it again to see what changes now")
        }
        try say("published as \(number): servers follow within \(AppsFile.secondsToFollow) seconds")
    }
}
