import Testing

/// One way to break each invariant, in the world of `VerifyTests`.
struct BrokenInvariant: Sendable, CustomTestStringConvertible {
    var invariant: String
    var sql: [String]

    var testDescription: String { invariant }

    init(_ invariant: String, _ sql: String...) {
        self.invariant = invariant
        self.sql = sql
    }

    static let all =
        relationships + users + invites + clicks + events + offers + purchases + experiments + rewards

    static let relationships = [
        BrokenInvariant(
            "mirrors_disagree",
            "UPDATE relationships SET they_want = false, heard_at = NULL WHERE \(row("ann", "dan"))"),
        BrokenInvariant("mirrors_disagree", "DELETE FROM relationships WHERE \(row("ann", "dan"))"),
        BrokenInvariant("mirrors_disagree", "DELETE FROM relationships WHERE \(row("eve", "ann"))"),
        BrokenInvariant(
            "mirrors_disagree", "UPDATE relationships SET they_block = false WHERE \(row("eve", "ann"))"),
        BrokenInvariant(
            "mirrors_disagree",
            "INSERT INTO relationships (user_id, other_id, other_uid, i_block, blocked_at) VALUES (user_id('u-dan'), user_id('u-cat'), 'u-cat', true, now())"
        ),
        BrokenInvariant(
            "mirrors_disagree",
            "UPDATE relationships SET i_want = false, they_want = false, since = NULL, other_username = NULL WHERE \(row("ann", "bob"))"
        ),
        BrokenInvariant(
            "friends_since_differ",
            "UPDATE relationships SET since = '2020-01-01Z' WHERE \(row("ann", "bob"))"),
        BrokenInvariant(
            "heard_unasked", "ALTER TABLE relationships DROP CONSTRAINT relationships_asked",
            "UPDATE relationships SET asked_at = NULL WHERE \(row("dan", "ann"))"),
        BrokenInvariant(
            "friendship_inconsistent", "ALTER TABLE relationships DROP CONSTRAINT relationships_since",
            "UPDATE relationships SET since = now(), other_username = '' WHERE \(row("ann", "dan")) OR \(row("dan", "ann"))"
        ),
        BrokenInvariant("stale_profile", "UPDATE users SET display_name = 'B' WHERE uid = 'u-bob'"),
        BrokenInvariant("stale_profile", "UPDATE users SET avatar_url = 'https://a/b' WHERE uid = 'u-bob'"),
        BrokenInvariant(
            "stale_profile",
            "UPDATE relationships SET other_metadata = '{\"a\":\"b\"}' WHERE \(row("ann", "bob"))"),
        BrokenInvariant(
            "stale_profile",
            "UPDATE relationships SET other_username = 'bobby' WHERE \(row("ann", "bob"))"),
        BrokenInvariant(
            "friends_with_the_deleted", "DELETE FROM username_periods WHERE user_id = user_id('u-bob')",
            "UPDATE usernames SET state = 'reserved', user_id = NULL, held_until = NULL WHERE user_id = user_id('u-bob')",
            "DELETE FROM invites WHERE owner_id = user_id('u-bob')",
            "DELETE FROM invites_by_owner WHERE owner_id = user_id('u-bob')",
            "UPDATE users SET status = 'deleted', username = '[deleted]', invite_code = NULL WHERE uid = 'u-bob'"
        ),
        BrokenInvariant("away_unlike_status", "UPDATE users SET status = 'suspended' WHERE uid = 'u-bob'"),
        BrokenInvariant(
            "away_unlike_status", "UPDATE relationships SET they_away = true WHERE \(row("ann", "bob"))"),
        BrokenInvariant(
            "away_unlike_status", "DELETE FROM relationships WHERE \(row("dan", "ann"))",
            "UPDATE relationships SET they_away = true WHERE \(row("ann", "dan"))"),
        BrokenInvariant(
            "other_uid_of_another", "UPDATE relationships SET other_uid = 'x' WHERE \(row("ann", "bob"))"),
        BrokenInvariant("change_beyond_count", "UPDATE relationships SET change = 999999999999"),
        BrokenInvariant(
            "related_to_oneself", "ALTER TABLE relationships DROP CONSTRAINT relationships_self",
            "INSERT INTO relationships (user_id, other_id, other_uid) VALUES (user_id('u-ann'), user_id('u-ann'), 'u-ann')"
        ),
        BrokenInvariant(
            "dismissed_uid_of_another",
            "INSERT INTO dismissals (user_id, other_id, other_uid) VALUES (user_id('u-ann'), user_id('u-eve'), 'x')"
        ),
    ]

    static let users = [
        BrokenInvariant(
            "id_of_another", "ALTER TABLE users DROP CONSTRAINT users_id_of_uid",
            "UPDATE users SET uid = 'x' WHERE uid = 'u-eve'"),
        BrokenInvariant(
            "status_unknown", "ALTER TABLE users DROP CONSTRAINT users_status",
            "UPDATE users SET status = 'asleep' WHERE uid = 'u-eve'"),
        BrokenInvariant(
            "frozen_without_reason", "ALTER TABLE users DROP CONSTRAINT users_frozen",
            "UPDATE users SET frozen_at = now() WHERE uid = 'u-eve'"),
        BrokenInvariant(
            "frozen_without_reason", "ALTER TABLE users DROP CONSTRAINT users_frozen",
            "UPDATE users SET frozen_reason = 'spam' WHERE uid = 'u-eve'"),
        BrokenInvariant("ends_forgotten_beyond_count", "UPDATE users SET ends_forgotten = 5"),
        BrokenInvariant("name_not_active", "UPDATE usernames SET state = 'released' WHERE name_key = 'ann'"),
        BrokenInvariant("name_not_active", "DELETE FROM usernames WHERE name_key = 'ann'"),
        BrokenInvariant(
            "period_not_open", "UPDATE username_periods SET valid_to = now() WHERE name_key = 'ann'"),
        BrokenInvariant("deleted_with_names", "UPDATE users SET status = 'deleted' WHERE uid = 'u-eve'"),
        BrokenInvariant(
            "deleted_with_rows", deleted("eve"),
            "INSERT INTO dismissals (user_id, other_id, other_uid) VALUES (user_id('u-eve'), user_id('u-ann'), 'u-ann')"
        ),
        BrokenInvariant(
            "deleted_with_rows", deleted("eve"),
            "INSERT INTO invites (code, owner_id, kind, revoked_at) VALUES ('evelink', user_id('u-eve'), 'custom', now())",
            """
            INSERT INTO invites_by_owner (owner_id, code, kind, idempotency_key, request_sha256, answer)
            VALUES (user_id('u-eve'), 'evelink', 'custom', 'key', '', '{}')
            """),
        BrokenInvariant(
            "name_of_deleted", deleted("eve"),
            "UPDATE usernames SET user_id = user_id('u-eve') WHERE name_key = 'eve'"),
        BrokenInvariant("invite_code_dead", "UPDATE invites SET revoked_at = now() WHERE kind = 'personal'"),
        BrokenInvariant("invite_code_dead", "UPDATE users SET invite_code = 'none' WHERE uid = 'u-ann'"),
        BrokenInvariant(
            "invite_code_dead",
            "UPDATE users SET invite_code = (SELECT code FROM invites WHERE kind = 'custom') WHERE uid = 'u-ann'"
        ),
        BrokenInvariant(
            "invite_code_dead",
            "UPDATE invites SET owner_id = user_id('u-bob') WHERE code = (SELECT invite_code FROM users WHERE uid = 'u-ann')"
        ),
        BrokenInvariant(
            "periods_overlap", period("ann", "bob", "now() + interval '1 hour', now() + interval '2 hours'")),
        BrokenInvariant("period_of_unknown_name", period("ann", "ghost", "'2020-01-01Z', '2020-01-02Z'")),
        BrokenInvariant(
            "name_of_nobody",
            "INSERT INTO usernames (name_key, user_id, state) VALUES ('ghost', user_id('u-ghost'), 'released')"
        ),
        BrokenInvariant(
            "name_not_current",
            "INSERT INTO usernames (name_key, user_id, state) VALUES ('annie', user_id('u-ann'), 'active')"),
        BrokenInvariant("name_not_current", "UPDATE users SET status = 'deleted' WHERE uid = 'u-eve'"),
        BrokenInvariant(
            "name_had_by_two", period("eve", "ann", "now() + interval '1 hour', now() + interval '2 hours'")),
    ]

    static let invites = [
        BrokenInvariant("uses_miscounted", "UPDATE invites SET uses = 3 WHERE kind = 'custom'"),
        BrokenInvariant("uses_miscounted", "UPDATE invites SET uses = 0 WHERE kind = 'custom'"),
        BrokenInvariant(
            "used_too_often", "ALTER TABLE invites DROP CONSTRAINT invites_uses",
            "UPDATE invites SET max_uses = 0 WHERE kind = 'custom'"),
        BrokenInvariant(
            "used_too_often",
            """
            INSERT INTO invite_uses (code, user_id)
            SELECT code, user_id('u-' || name) FROM invites, unnest(ARRAY['bob', 'dan', 'eve']) name WHERE kind = 'custom'
            """),
        BrokenInvariant(
            "link_of_nobody",
            "INSERT INTO invites (code, owner_id, kind) VALUES ('ghostly', user_id('u-ghost'), 'personal')"),
        BrokenInvariant(
            "link_of_deleted", deleted("eve"),
            """
            INSERT INTO invites (code, owner_id, kind, label) VALUES ('evelink', user_id('u-eve'), 'custom', 'party')
            """,
            "INSERT INTO invites_by_owner (owner_id, code, kind) VALUES (user_id('u-eve'), 'evelink', 'custom')"
        ),
        BrokenInvariant("link_of_deleted", deleted("eve"), eveLink("NULL, NULL, NULL"), eveListed),
        BrokenInvariant("link_of_deleted", deleted("eve"), eveLink("'party', NULL, now()"), eveListed),
        BrokenInvariant("link_of_deleted", deleted("eve"), eveLink("NULL, 'bring cake', now()"), eveListed),
        BrokenInvariant("link_not_listed", "DELETE FROM invites_by_owner WHERE kind = 'custom'"),
        BrokenInvariant(
            "personal_link_astray",
            "INSERT INTO invites (code, owner_id, kind) VALUES ('strayed', user_id('u-ann'), 'personal')"),
        BrokenInvariant(
            "listed_link_astray",
            """
            INSERT INTO invites_by_owner (owner_id, code, kind)
            SELECT user_id('u-bob'), code, kind FROM invites WHERE kind = 'custom'
            """),
        BrokenInvariant(
            "listed_link_astray", "UPDATE invites_by_owner SET kind = 'personal' WHERE kind = 'custom'"),
        BrokenInvariant(
            "listed_link_missing",
            "INSERT INTO invites_by_owner (owner_id, code, kind) VALUES (user_id('u-ann'), 'nowhere', 'custom')"
        ),
        BrokenInvariant(
            "used_by_nobody",
            "INSERT INTO invite_uses (code, user_id) SELECT code, user_id('u-ghost') FROM invites WHERE kind = 'custom'"
        ),
        BrokenInvariant(
            "invited_by_oneself", "ALTER TABLE acceptances DROP CONSTRAINT acceptances_self",
            "UPDATE acceptances SET inviter_id = invitee_id WHERE invitee_id = user_id('u-bob')"),
        BrokenInvariant("joined_without_account", accepted("ghost", "ann")),
        BrokenInvariant(
            "inviter_unknown",
            "UPDATE acceptances SET inviter_id = user_id('u-ghost') WHERE invitee_id = user_id('u-bob')"),
        BrokenInvariant("invited_by_invitee", accepted("ann", "bob")),
        BrokenInvariant(
            "inviter_joined_later",
            "UPDATE users SET created_at = now() + interval '1 hour' WHERE id = user_id('u-ann')"),
        BrokenInvariant(
            "joined_by_link_of_another",
            "UPDATE acceptances SET inviter_id = user_id('u-bob') WHERE invitee_id = user_id('u-cat')"),
        BrokenInvariant("joined_uncounted", "DELETE FROM invite_uses WHERE user_id = user_id('u-cat')"),
        BrokenInvariant(
            "joined_unanswered",
            """
            UPDATE signups SET outcome = 'none', inviter_uid = NULL, inviter_username = NULL
            WHERE user_id = user_id('u-bob')
            """),
        BrokenInvariant(
            "answered_without_account",
            """
            INSERT INTO signups (user_id, name_key, username, outcome, result)
            VALUES (user_id('u-ghost'), 'ghost', 'ghost', 'none', 'none')
            """),
        BrokenInvariant(
            "answered_unattributed", "DELETE FROM acceptances WHERE invitee_id = user_id('u-bob')"),
        BrokenInvariant(
            "install_of_nobody",
            """
            INSERT INTO installs (inviter_id, id, app, platform, name_key, has_uid, expires_at)
            VALUES (user_id('u-ghost'), '00000000-0000-4000-8000-000000000000', 'standard', 'ios', 'ghost', true,
                    now() + interval '1 day')
            """),
        BrokenInvariant(
            "install_of_deleted",
            """
            INSERT INTO installs (inviter_id, id, app, platform, name_key, has_uid, expires_at)
            VALUES (user_id('u-fay'), '00000000-0000-4000-8000-000000000000', 'standard', 'ios', 'fay', true,
                    now() + interval '1 day')
            """, deleted("fay")),
        BrokenInvariant(
            "claimed_unattributed", "UPDATE installs SET invitee_id = user_id('u-eve')"),
        BrokenInvariant(
            "likely_befriended", "UPDATE installs SET confidence = 'likely'",
            "UPDATE signups SET result = 'friends' WHERE user_id = user_id('u-fay')"),
        BrokenInvariant(
            "likely_befriended", "UPDATE installs SET confidence = 'likely'",
            "UPDATE signups SET result = 'requested' WHERE user_id = user_id('u-fay')"),
    ]

    /// Deletes an account, as far as it matters here.
    static func deleted(_ user: String) -> String {
        """
        WITH names AS (UPDATE usernames SET state = 'released', user_id = NULL WHERE user_id = user_id('u-\(user)')),
        periods AS (DELETE FROM username_periods WHERE user_id = user_id('u-\(user)')),
        invites AS (DELETE FROM invites WHERE owner_id = user_id('u-\(user)')),
        listed AS (DELETE FROM invites_by_owner WHERE owner_id = user_id('u-\(user)'))
        UPDATE users SET status = 'deleted', username = '[deleted]', invite_code = NULL WHERE id = user_id('u-\(user)')
        """
    }

    /// - Parameter columns: label, note and the time when it was revoked.
    private static func eveLink(_ columns: String) -> String {
        """
        INSERT INTO invites (code, owner_id, kind, label, note, revoked_at) VALUES ('evelink', user_id('u-eve'), 'custom', \(columns))
        """
    }

    private static let eveListed =
        "INSERT INTO invites_by_owner (owner_id, code, kind) VALUES (user_id('u-eve'), 'evelink', 'custom')"

    private static func row(_ user: String, _ other: String) -> String {
        "(user_id = user_id('u-\(user)') AND other_id = user_id('u-\(other)'))"
    }

    private static func period(_ user: String, _ name: String, _ fromTo: String) -> String {
        """
        INSERT INTO username_periods (user_id, name_key, username, valid_from, valid_to)
        VALUES (user_id('u-\(user)'), '\(name)', '\(name)', \(fromTo))
        """
    }

    private static func accepted(_ invitee: String, _ inviter: String) -> String {
        "INSERT INTO acceptances (invitee_id, inviter_id) VALUES (user_id('u-\(invitee)'), user_id('u-\(inviter)'))"
    }
}
