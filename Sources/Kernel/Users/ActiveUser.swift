import HTTPTypes
package import Web

/// Whether a user may call.
package extension UserStore {
    /// Returns the caller's account. Throws a 403 if they have none, or it is suspended or deleted.
    func requireActive(_ id: User.ID) async throws -> User {
        guard let user = try await findCaller(id) else { throw Problem.notSignedUp }
        if let problem = user.problem { throw problem }
        return user
    }

    /// Returns the caller's account if they have one, for calls that need none. Throws a 403 if it is
    /// suspended or deleted.
    @discardableResult
    func account(of uid: User.UID?) async throws -> User? {
        guard let uid, let user = try await findCaller(User.ID(of: uid)) else { return nil }
        if let problem = user.problem { throw problem }
        return user
    }
}

extension User {
    /// Why the user may not call. Nil if they may.
    fileprivate var problem: Problem? {
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
