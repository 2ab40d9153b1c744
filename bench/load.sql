-- Loads the data to measure: `psql -v users=N -f load.sql` on a fresh schema. Every tenth user has been renamed.
\set ON_ERROR_STOP on
-- Foreign keys hold by construction; checking a million of them would double the loading time.
SET session_replication_role = replica;
SET synchronous_commit = off;

CREATE SCHEMA bench;
CREATE UNLOGGED TABLE bench.people AS
SELECT n, n % 10 = 0 AS renamed, uid, user_id(uid) AS id,
       'user' || lpad(n::text, 7, '0') AS username, 'old' || lpad(n::text, 7, '0') AS old_name,
       CASE WHEN n % 10 = 0 THEN left(encode(sha256(('code' || n)::bytea), 'hex'), 16) END AS code
FROM (SELECT n, 'u' || lpad(n::text, 7, '0') AS uid FROM generate_series(1, :users) n) named;
\echo people drawn

INSERT INTO users (id, uid, username, display_name, invite_code, created_at)
SELECT id, uid, username, 'User ' || n, code, now() - interval '1 year' FROM bench.people;
\echo users loaded

INSERT INTO usernames (name_key, user_id, state)
SELECT username, id, 'active' FROM bench.people
UNION ALL
SELECT old_name, id, 'released' FROM bench.people WHERE renamed;
\echo usernames loaded

INSERT INTO username_periods (user_id, name_key, username, valid_from, valid_to)
SELECT id, username, username, now() - CASE WHEN renamed THEN interval '6 months' ELSE interval '1 year' END, NULL
FROM bench.people
UNION ALL
SELECT id, old_name, old_name, now() - interval '1 year', now() - interval '6 months'
FROM bench.people WHERE renamed;
\echo username_periods loaded

INSERT INTO invites (code, owner_id, kind) SELECT code, id, 'personal' FROM bench.people WHERE renamed;
\echo invites loaded

-- pgbench cannot compute SHA-256, so it draws ten people at a time from here, at random among the renamed.
CREATE UNLOGGED TABLE bench.draws AS
SELECT (place - 1) / 10 + 1 AS batch, array_agg(id) AS ids, array_agg(old_name) AS names
FROM (SELECT id, old_name, row_number() OVER (ORDER BY random()) AS place FROM bench.people WHERE renamed) shuffled
GROUP BY 1;
ALTER TABLE bench.draws ADD PRIMARY KEY (batch);

CREATE SEQUENCE bench.newcomers CACHE 100;
CREATE FUNCTION bench.newcomer(
    OUT uid text, OUT id uuid, OUT name text, OUT code text, OUT inviter_id uuid, OUT inviter_name text,
    OUT low_id uuid, OUT low_uid text, OUT high_id uuid, OUT high_uid text
) LANGUAGE sql VOLATILE BEGIN ATOMIC
    SELECT uid, id, 'p' || n, left(md5(uid), 16), inviter_id, 'user' || inviter,
           least(id, inviter_id), CASE WHEN id < inviter_id THEN uid ELSE inviter_uid END,
           greatest(id, inviter_id), CASE WHEN id < inviter_id THEN inviter_uid ELSE uid END
    FROM (SELECT n, inviter, 'p' || n AS uid, user_id('p' || n) AS id,
                 'u' || inviter AS inviter_uid, user_id('u' || inviter) AS inviter_id
          FROM (SELECT nextval('bench.newcomers') AS n,
                       lpad((1 + floor(random() * :users))::text, 7, '0') AS inviter OFFSET 0) numbers
          OFFSET 0) people;
END;
\echo draws for pgbench made
