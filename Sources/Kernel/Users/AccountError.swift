/// Why a change of an account is refused. Then nothing was written.
package enum AccountError: String, Error, GuardOutcome {
    /// The account is not active.
    case inactive = "account_inactive"
    /// Other calls were changing the account at the same time.
    case changedMeanwhile = "changed_meanwhile"
}
