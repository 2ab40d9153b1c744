-- One sign-up with the permanent link of a user, as in SignupStore.swift. The row of a pair with the
-- smaller user id comes first: (low, high), then (high, low).
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
SELECT require(
    (SELECT count(*) FROM relationships WHERE user_id = :inviter_id AND since IS NOT NULL) < 1000
    OR EXISTS (SELECT FROM relationships
               WHERE user_id = :inviter_id AND other_id = :id AND since IS NOT NULL),
    'limit_reached');
INSERT INTO acceptances (invitee_id, inviter_id, code) VALUES (:id, :inviter_id, NULL);
INSERT INTO relationships AS r (user_id, other_id, other_uid, i_want, they_want, since)
VALUES (:low_id, :high_id, :high_uid, true, true, CASE WHEN true THEN now() END)
ON CONFLICT (user_id, other_id) DO UPDATE
SET i_want = r.i_want OR excluded.i_want, they_want = r.they_want OR excluded.they_want,
    since = CASE WHEN (r.i_want OR excluded.i_want) AND (r.they_want OR excluded.they_want)
                 THEN coalesce(r.since, excluded.touched_at) END,
    touched_at = excluded.touched_at, seq = r.seq + 1
WHERE NOT (r.i_block OR r.they_block)
  AND (excluded.i_want AND NOT r.i_want OR excluded.they_want AND NOT r.they_want);
INSERT INTO relationships AS r (user_id, other_id, other_uid, i_want, they_want, since)
VALUES (:high_id, :low_id, :low_uid, true, true, CASE WHEN true THEN now() END)
ON CONFLICT (user_id, other_id) DO UPDATE
SET i_want = r.i_want OR excluded.i_want, they_want = r.they_want OR excluded.they_want,
    since = CASE WHEN (r.i_want OR excluded.i_want) AND (r.they_want OR excluded.they_want)
                 THEN coalesce(r.since, excluded.touched_at) END,
    touched_at = excluded.touched_at, seq = r.seq + 1
WHERE NOT (r.i_block OR r.they_block)
  AND (excluded.i_want AND NOT r.i_want OR excluded.they_want AND NOT r.they_want);
INSERT INTO signups (user_id, name_key, username, display_name, outcome, friendship,
                     inviter_uid, inviter_username, inviter_display_name)
SELECT :id::uuid, :name, :name, NULL, 'accepted', 'friends', i.uid, i.username, i.display_name
FROM users i WHERE i.id = :inviter_id
RETURNING username, display_name, created_at, outcome, reason, friendship,
          inviter_uid, inviter_username, inviter_display_name;
COMMIT;
