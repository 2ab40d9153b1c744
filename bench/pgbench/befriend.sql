-- Two become friends: low asks, high accepts. low has the smaller user id.
-- The product's own statements, written by BenchStatementsTests.swift.
BEGIN;
WITH locked AS MATERIALIZED (
    SELECT FROM users WHERE id = :low_id::uuid AND status = 'active' FOR NO KEY UPDATE)
SELECT require(EXISTS (SELECT FROM locked), 'account_inactive'::text);
SELECT FROM users WHERE id = :high_id::uuid FOR NO KEY UPDATE;
WITH pair AS MATERIALIZED (
    SELECT they_want AS i_want, i_want AS they_want, they_block AS i_block, i_block AS they_block,
           since, declines AS their_declines
    FROM relationships WHERE user_id = :high_id::uuid AND other_id = :low_id::uuid),
judged AS MATERIALIZED (
    SELECT CASE
        WHEN i_block THEN 'unblock_first'::text
        WHEN since IS NOT NULL AND NOT EXISTS (
            SELECT FROM relationships WHERE user_id = :low_id::uuid AND other_id = :high_id::uuid AND they_away AND asked_at IS NULL)
        THEN NULL
        WHEN false OR (since IS NULL AND they_want AND NOT they_block) THEN CASE
            WHEN (SELECT count(*) FROM relationships WHERE user_id = :low_id::uuid AND since IS NOT NULL AND NOT they_away)
+ (SELECT count(*) FROM relationships WHERE user_id = :low_id::uuid AND since IS NOT NULL AND they_away) >= 1000 THEN 'friend_limit_self'::text
            WHEN (SELECT count(*) FROM relationships WHERE user_id = :high_id::uuid AND since IS NOT NULL AND NOT they_away)
+ (SELECT count(*) FROM relationships WHERE user_id = :high_id::uuid AND since IS NOT NULL AND they_away) >= 1000 THEN 'friend_limit_other'::text
            WHEN false AND (they_block OR (they_want IS NOT TRUE AND their_declines > 0))
            THEN 'invite_unwelcome'::text END
        WHEN since IS NULL AND i_want THEN NULL
        WHEN (SELECT count(*) FROM relationships
              WHERE user_id = :low_id::uuid AND asked_at IS NOT NULL) >= 500
        THEN 'request_limit_self'::text
        WHEN since IS NULL AND (SELECT count(*) FROM relationships
                                WHERE user_id = :high_id::uuid AND heard_at IS NOT NULL) >= 500
        THEN 'request_limit_other'::text END AS outcome
    FROM (VALUES (1)) one LEFT JOIN pair ON true)
SELECT require(outcome IS NULL, outcome) FROM judged;
INSERT INTO relationships AS r (
    user_id, other_id, other_uid, other_username, other_display_name,
    i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at, changed_in)
SELECT :low_id::uuid, :high_id::uuid, :high_uid::text,
       u.username, u.display_name,
       true, false, false, false,
       CASE WHEN false THEN now() END,
       CASE WHEN true THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN true THEN pg_current_xact_id() ELSE '0' END
FROM (VALUES (1)) one LEFT JOIN users u ON u.id = :high_id::uuid AND false
WHERE true OR EXISTS (
    SELECT FROM relationships WHERE user_id = :low_id::uuid AND other_id = :high_id::uuid)
ON CONFLICT (user_id, other_id) DO UPDATE
SET (i_want, they_want, i_block, they_block, they_away, since, asked_at, heard_at, blocked_at,
     quiet_until, declines, touched_at, changed_in, other_username, other_display_name) = (
    SELECT a.i_want, a.they_want, a.i_block, a.they_block, a.they_away AND a.they_want,
           a.since, a.asked_at, a.heard_at, a.blocked_at,
           a.quiet_until, a.declines, excluded.touched_at, a.changed_in, u.username, u.display_name
    FROM relationship_after(r, true, NULL::bool,
                   CASE WHEN NULL::bool AND r.they_want AND r.since IS NULL AND r.heard_at IS NULL
                             AND (SELECT count(*) FROM relationships
                                  WHERE user_id = :low_id::uuid AND heard_at IS NOT NULL) >= 500
                        THEN NULL ELSE NULL::bool END,
                   NULL::bool, excluded.touched_at, pg_current_xact_id(), '{7,30}'::int8[]) a
LEFT JOIN users u ON u.id = :high_id::uuid AND a.since IS NOT NULL)
WHERE r IS DISTINCT FROM relationship_after(
    r, true, NULL::bool, NULL::bool, NULL::bool,
    excluded.touched_at, pg_current_xact_id(), '{7,30}'::int8[]);
INSERT INTO relationships AS r (
    user_id, other_id, other_uid, other_username, other_display_name,
    i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at, changed_in)
SELECT :high_id::uuid, :low_id::uuid, :low_uid::text,
       u.username, u.display_name,
       false, true, false, false,
       CASE WHEN false THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN true THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN true THEN pg_current_xact_id() ELSE '0' END
FROM (VALUES (1)) one LEFT JOIN users u ON u.id = :low_id::uuid AND false
WHERE true OR EXISTS (
    SELECT FROM relationships WHERE user_id = :high_id::uuid AND other_id = :low_id::uuid)
ON CONFLICT (user_id, other_id) DO UPDATE
SET (i_want, they_want, i_block, they_block, they_away, since, asked_at, heard_at, blocked_at,
     quiet_until, declines, touched_at, changed_in, other_username, other_display_name) = (
    SELECT a.i_want, a.they_want, a.i_block, a.they_block, a.they_away AND a.they_want,
           a.since, a.asked_at, a.heard_at, a.blocked_at,
           a.quiet_until, a.declines, excluded.touched_at, a.changed_in, u.username, u.display_name
    FROM relationship_after(r, NULL::bool, NULL::bool,
                   CASE WHEN true AND r.they_want AND r.since IS NULL AND r.heard_at IS NULL
                             AND (SELECT count(*) FROM relationships
                                  WHERE user_id = :high_id::uuid AND heard_at IS NOT NULL) >= 500
                        THEN NULL ELSE true END,
                   NULL::bool, excluded.touched_at, pg_current_xact_id(), '{7,30}'::int8[]) a
LEFT JOIN users u ON u.id = :low_id::uuid AND a.since IS NOT NULL)
WHERE r IS DISTINCT FROM relationship_after(
    r, NULL::bool, NULL::bool, true, NULL::bool,
    excluded.touched_at, pg_current_xact_id(), '{7,30}'::int8[]);
SELECT i_block, they_block, they_away, since, asked_at, heard_at
FROM relationships WHERE user_id = :low_id::uuid AND other_id = :high_id::uuid;
COMMIT;
BEGIN;
SELECT FROM users WHERE id = :low_id::uuid FOR NO KEY UPDATE;
WITH locked AS MATERIALIZED (
    SELECT FROM users WHERE id = :high_id::uuid AND status = 'active' FOR NO KEY UPDATE)
SELECT require(EXISTS (SELECT FROM locked), 'account_inactive'::text);
WITH pair AS MATERIALIZED (
    SELECT they_want AS i_want, i_want AS they_want, they_block AS i_block, i_block AS they_block,
           since, declines AS their_declines
    FROM relationships WHERE user_id = :low_id::uuid AND other_id = :high_id::uuid),
judged AS MATERIALIZED (
    SELECT CASE
        WHEN i_block THEN 'unblock_first'::text
        WHEN since IS NOT NULL AND NOT EXISTS (
            SELECT FROM relationships WHERE user_id = :high_id::uuid AND other_id = :low_id::uuid AND they_away AND asked_at IS NULL)
        THEN NULL
        WHEN false OR (since IS NULL AND they_want AND NOT they_block) THEN CASE
            WHEN (SELECT count(*) FROM relationships WHERE user_id = :high_id::uuid AND since IS NOT NULL AND NOT they_away)
+ (SELECT count(*) FROM relationships WHERE user_id = :high_id::uuid AND since IS NOT NULL AND they_away) >= 1000 THEN 'friend_limit_self'::text
            WHEN (SELECT count(*) FROM relationships WHERE user_id = :low_id::uuid AND since IS NOT NULL AND NOT they_away)
+ (SELECT count(*) FROM relationships WHERE user_id = :low_id::uuid AND since IS NOT NULL AND they_away) >= 1000 THEN 'friend_limit_other'::text
            WHEN false AND (they_block OR (they_want IS NOT TRUE AND their_declines > 0))
            THEN 'invite_unwelcome'::text END
        WHEN since IS NULL AND i_want THEN NULL
        WHEN (SELECT count(*) FROM relationships
              WHERE user_id = :high_id::uuid AND asked_at IS NOT NULL) >= 500
        THEN 'request_limit_self'::text
        WHEN since IS NULL AND (SELECT count(*) FROM relationships
                                WHERE user_id = :low_id::uuid AND heard_at IS NOT NULL) >= 500
        THEN 'request_limit_other'::text END AS outcome
    FROM (VALUES (1)) one LEFT JOIN pair ON true)
SELECT require(outcome IS NULL, outcome) FROM judged;
INSERT INTO relationships AS r (
    user_id, other_id, other_uid, other_username, other_display_name,
    i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at, changed_in)
SELECT :low_id::uuid, :high_id::uuid, :high_uid::text,
       u.username, u.display_name,
       false, true, false, false,
       CASE WHEN false THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN true THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN true THEN pg_current_xact_id() ELSE '0' END
FROM (VALUES (1)) one LEFT JOIN users u ON u.id = :high_id::uuid AND false
WHERE true OR EXISTS (
    SELECT FROM relationships WHERE user_id = :low_id::uuid AND other_id = :high_id::uuid)
ON CONFLICT (user_id, other_id) DO UPDATE
SET (i_want, they_want, i_block, they_block, they_away, since, asked_at, heard_at, blocked_at,
     quiet_until, declines, touched_at, changed_in, other_username, other_display_name) = (
    SELECT a.i_want, a.they_want, a.i_block, a.they_block, a.they_away AND a.they_want,
           a.since, a.asked_at, a.heard_at, a.blocked_at,
           a.quiet_until, a.declines, excluded.touched_at, a.changed_in, u.username, u.display_name
    FROM relationship_after(r, NULL::bool, NULL::bool,
                   CASE WHEN true AND r.they_want AND r.since IS NULL AND r.heard_at IS NULL
                             AND (SELECT count(*) FROM relationships
                                  WHERE user_id = :low_id::uuid AND heard_at IS NOT NULL) >= 500
                        THEN NULL ELSE true END,
                   NULL::bool, excluded.touched_at, pg_current_xact_id(), '{7,30}'::int8[]) a
LEFT JOIN users u ON u.id = :high_id::uuid AND a.since IS NOT NULL)
WHERE r IS DISTINCT FROM relationship_after(
    r, NULL::bool, NULL::bool, true, NULL::bool,
    excluded.touched_at, pg_current_xact_id(), '{7,30}'::int8[]);
INSERT INTO relationships AS r (
    user_id, other_id, other_uid, other_username, other_display_name,
    i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at, changed_in)
SELECT :high_id::uuid, :low_id::uuid, :low_uid::text,
       u.username, u.display_name,
       true, false, false, false,
       CASE WHEN false THEN now() END,
       CASE WHEN true THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN false THEN now() END,
       CASE WHEN true THEN pg_current_xact_id() ELSE '0' END
FROM (VALUES (1)) one LEFT JOIN users u ON u.id = :low_id::uuid AND false
WHERE true OR EXISTS (
    SELECT FROM relationships WHERE user_id = :high_id::uuid AND other_id = :low_id::uuid)
ON CONFLICT (user_id, other_id) DO UPDATE
SET (i_want, they_want, i_block, they_block, they_away, since, asked_at, heard_at, blocked_at,
     quiet_until, declines, touched_at, changed_in, other_username, other_display_name) = (
    SELECT a.i_want, a.they_want, a.i_block, a.they_block, a.they_away AND a.they_want,
           a.since, a.asked_at, a.heard_at, a.blocked_at,
           a.quiet_until, a.declines, excluded.touched_at, a.changed_in, u.username, u.display_name
    FROM relationship_after(r, true, NULL::bool,
                   CASE WHEN NULL::bool AND r.they_want AND r.since IS NULL AND r.heard_at IS NULL
                             AND (SELECT count(*) FROM relationships
                                  WHERE user_id = :high_id::uuid AND heard_at IS NOT NULL) >= 500
                        THEN NULL ELSE NULL::bool END,
                   NULL::bool, excluded.touched_at, pg_current_xact_id(), '{7,30}'::int8[]) a
LEFT JOIN users u ON u.id = :low_id::uuid AND a.since IS NOT NULL)
WHERE r IS DISTINCT FROM relationship_after(
    r, true, NULL::bool, NULL::bool, NULL::bool,
    excluded.touched_at, pg_current_xact_id(), '{7,30}'::int8[]);
SELECT i_block, they_block, they_away, since, asked_at, heard_at
FROM relationships WHERE user_id = :high_id::uuid AND other_id = :low_id::uuid;
COMMIT;
