/// Deletes an account: tries again if other calls change it at the same instant.
struct AccountDeletion: Sendable {
    var users: UserStore
    var accounts: AccountStore

    /// A second call changes nothing. Throws a 403 if there is no active account, and `changedMeanwhile` after losing to other
    /// changes ten times in a row.
    /// - Parameter act: that of an operator, if one deletes it; a suspended account is deleted then, too.
    func delete(_ user: User.ID, by act: OperatorAct? = nil) async throws {
        for _ in 0..<10 {
            let status = try await users.find(user)?.status
            if status == .deleted { return }
            if act == nil || status == nil { _ = try await users.requireActive(user) }
            do {
                return try await accounts.delete(user, by: act)
            } catch AccountError.changedMeanwhile, AccountError.inactive {
                continue
            }
        }
        throw Problem.changedMeanwhile
    }
}
