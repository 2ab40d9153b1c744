import HTTPTypes
import Kernel
import Web

/// Why a reward does not get the state that somebody wants.
enum RewardError: String, ProblemError, GuardOutcome {
    case unknown = "reward_unknown"
    case unknownProgram = "program_unknown"
    /// The reward got another state meanwhile.
    case changed = "reward_changed"
    /// An operator's act would change nothing, or cannot be carried out.
    case given = "reward_given"
    case notGiven = "reward_not_given"
    case ended = "reward_ended"
    case userAway = "reward_user_away"
    /// The program is no longer applied, or gives that side something else.
    case programGone = "program_gone"
    /// The inviter has as many rewards as they may have.
    case capReached = "reward_cap"
    /// The program gave as much as it may in a day.
    case dayUsed = "reward_day_used"
    /// The program gave as much as it may ever give.
    case budgetUsed = "reward_budget_used"
    /// The user has a code of the campaign, or is about to get one.
    case offerHad = "reward_offer_had"
    case balanceTooLow = "balance_too_low"
    /// The id was used for another amount or unit.
    case spendReused = "spend_reused"

    /// Does the work. If two change a reward at once, one comes too late, and has nothing to do.
    static func ignoringChanges(_ work: () async throws -> Void) async throws {
        do { try await work() } catch RewardError.changed {}
    }

    private static func refusal(_ reason: String) -> Problem { Problem(.conflict, "reward_state", reason) }

    var problem: Problem {
        switch self {
        case .unknown: Problem(.notFound, "reward_not_found", "There is no such reward.")
        case .unknownProgram: Problem(.notFound, "program_not_found", "There is no such program.")
        case .changed: Self.refusal("The reward changed meanwhile. Read it again.")
        case .given:
            Self.refusal(
                "It was given already. To take it back decide `claw_back` (`kith rewards claw-back`); of what a refund took back that "
                    + "makes the end final.")
        case .notGiven:
            Self.refusal("It was never given, so nothing can be taken back: `reject` ends what waits.")
        case .ended:
            Self.refusal(
                "It has ended, and nothing but `approve` brings it back; of an expired code nothing.")
        case .userAway:
            Self.refusal("Its user is suspended or has deleted their account, so nothing can be given.")
        case .programGone:
            Self.refusal(
                "Its program is applied no more, or gives that side something else, so nobody knows its budget. Apply it again: an "
                    + "`until` that has passed keeps it from making new ones."
            )
        case .dayUsed:
            Problem(
                .conflict, "reward_budget_used",
                "The program has given as many as `perDay` lets it today. Raise that, and apply it, or wait.")
        case .capReached, .budgetUsed:
            Problem(
                .conflict, "reward_budget_used",
                "The program has given as much as its budget lets it ever. Raise the budget, and apply it.")
        case .offerHad:
            Problem(
                .conflict, "reward_offer_had", "The user has a code of this campaign already: they get one.")
        case .balanceTooLow: Problem(.conflict, "balance_too_low", "The user has less than this.")
        case .spendReused:
            Problem(
                .unprocessableContent, "spend_reused",
                "`id` was used to spend another amount or unit of this user. Use a new one.", field: "id")
        }
    }
}
