-- Creates friendships among the users of load.sql: `psql -v users=N -v rows=M -f graph.sql` makes about M rows, two a pair.
-- Degrees follow a power law with exponent 2.5, up to the limit of 1,000. A third of all friendships are within communities
-- of 500, so that friends of friends are friends more often than by chance. With `-v each=D` every user has D friends
-- instead.
\set ON_ERROR_STOP on
SET work_mem = '3GB';
SET maintenance_work_mem = '2GB';
-- The planner has no statistics of computed pairs: by default it hashes and loops, but sorting is ten times faster.
SET enable_hashagg = off;
SET enable_nestloop = off;
SET jit = off;

-- Numbers people in the order of their ids, so that pairs can be sorted by integers.
CREATE UNLOGGED TABLE bench.ids AS
SELECT row_number() OVER (ORDER BY id) - 1 AS at, id, uid, username, display_name FROM users;
ANALYZE bench.ids;

-- A place is a rank by number of friends, best connected first. The prime spreads the places, so that neighbours by rank or
-- community are not near one another on disk.
CREATE FUNCTION bench.at(place bigint, users bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
    RETURN place * 2147483647 % users;
-- The share of all users who are better connected than a random end of a random friendship; x is from 0 to 1. s squared is
-- the ratio of the least number of friends to the greatest; users who would exceed the greatest get equal shares.
CREATE FUNCTION bench.share(x float8, s float8) RETURNS float8 LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN x * (3 - 2 * s) < s THEN s * s * x * (3 - 2 * s) ELSE ((x * (3 - 2 * s) + 2 * s) / 3) ^ 3 END;

CREATE UNLOGGED TABLE bench.pairs (a bigint NOT NULL, b bigint NOT NULL);
\if :{?each}
INSERT INTO bench.pairs
SELECT bench.at(place, :users), bench.at((place + step) % :users, :users)
FROM generate_series(0, :users - 1) place, generate_series(1, :each / 2) step;
\else
-- Some pairs are drawn twice, most often those of the best connected: so draw a few more, and more than 1,000 of theirs.
SELECT :rows::bigint * 52 / 100 AS drawn \gset
WITH RECURSIVE narrowed AS (
    SELECT 0.1::float8 AS s, 1 AS turn
    UNION ALL SELECT sqrt(:drawn * 2.0 / :users / 1040 / (3 - 2 * s)), turn + 1 FROM narrowed WHERE turn < 20)
SELECT s, greatest(1, :users / 500) AS communities FROM narrowed WHERE turn = 20 \gset
INSERT INTO bench.pairs
SELECT bench.at(a, :users), bench.at(b, :users)
FROM (SELECT CASE WHEN community < :communities
                  THEN floor(bench.share(x, :s) * (:users / :communities))::bigint * :communities + community
                  ELSE floor(bench.share(x, :s) * :users)::bigint END AS a,
             CASE WHEN community < :communities
                  THEN floor(bench.share(y, :s) * (:users / :communities))::bigint * :communities + community
                  ELSE floor(bench.share(y, :s) * :users)::bigint END AS b
      FROM (SELECT random() AS x, random() AS y, floor(random() * :communities * 3)::bigint AS community
            FROM generate_series(1, :drawn)) drawn) ends
WHERE a <> b;
\endif
ANALYZE bench.pairs;
\echo friendships drawn

-- Fills the empty table without indexes, in the order of its key, and then creates the indexes of the schema.
BEGIN;
TRUNCATE relationships;
CREATE TEMP TABLE indexes ON COMMIT DROP AS
SELECT indexrelid::regclass::text AS name, conname AS constraint_name,
       coalesce('ALTER TABLE relationships ADD CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(c.oid),
                pg_get_indexdef(indexrelid)) AS definition
FROM pg_index LEFT JOIN pg_constraint c ON c.conindid = indexrelid AND c.contype = 'p'
WHERE indrelid = 'relationships'::regclass;
SELECT coalesce('ALTER TABLE relationships DROP CONSTRAINT ' || constraint_name, 'DROP INDEX ' || name) FROM indexes \gexec

INSERT INTO relationships (
    user_id, other_id, other_uid, other_username, other_display_name, i_want, they_want, since, touched_at)
SELECT me.id, other.id, other.uid, other.username, other.display_name, true, true, rows.since, rows.since
FROM (SELECT pair >> 32 AS mine, pair & 4294967295 AS others,
             -- A random second of the last two years, the same in both rows.
             now() - (hashint8(greatest(pair, (pair & 4294967295) << 32 | pair >> 32)) & 67108863) * interval '1 second' AS since
      FROM (SELECT DISTINCT pair FROM (
                SELECT a << 32 | b AS pair FROM bench.pairs UNION ALL SELECT b << 32 | a FROM bench.pairs) both_ways
            ORDER BY pair) sorted) rows
JOIN bench.ids me ON me.at = mine JOIN bench.ids other ON other.at = others;
\echo relationships loaded
SELECT definition FROM indexes \gexec
COMMIT;
DROP TABLE bench.pairs;
\echo indexes built
