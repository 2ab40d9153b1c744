CREATE SEQUENCE outbox_order;
-- A counter: who may write the table may take a number.
GRANT USAGE ON SEQUENCE outbox_order TO PUBLIC;
COMMENT ON SEQUENCE outbox_order IS 'Of events, in the order in which they were written.';

CREATE TABLE outbox (
    user_id  uuid NOT NULL,
    seq      bigint NOT NULL DEFAULT nextval('outbox_order'),
    type     text NOT NULL,
    other_id uuid,
    facts    text,
    at       timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT outbox_pkey PRIMARY KEY (user_id, seq)
    -- A queue: whatever its size was once, what leaves it in a second is to be cleared.
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
COMMENT ON TABLE outbox IS
    'What happened and has no number yet, written by the transaction that made it true. number_events moves the rows to events '
    'within a second. Written by Events. Home key: user_id.';
COMMENT ON COLUMN outbox.user_id IS 'To whom it happened, and who may know of it.';
COMMENT ON COLUMN outbox.seq IS
    'Of one user the earlier event has the smaller number. Between users it says nothing: a transaction may take long.';
COMMENT ON COLUMN outbox.type IS 'What happened, as in docs/events.md.';
COMMENT ON COLUMN outbox.other_id IS 'The other user whom the event is about. NULL: none.';
COMMENT ON COLUMN outbox.facts IS 'JSON: what the event tells and no other table keeps. NULL: nothing.';
COMMENT ON COLUMN outbox.at IS 'When it happened.';

CREATE INDEX outbox_seq ON outbox (seq);
COMMENT ON INDEX outbox_seq IS 'The oldest events, which get their numbers next.';

CREATE FUNCTION tell_if(owner uuid, told text, is_now text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM users WHERE id = owner AND status = is_now) THEN
        INSERT INTO outbox (user_id, type) VALUES (owner, told);
    END IF;
END $$;
COMMENT ON FUNCTION tell_if IS
    'Writes an event of a user whose status is this one. A function, since Citus would take time and number of the row in '
    'INSERT ... SELECT from a worker.';

CREATE TABLE events (
    user_id  uuid NOT NULL,
    id       bigint NOT NULL,
    type     text NOT NULL,
    other_id uuid,
    facts    text,
    at       timestamptz NOT NULL,
    CONSTRAINT events_pkey PRIMARY KEY (user_id, id)
) PARTITION BY RANGE (id);
COMMENT ON TABLE events IS
    'What happened, in one order, for those who must be told. A row says who and what, never how somebody is called: names are read '
    'when the event is told, so a deleted user has none in it. A partition a day, which keep_days makes and, after '
    'KITH_EVENT_DAYS, drops. Written by Events. Home key: user_id.';
COMMENT ON COLUMN events.user_id IS 'As in outbox.';
COMMENT ON COLUMN events.id IS
    'The microsecond since 1970 in which the event got its number, or one more than the number before. So no number is given twice '
    'even if the database loses its last transactions, and whoever knows one has missed nothing before it.';
COMMENT ON COLUMN events.type IS 'As in outbox.';
COMMENT ON COLUMN events.other_id IS 'As in outbox.';
COMMENT ON COLUMN events.facts IS 'As in outbox. NULL, too, once the user deleted their account.';
COMMENT ON COLUMN events.at IS 'As in outbox.';

CREATE INDEX events_id ON events (id);
COMMENT ON INDEX events_id IS 'All events in their order.';
CREATE INDEX events_type ON events (type, id);
COMMENT ON INDEX events_type IS 'Those of a type in their order.';

CREATE TABLE event_numbers (
    scope text NOT NULL,
    last  bigint NOT NULL,
    CONSTRAINT event_numbers_pkey PRIMARY KEY (scope),
    CONSTRAINT event_numbers_scope CHECK (scope = 'all')
);
COMMENT ON TABLE event_numbers IS 'The number that was given last, in one row. Written by Events. Home key: scope.';
COMMENT ON COLUMN event_numbers.scope IS 'all.';
COMMENT ON COLUMN event_numbers.last IS 'As in events.id. 0: none yet.';

INSERT INTO event_numbers (scope, last) VALUES ('all', 0);

-- A server need not own the tables for it, so it runs as whoever migrated.
CREATE FUNCTION keep_days(kept bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    today CONSTANT date := (now() AT TIME ZONE 'UTC')::date;
    starts bigint[];
    part   text;
BEGIN
    -- One server at a time is enough.
    PERFORM pg_advisory_xact_lock(hashtext('keep_days'));
    FOR ahead IN 0..2 LOOP
        part := format('events_%s', to_char(today + ahead, 'YYYYMMDD'));
        CONTINUE WHEN to_regclass(part) IS NOT NULL;
        -- Ids are microseconds.
        starts := ARRAY(
            SELECT extract(epoch FROM start)::bigint * 1000000
            FROM unnest(ARRAY[today + ahead, today + ahead + 1]) AS start);
        -- Attached, a partition waits for nobody who reads or writes the table; created as one, it would.
        EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part);
        EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', part, starts[1], starts[2]);
    END LOOP;
    FOR part IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'events'::regclass
          AND c.relname < format('events_%s', to_char(today - kept::int, 'YYYYMMDD'))
        ORDER BY c.relname
    LOOP
        BEGIN
            SET LOCAL lock_timeout = '100ms';
            EXECUTE format('DROP TABLE %I', part);
        EXCEPTION WHEN lock_not_available THEN
            -- Somebody reads the table, and whoever comes meanwhile would wait behind this: the next time will do.
            EXIT;
        END;
    END LOOP;
END $$;
COMMENT ON FUNCTION keep_days IS
    'Makes the partitions of events for today and two days more, and drops those older than so many days, unless somebody '
    'reads the table.';

CREATE FUNCTION number_events(most bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    before bigint;
    now_us bigint;
    taken  bigint[];
BEGIN
    -- Mostly there is nothing, and so nothing to lock. By the index, whose dead entries are skipped, as those of a table are not.
    IF (SELECT seq FROM outbox ORDER BY seq LIMIT 1) IS NULL THEN
        RETURN (SELECT last FROM event_numbers WHERE scope = 'all');
    END IF;
    SELECT last INTO before FROM event_numbers WHERE scope = 'all' FOR UPDATE;
    SELECT array_agg(seq) INTO taken FROM (SELECT seq FROM outbox ORDER BY seq LIMIT most) oldest;
    IF taken IS NULL THEN RETURN before; END IF;
    now_us := extract(epoch FROM clock_timestamp()) * 1000000;
    before := greatest(before, now_us);
    INSERT INTO events (user_id, id, type, other_id, facts, at)
    SELECT user_id, before + row_number() OVER (ORDER BY seq), type, other_id, facts, at
    FROM outbox WHERE seq = ANY(taken);
    -- It waits for who is just deleting their account, and whose facts the INSERT still saw.
    DELETE FROM outbox WHERE seq = ANY(taken);
    -- A user at a time: the planner would read all users for a join with events that it cannot count.
    UPDATE events e SET facts = NULL
    WHERE e.id > before AND e.facts IS NOT NULL AND (SELECT u.status FROM users u WHERE u.id = e.user_id) = 'deleted';
    UPDATE event_numbers SET last = before + cardinality(taken) WHERE scope = 'all';
    RETURN before + cardinality(taken);
END $$;
COMMENT ON FUNCTION number_events IS
    'Moves up to so many rows from outbox to events, and returns the number that was given last. One transaction at a time numbers, '
    'so events become visible in the order of their numbers, and who reads behind the last number that it saw misses none.';

INSERT INTO schema_migrations (version, name) VALUES (15, 'events');
