import HTTPTypes
import Kernel
import Web

/// Why no code is dealt, or a campaign is not possible as an operator wants it.
enum OfferError: String, ProblemError, GuardOutcome {
    case unknown = "campaign_unknown"
    case empty = "campaign_empty"
    case budgetUsed = "campaign_budget_used"
    /// The campaign is only for users whom a reward gives a code.
    case notEarned = "offer_not_earned"
    /// Codes were imported for another app.
    case otherApp = "campaign_other_app"
    /// A program of rewards gives its codes, and the file of `kith apply` was checked with its app.
    case rewarded = "campaign_rewarded"
    case noSecretsKey = "no_secrets_key"
    /// The code was encrypted with another key.
    case unreadable = "offer_unreadable"
    /// Another import runs on the database.
    case importRunning = "import_running"

    var problem: Problem {
        switch self {
        case .unknown: Problem(.notFound, "campaign_not_found", "There is no such campaign.")
        case .empty: Problem(.conflict, "campaign_empty", "No code of this campaign is left to deal.")
        case .budgetUsed:
            Problem(
                .conflict, "campaign_budget_used",
                "As many codes of this campaign are dealt as may be in this quarter.")
        case .notEarned:
            Problem(
                .conflict, "offer_not_earned",
                "A code of this campaign is a reward, which you have not earned.")
        case .otherApp:
            Problem(
                .conflict, "campaign_has_codes",
                "Codes of another app, offer or environment are in this campaign. Use another key.")
        case .rewarded:
            Problem(
                .conflict, "campaign_rewarded",
                "A program of rewards gives codes of this campaign, so it stays of its app. Use another key, "
                    + "or change both with `kith apply`.")
        case .noSecretsKey:
            Problem(
                .conflict, "no_secrets_key",
                "Set KITH_SECRETS_KEY to 32 random bytes in base64 (`openssl rand -base64 32`) on every server: it "
                    + "encrypts offer codes.")
        case .unreadable:
            Problem(
                .conflict, "offer_unreadable",
                "The codes are encrypted with another KITH_SECRETS_KEY. Set that one again.")
        case .importRunning:
            Problem(
                .conflict, "import_running",
                "Another import runs, or the campaign was changed meanwhile. Nothing was imported: try again."
            )
        }
    }

    /// Whether it says something of one user, or how many may get a code.
    var isOfUser: Bool { [.empty, .budgetUsed, .notEarned].contains(self) }
}
