-- Two users become friends, as in FriendStore.swift: low asks, high accepts; low has the smaller user id.
BEGIN;
WITH locked AS MATERIALIZED (
    SELECT FROM users WHERE id = :low_id AND status = 'active' FOR NO KEY UPDATE)
SELECT require(EXISTS (SELECT FROM locked), 'caller_inactive');
SELECT FROM users WHERE id = :high_id FOR NO KEY UPDATE;
WITH mine AS MATERIALIZED (
    SELECT i_want, they_want, i_block, they_block, since
    FROM relationships WHERE user_id = :low_id AND other_id = :high_id)
SELECT require(outcome IS NULL, outcome) FROM (
    SELECT CASE
        WHEN mine.i_block THEN 'unblock_first'
        WHEN mine.they_block AND false THEN 'invite_unproven'
        WHEN mine.since IS NOT NULL THEN NULL
        WHEN (mine.they_want OR false) AND mine.they_block IS NOT TRUE THEN CASE
            WHEN (SELECT count(*) FROM relationships
                  WHERE user_id = :low_id AND since IS NOT NULL AND NOT they_away)
               + (SELECT count(*) FROM relationships
                  WHERE user_id = :low_id AND since IS NOT NULL AND they_away) >= 1000
            THEN 'friend_limit_self'
            WHEN (SELECT count(*) FROM relationships
                  WHERE user_id = :high_id AND since IS NOT NULL AND NOT they_away)
               + (SELECT count(*) FROM relationships
                  WHERE user_id = :high_id AND since IS NOT NULL AND they_away) >= 1000
            THEN 'friend_limit_other' END
        WHEN mine.i_want THEN NULL
        WHEN (SELECT count(*) FROM relationships
              WHERE user_id = :low_id AND asked_at IS NOT NULL) >= 500
        THEN 'request_limit_self'
        WHEN (SELECT count(*) FROM relationships
              WHERE user_id = :high_id AND heard_at IS NOT NULL) >= 500
        THEN 'request_limit_other' END AS outcome
    FROM (SELECT) one LEFT JOIN mine ON true) judged;
INSERT INTO relationships AS r (
    user_id, other_id, other_uid, other_username, other_display_name,
    i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at, changed_in)
SELECT :low_id::uuid, :high_id::uuid, :high_uid, u.username, u.display_name,
       true, false, false, false,
       CASE WHEN false THEN now() END,
       CASE WHEN true THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN true THEN pg_current_xact_id() ELSE '0' END
FROM (SELECT) one LEFT JOIN users u ON u.id = :high_id AND false
WHERE true OR EXISTS (
    SELECT FROM relationships WHERE user_id = :low_id AND other_id = :high_id)
ON CONFLICT (user_id, other_id) DO UPDATE
SET (i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at,
     quiet_until, declines, touched_at, changed_in, seq, other_username, other_display_name) = (
    SELECT a.i_want, a.they_want, a.i_block, a.they_block, a.since, a.asked_at, a.heard_at, a.blocked_at,
           a.quiet_until, a.declines, excluded.touched_at, a.changed_in, r.seq + 1, u.username, u.display_name
    FROM relationship_after(r, true, NULL, NULL, NULL,
                            excluded.touched_at, pg_current_xact_id(), '{7,30}') a
    LEFT JOIN users u ON u.id = :high_id AND a.since IS NOT NULL)
WHERE r IS DISTINCT FROM relationship_after(
    r, true, NULL, NULL, NULL,
    excluded.touched_at, pg_current_xact_id(), '{7,30}');
INSERT INTO relationships AS r (
    user_id, other_id, other_uid, other_username, other_display_name,
    i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at, changed_in)
SELECT :high_id::uuid, :low_id::uuid, :low_uid, u.username, u.display_name,
       false, true, false, false,
       CASE WHEN false THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN true THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN true THEN pg_current_xact_id() ELSE '0' END
FROM (SELECT) one LEFT JOIN users u ON u.id = :low_id AND false
WHERE true OR EXISTS (
    SELECT FROM relationships WHERE user_id = :high_id AND other_id = :low_id)
ON CONFLICT (user_id, other_id) DO UPDATE
SET (i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at,
     quiet_until, declines, touched_at, changed_in, seq, other_username, other_display_name) = (
    SELECT a.i_want, a.they_want, a.i_block, a.they_block, a.since, a.asked_at, a.heard_at, a.blocked_at,
           a.quiet_until, a.declines, excluded.touched_at, a.changed_in, r.seq + 1, u.username, u.display_name
    FROM relationship_after(r, NULL, NULL, true, NULL,
                            excluded.touched_at, pg_current_xact_id(), '{7,30}') a
    LEFT JOIN users u ON u.id = :low_id AND a.since IS NOT NULL)
WHERE r IS DISTINCT FROM relationship_after(
    r, NULL, NULL, true, NULL,
    excluded.touched_at, pg_current_xact_id(), '{7,30}');
SELECT i_block, they_block, they_away, since, asked_at, heard_at
FROM relationships WHERE user_id = :low_id AND other_id = :high_id;
COMMIT;
BEGIN;
SELECT FROM users WHERE id = :low_id FOR NO KEY UPDATE;
WITH locked AS MATERIALIZED (
    SELECT FROM users WHERE id = :high_id AND status = 'active' FOR NO KEY UPDATE)
SELECT require(EXISTS (SELECT FROM locked), 'caller_inactive');
WITH mine AS MATERIALIZED (
    SELECT i_want, they_want, i_block, they_block, since
    FROM relationships WHERE user_id = :high_id AND other_id = :low_id)
SELECT require(outcome IS NULL, outcome) FROM (
    SELECT CASE
        WHEN mine.i_block THEN 'unblock_first'
        WHEN mine.they_block AND false THEN 'invite_unproven'
        WHEN mine.since IS NOT NULL THEN NULL
        WHEN (mine.they_want OR false) AND mine.they_block IS NOT TRUE THEN CASE
            WHEN (SELECT count(*) FROM relationships
                  WHERE user_id = :high_id AND since IS NOT NULL AND NOT they_away)
               + (SELECT count(*) FROM relationships
                  WHERE user_id = :high_id AND since IS NOT NULL AND they_away) >= 1000
            THEN 'friend_limit_self'
            WHEN (SELECT count(*) FROM relationships
                  WHERE user_id = :low_id AND since IS NOT NULL AND NOT they_away)
               + (SELECT count(*) FROM relationships
                  WHERE user_id = :low_id AND since IS NOT NULL AND they_away) >= 1000
            THEN 'friend_limit_other' END
        WHEN mine.i_want THEN NULL
        WHEN (SELECT count(*) FROM relationships
              WHERE user_id = :high_id AND asked_at IS NOT NULL) >= 500
        THEN 'request_limit_self'
        WHEN (SELECT count(*) FROM relationships
              WHERE user_id = :low_id AND heard_at IS NOT NULL) >= 500
        THEN 'request_limit_other' END AS outcome
    FROM (SELECT) one LEFT JOIN mine ON true) judged;
INSERT INTO relationships AS r (
    user_id, other_id, other_uid, other_username, other_display_name,
    i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at, changed_in)
SELECT :low_id::uuid, :high_id::uuid, :high_uid, u.username, u.display_name,
       false, true, false, false,
       CASE WHEN false THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN true THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN true THEN pg_current_xact_id() ELSE '0' END
FROM (SELECT) one LEFT JOIN users u ON u.id = :high_id AND false
WHERE true OR EXISTS (
    SELECT FROM relationships WHERE user_id = :low_id AND other_id = :high_id)
ON CONFLICT (user_id, other_id) DO UPDATE
SET (i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at,
     quiet_until, declines, touched_at, changed_in, seq, other_username, other_display_name) = (
    SELECT a.i_want, a.they_want, a.i_block, a.they_block, a.since, a.asked_at, a.heard_at, a.blocked_at,
           a.quiet_until, a.declines, excluded.touched_at, a.changed_in, r.seq + 1, u.username, u.display_name
    FROM relationship_after(r, NULL, NULL, true, NULL,
                            excluded.touched_at, pg_current_xact_id(), '{7,30}') a
    LEFT JOIN users u ON u.id = :high_id AND a.since IS NOT NULL)
WHERE r IS DISTINCT FROM relationship_after(
    r, NULL, NULL, true, NULL,
    excluded.touched_at, pg_current_xact_id(), '{7,30}');
INSERT INTO relationships AS r (
    user_id, other_id, other_uid, other_username, other_display_name,
    i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at, changed_in)
SELECT :high_id::uuid, :low_id::uuid, :low_uid, u.username, u.display_name,
       true, false, false, false,
       CASE WHEN false THEN now() END,
       CASE WHEN true THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN true THEN pg_current_xact_id() ELSE '0' END
FROM (SELECT) one LEFT JOIN users u ON u.id = :low_id AND false
WHERE true OR EXISTS (
    SELECT FROM relationships WHERE user_id = :high_id AND other_id = :low_id)
ON CONFLICT (user_id, other_id) DO UPDATE
SET (i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at,
     quiet_until, declines, touched_at, changed_in, seq, other_username, other_display_name) = (
    SELECT a.i_want, a.they_want, a.i_block, a.they_block, a.since, a.asked_at, a.heard_at, a.blocked_at,
           a.quiet_until, a.declines, excluded.touched_at, a.changed_in, r.seq + 1, u.username, u.display_name
    FROM relationship_after(r, true, NULL, NULL, NULL,
                            excluded.touched_at, pg_current_xact_id(), '{7,30}') a
    LEFT JOIN users u ON u.id = :low_id AND a.since IS NOT NULL)
WHERE r IS DISTINCT FROM relationship_after(
    r, true, NULL, NULL, NULL,
    excluded.touched_at, pg_current_xact_id(), '{7,30}');
SELECT i_block, they_block, they_away, since, asked_at, heard_at
FROM relationships WHERE user_id = :high_id AND other_id = :low_id;
COMMIT;
