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

    /// The items whose dangers are accepted.
    var forced: Set<ItemName> { Set(force.compactMap(ItemName.init)) }

    /// Prints what a plan changes, then publishes it.
    /// - Parameters:
    ///   - expected: the revision over which alone it is published. Nil for any.
    ///   - warn: prints warnings of what is wanted.
    ///   - carryOut: publishes it, and returns the number of the publication.
    func publish(
        _ plan: PlanResponse, expecting expected: Int64?, warn: () throws -> Void = {},
        carryOut: () async throws -> Int64
    ) async throws {
        // A command that is repeated has done what it should, whatever the revision is by now.
        guard !plan.lines.isEmpty else { return try say("nothing changes") }
        guard [nil, plan.revision].contains(expected) else {
            throw Failure(
                "the newest revision is \(plan.revision), not \(expected ?? 0): see `kith config history`")
        }
        for line in plan.lines + plan.effects { try say(line) }
        try warn()
        let dangers = plan.needsForce.filter { !force.contains($0.key) }.sorted { $0.key < $1.key }
        guard !dryRun else {
            for (item, danger) in dangers { try say("needs --force \(item): \(danger)") }
            guard dangers.isEmpty else {
                let options = dangers.map { "--force \($0.key)" }.joined(separator: " ")
                throw Failure("nothing was changed: without \(options) it would be refused")
            }
            return try say("nothing was changed: without --dry-run it would be")
        }
        guard dangers.isEmpty else {
            let reasons = dangers.map { "\($0.key): \($0.value): if that is meant, add --force \($0.key)" }
            throw Failure(reasons.joined(separator: "\n"))
        }
        try say("published as \(await carryOut()): servers follow within \(AppsFile.secondsToFollow) seconds")
    }
}
