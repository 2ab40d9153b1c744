-- One sign-up by the permanent link of a user. The row with the smaller user id comes first.
-- The product's own statements, written by BenchStatementsTests.swift.
BEGIN;
INSERT INTO users (id, uid, username, display_name, avatar_url, metadata, invite_code)
VALUES (:id::uuid, :uid::text, :name::text, NULL::text, NULL::text,
        NULL::text, :code::text);
WITH claim AS (
    INSERT INTO usernames (name_key, user_id, state) VALUES (:name::text, :id::uuid, 'active')
    ON CONFLICT (name_key) DO UPDATE
    SET user_id = excluded.user_id, state = 'active', held_until = NULL, changed_at = excluded.changed_at
    WHERE usernames.user_id = excluded.user_id OR usernames.state = 'released'
       OR usernames.held_until < excluded.changed_at
    RETURNING 1)
SELECT require(EXISTS (SELECT FROM claim), 'username_taken'::text);
INSERT INTO username_periods (user_id, name_key, username)
VALUES (:id::uuid, :name::text, :name::text);
INSERT INTO invites_by_owner (owner_id, code, kind, idempotency_key, request_sha256, answer)
VALUES (:id::uuid, :code::text, 'personal'::text, NULL::text, NULL, NULL);
INSERT INTO invites (code, owner_id, kind) VALUES (:code::text, :id::uuid, 'personal');
WITH locked AS MATERIALIZED (
    SELECT CASE WHEN frozen_at IS NULL THEN invites ELSE 'off' END AS invites FROM users WHERE id = :inviter_id::uuid AND status = 'active' FOR NO KEY UPDATE)
SELECT require(EXISTS (SELECT 1 FROM locked WHERE invites <> 'off'), 'invite_unproven'::text),
       require(false OR EXISTS (SELECT 1 FROM locked WHERE invites = 'auto'),
               'invite_unwelcome'::text);
SELECT require(coalesce((
    SELECT NOT severed FROM username_periods WHERE user_id = :inviter_id::uuid AND name_key = :inviter_name::text
    ORDER BY valid_from DESC LIMIT 1), false), 'invite_unproven'::text);
WITH pair AS MATERIALIZED (
    SELECT i_want, they_want, i_block, they_block, since, they_away AND asked_at IS NULL AS is_hidden
    FROM relationships WHERE user_id = :id::uuid AND other_id = :inviter_id::uuid),
judged AS MATERIALIZED (
    SELECT CASE
        WHEN i_block THEN 'unblock_first'::text
        WHEN since IS NOT NULL AND NOT is_hidden THEN NULL
        WHEN true OR (since IS NULL AND they_want AND NOT they_block) THEN CASE
            WHEN (SELECT count(*) FROM relationships WHERE user_id = :id::uuid AND since IS NOT NULL AND NOT they_away)
+ (SELECT count(*) FROM relationships WHERE user_id = :id::uuid AND since IS NOT NULL AND they_away) >= 1000 THEN 'friend_limit_self'::text END
        WHEN since IS NULL AND i_want THEN NULL
        WHEN (SELECT count(*) FROM relationships
              WHERE user_id = :id::uuid AND asked_at IS NOT NULL) >= 500
        THEN 'request_limit_self'::text END AS outcome
    FROM (VALUES (1)) one LEFT JOIN pair ON true)
SELECT require(outcome IS NULL, outcome) FROM judged;
WITH pair AS MATERIALIZED (
    SELECT they_want AS i_want, i_want AS they_want, i_block AS they_block, since,
           declines > 0 OR ended_at IS NOT NULL AS is_refused
    FROM relationships WHERE user_id = :inviter_id::uuid AND other_id = :id::uuid),
judged AS MATERIALIZED (
    SELECT CASE
        WHEN since IS NOT NULL THEN NULL
        WHEN true OR (they_want AND NOT they_block) THEN CASE
            WHEN (SELECT count(*) FROM relationships WHERE user_id = :inviter_id::uuid AND since IS NOT NULL AND NOT they_away)
+ (SELECT count(*) FROM relationships WHERE user_id = :inviter_id::uuid AND since IS NOT NULL AND they_away) >= 1000 THEN 'friend_limit_other'::text
            WHEN true AND (they_block OR (they_want IS NOT TRUE AND is_refused))
            THEN 'invite_unwelcome'::text END
        WHEN i_want THEN NULL
        WHEN (SELECT count(*) FROM relationships
              WHERE user_id = :inviter_id::uuid AND heard_at IS NOT NULL) >= 500
        THEN 'request_limit_other'::text END AS outcome
    FROM (VALUES (1)) one LEFT JOIN pair ON true)
SELECT require(outcome IS NULL, outcome) FROM judged;
INSERT INTO acceptances (invitee_id, inviter_id, code)
VALUES (:id::uuid, :inviter_id::uuid, NULL::text);
INSERT INTO outbox (user_id, type, other_id, facts)
VALUES (:id::uuid, 'user.signed_up'::text, :inviter_id::uuid, '{"app":"standard"}'::text), (:inviter_id::uuid, 'invite.used'::text, :id::uuid, NULL::text);
SELECT change_relationship(
    :low_id::uuid, :high_id::uuid, :high_uid::text, true, NULL::bool, true, NULL::bool,
    now(), 500, '{7,30}'::int8[], true);
SELECT change_relationship(
    :high_id::uuid, :low_id::uuid, :low_uid::text, true, NULL::bool, true, NULL::bool,
    now(), 500, '{7,30}'::int8[], true);
INSERT INTO signups (user_id, name_key, username, display_name, avatar_url, metadata, outcome, result,
                     link, inviter_uid, inviter_username, inviter_display_name, inviter_avatar_url,
                     inviter_metadata, created_at)
SELECT :id::uuid, :name::text, :name::text, NULL::text,
       NULL::text, NULL::text, 'accepted',
       CASE WHEN r.since IS NOT NULL THEN 'friends' WHEN r.they_want THEN 'requested'
            WHEN r.i_want THEN 'incoming' ELSE 'none' END,
       NULL::text, i.uid, i.username, i.display_name, i.avatar_url, i.metadata, greatest(now(), i.created_at)
FROM users i LEFT JOIN relationships r ON r.user_id = i.id AND r.other_id = :id::uuid
WHERE i.id = :inviter_id::uuid
RETURNING username, display_name, avatar_url, metadata, created_at, outcome, reason, result,
inviter_uid, inviter_username, inviter_display_name, inviter_avatar_url, inviter_metadata;
COMMIT;
