-- Two become friends: low asks, high accepts. low has the smaller user id.
-- The product's own statements, written by BenchStatementsTests.swift.
BEGIN;
WITH locked AS MATERIALIZED (
    SELECT id FROM users WHERE id = :low_id::uuid AND status = 'active' FOR NO KEY UPDATE)
SELECT require(EXISTS (SELECT 1 FROM locked), 'account_inactive'::text);
SELECT 1 FROM users WHERE id = :high_id::uuid FOR NO KEY UPDATE;
WITH pair AS MATERIALIZED (
    SELECT i_want, they_want, i_block, they_block, since, they_away AND asked_at IS NULL AS is_hidden
    FROM relationships WHERE user_id = :low_id::uuid AND other_id = :high_id::uuid),
judged AS MATERIALIZED (
    SELECT CASE
        WHEN i_block THEN 'unblock_first'::text
        WHEN since IS NOT NULL AND NOT is_hidden THEN NULL
        WHEN false OR (since IS NULL AND they_want AND NOT they_block) THEN CASE
            WHEN (SELECT count(*) FROM relationships WHERE user_id = :low_id::uuid AND since IS NOT NULL AND NOT they_away)
+ (SELECT count(*) FROM relationships WHERE user_id = :low_id::uuid AND since IS NOT NULL AND they_away) >= 1000 THEN 'friend_limit_self'::text END
        WHEN since IS NULL AND i_want THEN NULL
        WHEN (SELECT count(*) FROM relationships
              WHERE user_id = :low_id::uuid AND asked_at IS NOT NULL) >= 500
        THEN 'request_limit_self'::text END AS outcome
    FROM (VALUES (1)) one LEFT JOIN pair ON true)
SELECT require(outcome IS NULL, outcome) FROM judged;
WITH pair AS MATERIALIZED (
    SELECT they_want AS i_want, i_want AS they_want, i_block AS they_block, since,
           declines > 0 OR ended_at IS NOT NULL AS is_refused
    FROM relationships WHERE user_id = :high_id::uuid AND other_id = :low_id::uuid),
judged AS MATERIALIZED (
    SELECT CASE
        WHEN since IS NOT NULL THEN NULL
        WHEN false OR (they_want AND NOT they_block) THEN CASE
            WHEN (SELECT count(*) FROM relationships WHERE user_id = :high_id::uuid AND since IS NOT NULL AND NOT they_away)
+ (SELECT count(*) FROM relationships WHERE user_id = :high_id::uuid AND since IS NOT NULL AND they_away) >= 1000 THEN 'friend_limit_other'::text
            WHEN false AND (they_block OR (they_want IS NOT TRUE AND is_refused))
            THEN 'invite_unwelcome'::text END
        WHEN i_want THEN NULL
        WHEN (SELECT count(*) FROM relationships
              WHERE user_id = :high_id::uuid AND heard_at IS NOT NULL) >= 500
        THEN 'request_limit_other'::text END AS outcome
    FROM (VALUES (1)) one LEFT JOIN pair ON true)
SELECT require(outcome IS NULL, outcome) FROM judged;
SELECT require_mirror(:low_id::uuid, :high_id::uuid);
SELECT change_relationship(
    :low_id::uuid, :high_id::uuid, :high_uid::text, true, NULL::bool, NULL::bool, NULL::bool,
    now(), 500, '{7,30}'::int8[], true);
SELECT change_relationship(
    :high_id::uuid, :low_id::uuid, :low_uid::text, NULL::bool, NULL::bool, true, NULL::bool,
    now(), 500, '{7,30}'::int8[], true);
SELECT i_block, they_block, they_away, since, asked_at, heard_at
FROM relationships WHERE user_id = :low_id::uuid AND other_id = :high_id::uuid;
COMMIT;
BEGIN;
SELECT 1 FROM users WHERE id = :low_id::uuid FOR NO KEY UPDATE;
WITH locked AS MATERIALIZED (
    SELECT id FROM users WHERE id = :high_id::uuid AND status = 'active' FOR NO KEY UPDATE)
SELECT require(EXISTS (SELECT 1 FROM locked), 'account_inactive'::text);
WITH pair AS MATERIALIZED (
    SELECT i_want, they_want, i_block, they_block, since, they_away AND asked_at IS NULL AS is_hidden
    FROM relationships WHERE user_id = :high_id::uuid AND other_id = :low_id::uuid),
judged AS MATERIALIZED (
    SELECT CASE
        WHEN i_block THEN 'unblock_first'::text
        WHEN since IS NOT NULL AND NOT is_hidden THEN NULL
        WHEN false OR (since IS NULL AND they_want AND NOT they_block) THEN CASE
            WHEN (SELECT count(*) FROM relationships WHERE user_id = :high_id::uuid AND since IS NOT NULL AND NOT they_away)
+ (SELECT count(*) FROM relationships WHERE user_id = :high_id::uuid AND since IS NOT NULL AND they_away) >= 1000 THEN 'friend_limit_self'::text END
        WHEN since IS NULL AND i_want THEN NULL
        WHEN (SELECT count(*) FROM relationships
              WHERE user_id = :high_id::uuid AND asked_at IS NOT NULL) >= 500
        THEN 'request_limit_self'::text END AS outcome
    FROM (VALUES (1)) one LEFT JOIN pair ON true)
SELECT require(outcome IS NULL, outcome) FROM judged;
WITH pair AS MATERIALIZED (
    SELECT they_want AS i_want, i_want AS they_want, i_block AS they_block, since,
           declines > 0 OR ended_at IS NOT NULL AS is_refused
    FROM relationships WHERE user_id = :low_id::uuid AND other_id = :high_id::uuid),
judged AS MATERIALIZED (
    SELECT CASE
        WHEN since IS NOT NULL THEN NULL
        WHEN false OR (they_want AND NOT they_block) THEN CASE
            WHEN (SELECT count(*) FROM relationships WHERE user_id = :low_id::uuid AND since IS NOT NULL AND NOT they_away)
+ (SELECT count(*) FROM relationships WHERE user_id = :low_id::uuid AND since IS NOT NULL AND they_away) >= 1000 THEN 'friend_limit_other'::text
            WHEN false AND (they_block OR (they_want IS NOT TRUE AND is_refused))
            THEN 'invite_unwelcome'::text END
        WHEN i_want THEN NULL
        WHEN (SELECT count(*) FROM relationships
              WHERE user_id = :low_id::uuid AND heard_at IS NOT NULL) >= 500
        THEN 'request_limit_other'::text END AS outcome
    FROM (VALUES (1)) one LEFT JOIN pair ON true)
SELECT require(outcome IS NULL, outcome) FROM judged;
SELECT require_mirror(:high_id::uuid, :low_id::uuid);
SELECT change_relationship(
    :low_id::uuid, :high_id::uuid, :high_uid::text, NULL::bool, NULL::bool, true, NULL::bool,
    now(), 500, '{7,30}'::int8[], true);
SELECT change_relationship(
    :high_id::uuid, :low_id::uuid, :low_uid::text, true, NULL::bool, NULL::bool, NULL::bool,
    now(), 500, '{7,30}'::int8[], true);
SELECT i_block, they_block, they_away, since, asked_at, heard_at
FROM relationships WHERE user_id = :high_id::uuid AND other_id = :low_id::uuid;
COMMIT;
