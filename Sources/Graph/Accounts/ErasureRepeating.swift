package import Kernel

/// Repeats the erasures that a backup has undone, by the lines of `KITH_ERASURE_LOG`.
package struct ErasureRepeating: Sendable {
    let users: UserStore
    let deletion: AccountDeletion
    let store: ErasureStore

    package enum Outcome: Sendable {
        /// The backup had undone the erasure, and it is done again.
        case repeated
        /// The erasure is still in effect.
        case known
        /// The database is older than the account, or the key.
        case unknown
    }

    package init(_ store: ErasureStore, users: UserStore, accounts: AccountStore) {
        (self.store, self.users) = (store, users)
        deletion = AccountDeletion(users: users, accounts: accounts)
    }

    package func take(_ erasure: Erasure) async throws -> Outcome {
        if let id = erasure.deleted { return try await delete(User.ID(id)) }
        guard let key = erasure.revoked else { return .unknown }
        if try await APIKeyStore(db: store.db).revoke(key, by: .thisCommand) { return .repeated }
        return try await store.hasKey(key) ? .known : .unknown
    }

    /// Deletes a user, even a suspended one. The audit says who did it.
    private func delete(_ user: User.ID) async throws -> Outcome {
        guard let status = try await users.find(user)?.status else { return .unknown }
        if status == .deleted { return .known }
        let reason = OperatorReason("deleted since the backup, as KITH_ERASURE_LOG says")
        try await deletion.delete(
            user, by: OperatorAct(by: .thisCommand, kind: .delete, user: user, reason: reason))
        return .repeated
    }
}
