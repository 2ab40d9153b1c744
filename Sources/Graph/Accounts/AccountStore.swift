import Events
import Foundation
package import Kernel
package import Postgres

/// Suspends, restores and deletes accounts, each in one transaction. A second call changes nothing but the
/// reason of a suspension.
package struct AccountStore: Sendable {
    package var db: Database
    package var limits: FriendLimits
    package var names = UsernamePolicy()
    package let userData: [any UserDataStore.Type]

    package init(
        db: Database, limits: FriendLimits, names: UsernamePolicy = UsernamePolicy(),
        userData: [any UserDataStore.Type]
    ) {
        self.db = db
        self.limits = limits
        self.names = names
        self.userData = userData
    }

    /// The username of deleted accounts, which no user can have.
    package static let noName = "[deleted]"

    /// Hides the user everywhere and keeps everything. Without a reason, that of an earlier call stays. False
    /// if the user does not exist or was deleted.
    func suspend(_ user: User.ID, reason: OperatorReason?, noting act: OperatorAct? = nil) async throws
        -> Bool
    {
        try await change(
            user, act, .userSuspended, if: .active, UserStore.suspend(user, reason: reason?.text))
    }

    /// Returns why the user is suspended, if that is known.
    func suspensionReason(of user: User.ID) async throws -> String? {
        try await db.read.ofPrimary.first(
            "SELECT status_reason FROM users WHERE id = \(user) AND status = 'suspended'"
        ) { try $0.next(as: String?.self) } ?? nil
    }

    /// Shows the user again as before. False if the user does not exist or was deleted.
    func restore(_ user: User.ID, noting act: OperatorAct? = nil) async throws -> Bool {
        try await change(user, act, .userReturned, if: .suspended, UserStore.restore(user))
    }

    private func change(
        _ user: User.ID, _ act: OperatorAct?, _ event: Event.Kind, if status: User.Status,
        _ statement: Statement
    ) async throws -> Bool {
        try await db.write.with(key: user).batch(
            [
                UserStore.waitForImports, Self.lockExisting(user),
                EventStore.record(event, user, if: status), statement, FriendStore.copy(user),
            ] + AuditStore.note(act), unless: Outcome.userNotFound) != nil
    }

    private enum Outcome: String, GuardOutcome {
        case userNotFound = "user_not_found"
    }

    private static func lockExisting(_ user: User.ID) -> Statement {
        """
        WITH locked AS MATERIALIZED (
            SELECT FROM users WHERE id = \(user) AND status <> 'deleted' FOR NO KEY UPDATE)
        SELECT require(EXISTS (SELECT FROM locked), \(Outcome.userNotFound))
        """
    }

    /// Ends every relationship and deletes everything, with two exceptions. The fact stays that this uid had
    /// an account, so nobody gets the uid again, and its names are reserved for a time. Attributions stay, by
    /// the hashes of uids.
    ///
    /// Throws `inactive`, or `changedMeanwhile` if a rename or another deletion came first.
    /// - Parameter act: the act of an operator, who may delete a suspended account too.
    func delete(_ user: User.ID, by act: OperatorAct? = nil) async throws {
        let ending = FriendStore.delete(user, limits)
        let lock =
            act == nil ? UserStore.lockActive(user, else: AccountError.inactive) : Self.lockExisting(user)
        let deletion = deletion(of: user, locking: lock) + AuditStore.note(act)
        do {
            let results = try await db.write.with(key: user).batch(deletion + ending)
            let others = try results[deletion.count].map { try User.ID($0.next()) }
            // The account is deleted by now. If this fails, the next deletion of a friend's account makes up
            // for it.
            try? await FriendStore(db: db).forgetEnds(of: others, limits)
            for store in userData { try? await store.forgetMore(of: user, db) }
        } catch let error as PostgresError {
            if error.outcome() == Outcome.userNotFound { throw AccountError.inactive }
            throw error.outcome(among: AccountError.self)
        }
    }

    private func deletion(of user: User.ID, locking lock: Statement) -> [Statement] {
        [UserStore.waitForImports] + UsernameStore.forgetNames(of: user, names) + [lock]
            + userData.flatMap { $0.forget(user) }
            + [EventStore.record(.userDeleted, user), UserStore.delete(user, leaving: Self.noName)]
    }
}
