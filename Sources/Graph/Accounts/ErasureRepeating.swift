package import Kernel

/// Does again what a backup has undone, by the lines of `KITH_ERASURE_LOG`.
package struct ErasureRepeating: Sendable {
    let users: UserStore
    let deletion: AccountDeletion
    let store: ErasureStore

    package enum Outcome: Sendable {
        /// It was not so, and is again.
        case repeated
        /// It is so.
        case known
        /// The database is of before the account, or the key.
        case unknown
    }

    package init(_ store: ErasureStore, users: UserStore, accounts: AccountStore) {
        (self.store, self.users) = (store, users)
        deletion = AccountDeletion(users: users, accounts: accounts)
    }

    package func take(_ erasure: Erasure) async throws -> Outcome {
        if let id = erasure.deleted { return try await delete(User.ID(id)) }
        guard let key = erasure.revoked else { return .unknown }
        if try await APIKeyStore(db: store.db).revoke(key) { return .repeated }
        return try await store.hasKey(key) ? .known : .unknown
    }

    /// Also of a user who is suspended. The audit says who did it.
    private func delete(_ user: User.ID) async throws -> Outcome {
        guard let status = try await users.find(user)?.status else { return .unknown }
        if status == .deleted { return .known }
        let reason = OperatorReason("deleted since the backup, as KITH_ERASURE_LOG says")
        try await deletion.delete(
            user, by: OperatorAct(key: "kith restored", kind: .delete, user: user, reason: reason))
        return .repeated
    }
}
