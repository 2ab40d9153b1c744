CREATE TABLE counts (
    subject text NOT NULL,
    measure text NOT NULL,
    day     date NOT NULL,
    count   bigint NOT NULL,
    parts   jsonb,
    members bytea,
    CONSTRAINT counts_pkey PRIMARY KEY (subject, measure, day),
    CONSTRAINT counts_count CHECK (count BETWEEN 0 AND 999999999999999)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
COMMENT ON TABLE counts IS
    'How often something happened on a day, in one row a subject and measure: docs/numbers.md. After KITH_COUNT_DAYS '
    'the days of a month become one row. Those of a user go with their account; the others tell of nobody. Written by Counts. Home key: subject.';
COMMENT ON COLUMN counts.subject IS
    'What it is of: a link as in clicks, so of an inviter the id; `domain ` with its URL; `version ` with the platform, version and app. '
    'Empty: of everything.';
COMMENT ON COLUMN counts.measure IS 'What was counted, as in docs/numbers.md.';
COMMENT ON COLUMN counts.day IS 'The day in KITH_TIME_ZONE, or the first of a month, for all of it. infinity: of all days together.';
COMMENT ON COLUMN counts.count IS 'How often.';
COMMENT ON COLUMN counts.parts IS
    'How the count divides, an object a dimension with its most frequent values. The empty name stands for all others. '
    '~ before the name of a dimension: how often each value may be among the others, at most; the empty name: any other value. '
    'NULL: by nothing.';
COMMENT ON COLUMN counts.members IS
    'The different ones who did it, as Sketch.swift keeps them, so that more can be added. NULL: they are not told apart.';

-- Of these alone: whoever counts looks sums up by their keys, and the planner must have no other way.
CREATE INDEX counts_ranked ON counts (measure, day) WHERE measure IN ('invites.sign_ups', 'versions.installations');
COMMENT ON INDEX counts_ranked IS 'Of which subjects there were most on some days.';

CREATE INDEX counts_most ON counts (measure, count, subject) WHERE day = 'infinity';
COMMENT ON INDEX counts_most IS 'Of which subjects there were most ever.';

CREATE INDEX counts_days ON counts (day) WHERE extract(day FROM day) <> 1;
COMMENT ON INDEX counts_days IS 'Days that are to become months. Those that begin one stay, and take in the others.';

CREATE TABLE count_positions (
    source   text CONSTRAINT count_positions_pkey PRIMARY KEY,
    position bigint NOT NULL,
    zone     text,
    held_until timestamptz,
    CONSTRAINT count_positions_position CHECK (position BETWEEN 0 AND 999999999999999999)
);
COMMENT ON TABLE count_positions IS
    'How far each source was counted, so that nothing is counted twice: a server that finds another position than it began from '
    'begins anew. Written by Counts. Home key: source.';
COMMENT ON COLUMN count_positions.source IS 'clicks, events, active or levels.';
COMMENT ON COLUMN count_positions.position IS 'Of events the number of the last one; of levels the hour since 1970; of the others how many times some were counted.';
COMMENT ON COLUMN count_positions.held_until IS
    'Until when another server leaves the source to the one that is counting a part of it. NULL: nobody is.';
COMMENT ON COLUMN count_positions.zone IS
    'Whose days the sums are of, by KITH_TIME_ZONE: the servers that count must agree. NULL: the next one that starts says so.';

INSERT INTO count_positions (source, position) VALUES ('clicks', 0), ('events', 0), ('active', 0), ('levels', 0);

INSERT INTO schema_migrations (version, name) VALUES (26, 'counts');
