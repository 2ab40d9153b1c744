import HTTPTypes
package import Web

extension User {
    /// Why the user may not call. Nil if they may.
    var problem: Problem? {
        switch status {
        case .active: nil
        case .suspended: .suspended
        case .deleted: .accountDeleted
        }
    }
}

extension Problem {
    static let notSignedUp = Problem(
        .forbidden, "not_signed_up", "Complete the sign-up first: POST /v1/signup.")
    package static let changedMeanwhile = Problem(
        .conflict, "changed_meanwhile", "The account is being changed by other calls at this instant.")
    package static let suspended = Problem(.forbidden, "account_suspended", "This account is suspended.")
    package static let accountDeleted = Problem(
        .forbidden, "account_deleted", "This account was deleted. The same uid never gets another one.")
}
