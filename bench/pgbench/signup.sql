-- One sign-up with the permanent link of a user, as in SignupStore.swift. Of a pair, the row with the smaller user id comes
-- first: (low, high), then (high, low).
BEGIN;
INSERT INTO users (id, uid, username, display_name) VALUES (:id, :uid, :name, NULL);
WITH claim AS (
    INSERT INTO usernames (name_key, user_id, state) VALUES (:name, :id, 'active')
    ON CONFLICT (name_key) DO UPDATE
    SET user_id = excluded.user_id, state = 'active', held_until = NULL, changed_at = excluded.changed_at
    WHERE usernames.user_id = excluded.user_id OR usernames.state = 'released'
       OR (usernames.state = 'held' AND usernames.held_until < excluded.changed_at)
    RETURNING 1)
SELECT require(EXISTS (SELECT FROM claim), 'username_taken');
INSERT INTO username_periods (user_id, name_key, username) VALUES (:id, :name, :name);
WITH inviter AS MATERIALIZED (
    SELECT FROM users u WHERE u.id = :inviter_id AND u.status = 'active' AND u.frozen_at IS NULL
    AND EXISTS (SELECT FROM username_periods p
                WHERE p.user_id = :inviter_id AND p.name_key = :inviter_name AND NOT p.severed)
    FOR NO KEY UPDATE OF u)
SELECT require(EXISTS (SELECT FROM inviter), 'invite_unproven');
WITH mine AS MATERIALIZED (
    SELECT i_want, they_want, i_block, they_block, since
    FROM relationships WHERE user_id = :id AND other_id = :inviter_id)
SELECT require(outcome IS NULL, outcome) FROM (
    SELECT CASE
        WHEN mine.i_block THEN 'unblock_first'
        WHEN mine.they_block AND true THEN 'invite_unproven'
        WHEN mine.since IS NOT NULL THEN NULL
        WHEN (mine.they_want OR true) AND mine.they_block IS NOT TRUE THEN CASE
            WHEN (SELECT count(*) FROM relationships
                  WHERE user_id = :id AND since IS NOT NULL AND NOT they_away)
               + (SELECT count(*) FROM relationships
                  WHERE user_id = :id AND since IS NOT NULL AND they_away) >= 1000
            THEN 'friend_limit_self'
            WHEN (SELECT count(*) FROM relationships
                  WHERE user_id = :inviter_id AND since IS NOT NULL AND NOT they_away)
               + (SELECT count(*) FROM relationships
                  WHERE user_id = :inviter_id AND since IS NOT NULL AND they_away) >= 1000
            THEN 'friend_limit_other' END
        WHEN mine.i_want THEN NULL
        WHEN (SELECT count(*) FROM relationships
              WHERE user_id = :id AND asked_at IS NOT NULL) >= 500
        THEN 'request_limit_self'
        WHEN (SELECT count(*) FROM relationships
              WHERE user_id = :inviter_id AND heard_at IS NOT NULL AND NOT they_away) >= 500
        THEN 'request_limit_other' END AS outcome
    FROM (SELECT) one LEFT JOIN mine ON true) judged;
INSERT INTO acceptances (invitee_id, inviter_id, code) VALUES (:id, :inviter_id, NULL);
INSERT INTO relationships AS r (
    user_id, other_id, other_uid, other_username, other_display_name,
    i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at, changed_in)
SELECT :low_id::uuid, :high_id::uuid, :high_uid, u.username, u.display_name,
       true, true, false, false,
       CASE WHEN true THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN true THEN pg_current_xact_id() ELSE '0' END
FROM (SELECT) one LEFT JOIN users u ON u.id = :high_id AND true
WHERE true OR EXISTS (
    SELECT FROM relationships WHERE user_id = :low_id AND other_id = :high_id)
ON CONFLICT (user_id, other_id) DO UPDATE
SET (i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at,
     quiet_until, declines, touched_at, changed_in, seq, other_username, other_display_name) = (
    SELECT a.i_want, a.they_want, a.i_block, a.they_block, a.since, a.asked_at, a.heard_at, a.blocked_at,
           a.quiet_until, a.declines, excluded.touched_at, a.changed_in, r.seq + 1, u.username, u.display_name
    FROM relationship_after(r, true, NULL, true, NULL,
                            excluded.touched_at, pg_current_xact_id(), '{7,30}') a
    LEFT JOIN users u ON u.id = :high_id AND a.since IS NOT NULL)
WHERE r IS DISTINCT FROM relationship_after(
    r, true, NULL, true, NULL,
    excluded.touched_at, pg_current_xact_id(), '{7,30}');
INSERT INTO relationships AS r (
    user_id, other_id, other_uid, other_username, other_display_name,
    i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at, changed_in)
SELECT :high_id::uuid, :low_id::uuid, :low_uid, u.username, u.display_name,
       true, true, false, false,
       CASE WHEN true THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN true THEN pg_current_xact_id() ELSE '0' END
FROM (SELECT) one LEFT JOIN users u ON u.id = :low_id AND true
WHERE true OR EXISTS (
    SELECT FROM relationships WHERE user_id = :high_id AND other_id = :low_id)
ON CONFLICT (user_id, other_id) DO UPDATE
SET (i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at,
     quiet_until, declines, touched_at, changed_in, seq, other_username, other_display_name) = (
    SELECT a.i_want, a.they_want, a.i_block, a.they_block, a.since, a.asked_at, a.heard_at, a.blocked_at,
           a.quiet_until, a.declines, excluded.touched_at, a.changed_in, r.seq + 1, u.username, u.display_name
    FROM relationship_after(r, true, NULL, true, NULL,
                            excluded.touched_at, pg_current_xact_id(), '{7,30}') a
    LEFT JOIN users u ON u.id = :low_id AND a.since IS NOT NULL)
WHERE r IS DISTINCT FROM relationship_after(
    r, true, NULL, true, NULL,
    excluded.touched_at, pg_current_xact_id(), '{7,30}');
INSERT INTO signups (user_id, name_key, username, display_name, outcome, friendship,
                     inviter_uid, inviter_username, inviter_display_name)
SELECT :id::uuid, :name, :name, NULL, 'accepted', 'friends', i.uid, i.username, i.display_name
FROM users i WHERE i.id = :inviter_id
RETURNING username, display_name, created_at, outcome, reason, friendship,
          inviter_uid, inviter_username, inviter_display_name;
COMMIT;
