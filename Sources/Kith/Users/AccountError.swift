/// Why something is not done to an account; then nothing was written.
enum AccountError: String, Error, GuardOutcome {
    /// The account is not active.
    case inactive = "account_inactive"
    /// The account was being changed by other calls at this instant.
    case changedMeanwhile = "changed_meanwhile"
}
