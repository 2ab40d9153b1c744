package import Kernel
import Web

/// Deletes an account. Tries again if other calls change it at the same instant.
package struct AccountDeletion: Sendable {
    package var users: UserStore
    package var accounts: AccountStore

    package init(users: UserStore, accounts: AccountStore) {
        self.users = users
        self.accounts = accounts
    }

    /// Deletes the account. A second call changes nothing. Throws a 403 if there is no active account, and
    /// `changedMeanwhile` after losing to other changes ten times in a row.
    /// - Parameter act: the operator's act, if an operator deletes the account. Then a suspended account is
    ///   deleted too.
    package func delete(_ user: User.ID, by act: OperatorAct? = nil) async throws {
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
