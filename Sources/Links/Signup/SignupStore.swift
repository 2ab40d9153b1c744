import Events
import Foundation
package import Graph
import Kernel
package import Postgres
import Rollout
import Web

/// Writes a sign-up in one transaction and one round trip: user, name, period, permanent link, answer and,
/// with an invite, its use, the attribution and both rows of the pair.
package struct SignupStore: Sendable {
    package var db: Database
    package var limits: FriendLimits

    package init(db: Database, limits: FriendLimits) {
        self.db = db
        self.limits = limits
    }

    /// Writes a sign-up. Throws a `SignupError`; then nothing was written.
    func write(_ signup: Signup, _ invitation: SignupInvitation?, ignoring reason: InviteError?)
        async throws
        -> SignupReceipt
    {
        let user = signup.userID
        var statements = [
            UserStore.insert(user, signup.profile, inviteCode: signup.code.text),
            UsernameStore.claim(signup.username.key, for: user),
            UsernameStore.openPeriod(of: signup.username, for: user),
        ]
        statements += InviteStore.addPersonal(signup.code, of: user)
        statements +=
            invitation.map { accept($0, signup) } ?? [
                EventStore.record(.userSignedUp, user, facts: signup.origin.facts)
            ]
        statements.append(
            invitation.map { receipt(signup, $0) } ?? receipt(signup, ignoring: reason))
        do {
            let results = try await db.write.with(key: invitation?.inviterID ?? user).batch(statements)
            guard var receipt = try results.last?.first(SignupReceipt.init(row:)) else {
                throw SignupError.invite(.unproven)
            }
            receipt.link = .init(username: signup.username.text, code: signup.code)
            return receipt
        } catch let error as PostgresError where error.isUniqueViolation && error.statementIndex == 0 {
            throw SignupError.alreadySignedUp
        } catch let error as PostgresError {
            if let outcome = error.outcome(InviteOutcome.self) { throw SignupError.invite(outcome) }
            if error.outcome(FriendError.self) != nil { throw SignupError.limitReached }
            throw error.outcome() == UsernameOutcome.taken ? SignupError.usernameTaken : error
        }
    }

    private func accept(_ invitation: SignupInvitation, _ signup: Signup) -> [Statement] {
        let (user, inviter) = (signup.userID, invitation.inviterID)
        let isAuto = invitation.friendship == .auto
        var statements = [InviteStore.lockInviter(inviter, toMake: invitation.friendship)]
        if let (key, proof) = invitation.name {
            statements.append(UsernameStore.require(key, proof, of: inviter, else: InviteOutcome.unproven))
        }
        if isAuto || !invitation.isLikely {
            statements += FriendStore.requireRoom(for: user, and: inviter, isMutual: isAuto, limits)
        }
        if isAuto && invitation.isLikely {
            statements += FriendStore.requireRoom(for: inviter, and: user, limits)
        }
        if let claim = invitation.claim { statements.append(ClaimStore.use(claim, by: user)) }
        if let code = invitation.code {
            statements.append(InviteStore.use(code, by: user, toMake: invitation.friendship))
        }
        statements.append(InviteStore.attribute(user, to: inviter, code: invitation.code))
        let code: [String: EventFact] = invitation.code.map { ["code": .text($0.text)] } ?? [:]
        statements.append(
            EventStore.record([
                .init(.userSignedUp, user, about: inviter, facts: signup.origin.facts),
                .init(.inviteUsed, inviter, about: user, facts: code),
            ]))
        statements += FriendStore.write(
            .init(uid: signup.uid, wants: invitation.isLikely ? nil : true),
            .init(uid: invitation.inviter, wants: isAuto ? true : nil), limits)
        statements += ExperimentStore.add(
            isAuto && !invitation.isLikely ? [.signup, .friend] : [.signup], of: invitation.unit)
        return statements
    }

    /// Returns the statement that stores the receipt. The result is the pair's relationship by now, since the
    /// inviter may have asked before. The time is never before the inviter's, even after the database's clock
    /// was set back.
    private func receipt(_ signup: Signup, _ invitation: SignupInvitation) -> Statement {
        """
        INSERT INTO signups (user_id, name_key, username, display_name, avatar_url, metadata, outcome, result,
                             link, inviter_uid, inviter_username, inviter_display_name, inviter_avatar_url,
                             inviter_metadata, created_at)
        SELECT \(signup.userID), \(signup.username.key), \(signup.username.text), \(signup.displayName),
               \(signup.avatarUrl), \(signup.metadata?.json), 'accepted',
               CASE WHEN r.since IS NOT NULL THEN 'friends' WHEN r.they_want THEN 'requested'
                    WHEN r.i_want THEN 'incoming' ELSE 'none' END,
               \(signup.origin.link), \(User.Profile.columns("i.")), greatest(now(), i.created_at)
        FROM users i LEFT JOIN relationships r ON r.user_id = i.id AND r.other_id = \(signup.userID)
        WHERE i.id = \(invitation.inviterID)
        RETURNING \(Self.answer)
        """
    }

    private func receipt(_ signup: Signup, ignoring reason: InviteError?) -> Statement {
        """
        INSERT INTO signups (user_id, name_key, username, display_name, avatar_url, metadata, outcome, reason, result,
                             link)
        VALUES (\(signup.userID), \(signup.username.key), \(signup.username.text), \(signup.displayName),
                \(signup.avatarUrl), \(signup.metadata?.json), \(reason == nil ? "none" : "ignored"), \(reason?.rawValue), 'none',
                \(signup.origin.link))
        RETURNING \(Self.answer)
        """
    }

    private static let answer: Statement = """
        username, display_name, avatar_url, metadata, created_at, outcome, reason, result,
        inviter_uid, inviter_username, inviter_display_name, inviter_avatar_url, inviter_metadata
        """

    /// Returns the stored answer of a uid that signed up with this name. An inviter who may not be seen now
    /// looks like one who never existed, as the deletion of an account leaves it. Throws `suspended` or
    /// `deleted` if the account is.
    func receipt(of user: User.ID, name: Username.Key) async throws -> SignupReceipt? {
        let found = try await db.read.first(
            """
            WITH \(InviteStore.absentInviter(of: user))
            SELECT coalesce(s.username, u.username), s.display_name, s.avatar_url, s.metadata,
                   coalesce(s.created_at, u.created_at),
                   coalesce(absent.outcome, s.outcome, 'none'), coalesce(absent.reason, s.reason),
                   coalesce(absent.result, s.result, 'none'), s.inviter_uid, s.inviter_username,
                   s.inviter_display_name, s.inviter_avatar_url, s.inviter_metadata,
                   coalesce(s.name_key = \(name), false), u.status, u.username, u.invite_code
            FROM users u
            LEFT JOIN signups s ON s.user_id = u.id
            LEFT JOIN absent ON absent.user_id = u.id AND s.outcome = 'accepted'
            WHERE u.id = \(user)
            """
        ) { row -> SignupReceipt? in
            var receipt = try SignupReceipt(row: &row)
            let isOfThisName: Bool = try row.next()
            let status = try User.Status(rawValue: row.next())
            let username: String = try row.next()
            receipt.link = try row.next(as: String?.self).map {
                .init(username: username, code: Invite.Code(stored: $0))
            }
            switch status {
            case .active: return isOfThisName ? receipt : nil
            case .suspended: throw SignupError.suspended
            case .deleted, nil: throw SignupError.deleted
            }
        }
        return found ?? nil
    }
}

extension SignupReceipt {
    fileprivate init(row: inout Row) throws {
        username = try row.next()
        displayName = try row.next()
        avatarUrl = try row.next()
        metadata = try row.next(as: String?.self).map(User.Metadata.init(stored:))
        createdAt = try row.next()
        let outcome: String = try row.next()
        let reason: String? = try row.next()
        let friendship = try InviteResult(rawValue: row.next()) ?? .none
        self.outcome =
            switch (outcome, try User.Profile(seen: &row), reason) {
            case ("accepted", let inviter?, _): .accepted(inviter: inviter, friendship)
            case ("ignored", _, let reason?): .ignored(reason: reason)
            default: .none
            }
    }
}
