-- Prepares the users and pairs that the graph's measurements draw: `psql -v pairs=P -f graph_draws.sql` after graph.sql.
\set ON_ERROR_STOP on
SELECT :pairs / 20 AS drawn_batches \gset
SET work_mem = '1GB';
SET jit = off;

CREATE UNLOGGED TABLE bench.degrees AS
SELECT id, uid, friends FROM (
    SELECT user_id, count(*) AS friends FROM relationships GROUP BY user_id) counted
JOIN bench.people ON id = user_id;
ALTER TABLE bench.degrees ADD PRIMARY KEY (id);
CREATE INDEX ON bench.degrees (friends);
ANALYZE bench.degrees;

-- Users who fill a page of friends: the same number in every graph, so that none is easier to cache.
CREATE UNLOGGED TABLE bench.listers AS
SELECT id, uid, row_number() OVER () AS place
FROM (SELECT id, uid FROM bench.degrees WHERE friends > 50 ORDER BY random() LIMIT 20000) drawn;
CREATE UNLOGGED TABLE bench.lister_draws AS
SELECT (place - 1) / 10 + 1 AS batch, array_agg(id) AS ids FROM bench.listers GROUP BY 1 HAVING count(*) = 10;
ALTER TABLE bench.lister_draws ADD PRIMARY KEY (batch);

-- Pairs without a relationship; low is the user with the smaller id.
CREATE UNLOGGED TABLE bench.strangers AS
WITH people AS MATERIALIZED (
    SELECT id, uid, row_number() OVER (ORDER BY random()) AS place FROM bench.degrees WHERE friends < 900),
drawn AS (
    SELECT DISTINCT least(ends.a, ends.b) AS a, greatest(ends.a, ends.b) AS b
    FROM (SELECT ceil(random() * all_of.them)::bigint AS a, ceil(random() * all_of.them)::bigint AS b
          FROM (SELECT count(*) AS them FROM people) all_of, generate_series(1, :pairs * 21 / 20)) ends
    WHERE ends.a <> ends.b)
SELECT row_number() OVER (ORDER BY random()) - 1 AS n,
       least(one.id, two.id) AS low_id, CASE WHEN one.id < two.id THEN one.uid ELSE two.uid END AS low_uid,
       greatest(one.id, two.id) AS high_id, CASE WHEN one.id < two.id THEN two.uid ELSE one.uid END AS high_uid
FROM drawn JOIN people one ON one.place = a JOIN people two ON two.place = b
WHERE NOT EXISTS (SELECT FROM relationships WHERE user_id = one.id AND other_id = two.id)
LIMIT :pairs;
ALTER TABLE bench.strangers ADD PRIMARY KEY (n);
-- The second half is for pgbench. Measuring the draw alone uses up no pairs: it has its own sequence.
CREATE UNLOGGED TABLE bench.stranger_draws AS
SELECT n / 10 - :pairs / 20 + 1 AS batch, array_agg(low_id) AS low_ids, array_agg(low_uid) AS low_uids,
       array_agg(high_id) AS high_ids, array_agg(high_uid) AS high_uids
FROM bench.strangers WHERE n >= :pairs / 2 GROUP BY 1;
ALTER TABLE bench.stranger_draws ADD PRIMARY KEY (batch);
CREATE SEQUENCE bench.befriended;
CREATE SEQUENCE bench.only_drawn MAXVALUE :drawn_batches CYCLE;
\echo draws for the graph made
