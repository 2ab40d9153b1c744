import Foundation
package import Postgres

/// Statements that change rows of `users`, for the batches of stores that decide it. If one needs a row and
/// finds none, it ends the batch.
package extension UserStore {
    /// Inserts a user. Fails if the uid has signed up before.
    static func insert(_ id: User.ID, _ profile: User.Profile, inviteCode: String) -> Statement {
        """
        INSERT INTO users (id, uid, username, display_name, avatar_url, metadata, invite_code)
        VALUES (\(id), \(profile.uid), \(profile.username), \(profile.displayName), \(profile.avatarUrl),
                \(profile.metadata?.json), \(inviteCode))
        """
    }

    static func rename(_ id: User.ID, to username: String, else outcome: some GuardOutcome) -> Statement {
        """
        WITH renamed AS (
            UPDATE users SET username = \(username), revision = revision + 1
            WHERE id = \(id) AND status = 'active' RETURNING 1)
        SELECT require(EXISTS (SELECT FROM renamed), \(outcome))
        """
    }

    /// Suspends a user. Without a reason, that of an earlier call stays.
    static func suspend(_ id: User.ID, reason: String?) -> Statement {
        """
        UPDATE users SET status = 'suspended',
                         status_reason = coalesce(\(reason), CASE WHEN status = 'suspended' THEN status_reason END),
                         revision = revision + (status <> 'suspended')::int
        WHERE id = \(id)
        """
    }

    static func restore(_ id: User.ID) -> Statement {
        """
        UPDATE users SET status = 'active', status_reason = NULL, revision = revision + 1
        WHERE id = \(id) AND status = 'suspended'
        """
    }

    /// Removes the profile, the code and all settings, for good.
    static func delete(_ id: User.ID, leaving username: String) -> Statement {
        """
        UPDATE users SET status = 'deleted', status_reason = NULL, username = \(username), display_name = NULL, avatar_url = NULL,
                         metadata = NULL, invite_code = NULL, invites = 'auto', frozen_at = NULL,
                         frozen_reason = NULL, profiles_at = NULL, spellings_at = NULL, revision = revision + 1
        WHERE id = \(id)
        """
    }

    /// Numbers the next change of the user's relationships. Later changes have greater numbers.
    static func numberChange(of id: User.ID) -> Statement {
        """
        UPDATE users SET changes = greatest(changes + 1, (extract(epoch FROM now()) * 1000000)::bigint)
        WHERE id = \(id)
        """
    }
}

/// The user's invites.
package extension UserStore {
    /// Gives the user a code. Ends the batch with `outcome` if they already have one, or are not active.
    static func giveCode(_ code: String, to id: User.ID, else outcome: some GuardOutcome) -> Statement {
        """
        WITH given AS (
            UPDATE users SET invite_code = \(code)
            WHERE id = \(id) AND invite_code IS NULL AND status = 'active'
            RETURNING 1)
        SELECT require(EXISTS (SELECT FROM given), \(outcome))
        """
    }

    static func replaceCode(by code: String, of id: User.ID) -> Statement {
        "UPDATE users SET invite_code = \(code) WHERE id = \(id)"
    }

    /// Freezes a user. One who is already frozen stays as they are.
    static func freeze(_ id: User.ID, reason: String) -> Statement {
        """
        UPDATE users SET frozen_at = now(), frozen_reason = \(reason)
        WHERE id = \(id) AND frozen_at IS NULL AND status <> 'deleted'
        """
    }

    /// Changes why a user is frozen.
    static func explainFreezing(of id: User.ID, by reason: String) -> Statement {
        "UPDATE users SET frozen_reason = \(reason) WHERE id = \(id) AND frozen_at IS NOT NULL"
    }

    static func unfreeze(_ id: User.ID) -> Statement {
        "UPDATE users SET frozen_at = NULL, frozen_reason = NULL WHERE id = \(id) AND frozen_at IS NOT NULL"
    }
}
