import ArgumentParser
import Foundation
import Growth
import Kith
import Postgres
import Web

/// `kith rewards`: what operators see of rewards and decide.
struct Rewards: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rewards", abstract: "List rewards for invites, and decide on them.",
        discussion: """
            docs/rewards.md has the states, and what each decision makes of them. The audit keeps each with its reason.

            Exit codes: 0 if it is done, or was before; 1 if it is refused, with the reason; 2 for wrong usage.
            """,
        subcommands: [List.self, Show.self, Approve.self, Reject.self, ClawBack.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List rewards, newest first; with --state flagged, those that wait for you.")

        @Option(help: "Only those in this state.")
        var state: String?

        @Option(help: "Only those of this program.")
        var program: String?

        @Option(help: "Only those of this user.")
        var uid: String?

        @Option(help: "The most lines.")
        var limit = 100

        func validate() throws {
            guard (1...10_000).contains(limit) else {
                throw ValidationError("--limit must be from 1 to 10000")
            }
        }

        func run() async throws {
            try await RewardOperator.run { review in
                let lines = try await review.lines(program: program, state: state, uid: uid, limit: limit)
                for line in lines { try say(line) }
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a reward, why it is as it is, and its entries in the ledger."
        )

        @Argument(help: "The reward's id, as listed.", transform: RewardOperator.id)
        var id: UUID

        func run() async throws {
            try await RewardOperator.run { review in try say(await review.text(id)) }
        }
    }

    struct Approve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "approve",
            abstract: "Give a reward that waits, or that was rejected, voided or taken back.")

        @OptionGroup var decision: RewardOperator.Options

        func run() async throws { try await decision.carryOut(.approve) }
    }

    struct Reject: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reject", abstract: "End a reward that waits, or make its end by a refund final.")

        @OptionGroup var decision: RewardOperator.Options

        func run() async throws { try await decision.carryOut(.reject) }
    }

    struct ClawBack: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "claw-back",
            abstract: "Take back a reward that was given, or make it final that a refund took it back.")

        @OptionGroup var decision: RewardOperator.Options

        func run() async throws { try await decision.carryOut(.clawBack) }
    }
}

/// Runs work on rewards, and says in plain words why it failed.
enum RewardOperator {
    struct Options: ParsableArguments {
        @Argument(help: "The reward's id, as listed.", transform: RewardOperator.id)
        var id: UUID

        @Option(help: "Why, for the audit: one line without names.")
        var reason: String

        func carryOut(_ decision: OperatorDecision) async throws {
            try await RewardOperator.run { review in
                try say(await review.decide(decision, on: id, reason: reason))
            }
        }
    }

    static func id(_ text: String) throws -> UUID {
        guard let id = UUID(uuidString: text) else {
            throw ValidationError("'\(text)' is no id: see `kith rewards list`")
        }
        return id
    }

    static func run(_ work: (RewardReview) async throws -> Void) async throws {
        let db = try await Environment().database()
        do { try await work(RewardReview(db)) } catch {
            throw Refusal.reason(of: error).map(Failure.init) ?? error
        }
        await db.close()
    }
}
