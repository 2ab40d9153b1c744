import Web

/// Who may call.
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
