import HTTPTypes

/// Why a reward does not become what somebody wants it to be.
enum RewardError: String, ProblemError, GuardOutcome {
    case unknown = "reward_unknown"
    case unknownProgram = "program_unknown"
    /// It has another state than the call needs, or got one meanwhile.
    case changed = "reward_changed"
    /// The inviter has as many as they may have.
    case capReached = "reward_cap"
    /// The program gave as much as it may today.
    case dayUsed = "reward_day_used"
    /// The program gave as much as it may ever.
    case budgetUsed = "reward_budget_used"
    /// The user has a code of the campaign, or is about to get it.
    case offerHad = "reward_offer_had"
    case balanceTooLow = "balance_too_low"
    /// The id was used for another amount or unit.
    case spendReused = "spend_reused"

    /// Of two who change a reward at once one comes too late, and has nothing to do.
    static func ignoringChanges(_ work: () async throws -> Void) async throws {
        do { try await work() } catch RewardError.changed {}
    }

    var problem: Problem {
        switch self {
        case .unknown: Problem(.notFound, "reward_not_found", "There is no such reward.")
        case .unknownProgram: Problem(.notFound, "program_not_found", "There is no such program.")
        case .changed:
            Problem(.conflict, "reward_state", "A reward in this state cannot become that. Read it again.")
        case .capReached, .dayUsed, .budgetUsed:
            Problem(
                .conflict, "reward_budget_used",
                "The program has given as much as it may, of this day or ever. Raise the budget, and apply it."
            )
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
