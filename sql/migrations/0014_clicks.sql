CREATE TABLE clicks (
    link     text NOT NULL,
    day      date NOT NULL,
    at       timestamptz NOT NULL,
    event    text NOT NULL,
    platform text NOT NULL,
    country  text,
    trace    uuid,
    CONSTRAINT clicks_event CHECK (event IN ('page', 'redirect', 'install', 'firstOpen', 'reopen')),
    CONSTRAINT clicks_platform CHECK (platform IN ('ios', 'android', 'desktop', 'other')),
    CONSTRAINT clicks_country CHECK (country ~ '^[A-Z]{2}$')
) PARTITION BY RANGE (day);
COMMENT ON TABLE clicks IS
    'What visitors and apps did with links, one by one, for your own questions: Kith itself reads only click_counts. A partition a '
    'day, which keep_days makes and, after KITH_CLICK_DAYS, drops. Written by Clicks. Home key: link.';
COMMENT ON COLUMN clicks.link IS
    'A short link''s URL; a domain with its slash for its long links; the id of a user for all of their invites; a code for one.';
COMMENT ON COLUMN clicks.day IS 'Of at, in UTC.';
COMMENT ON COLUMN clicks.at IS 'When it happened.';
COMMENT ON COLUMN clicks.event IS
    'page: somebody opened the link, and got a page. redirect: they were sent on at once. Both are clicks. install: the app came from a store by it. firstOpen: '
    'the app claimed it at its first start. reopen: the app, already there, asked what it is.';
COMMENT ON COLUMN clicks.platform IS 'ios, android, desktop or other.';
COMMENT ON COLUMN clicks.country IS 'As a proxy says (KITH_COUNTRY_HEADER). NULL: nobody does.';
COMMENT ON COLUMN clicks.trace IS
    'Address and browser, hashed with the day''s row of visitor_salts: the same visitor has the same on one day, and nobody can '
    'tell who it was once the salt is gone. NULL: an app, or an unknown address.';

CREATE TABLE click_counts (
    link     text NOT NULL,
    day      date NOT NULL,
    event    text NOT NULL,
    platform text NOT NULL,
    count    bigint NOT NULL,
    CONSTRAINT click_counts_pkey PRIMARY KEY (link, day, event, platform),
    CONSTRAINT click_counts_positive CHECK (count > 0)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
COMMENT ON TABLE click_counts IS
    'How many rows of clicks there were, written with them, so exact. After KITH_CLICK_COUNT_DAYS the days of a month become one row. '
    'Written by Clicks. Home key: link.';
COMMENT ON COLUMN click_counts.link IS 'As in clicks.';
COMMENT ON COLUMN click_counts.day IS 'As in clicks, or the first of a month, for all of it.';
COMMENT ON COLUMN click_counts.event IS 'As in clicks.';
COMMENT ON COLUMN click_counts.platform IS 'As in clicks.';
COMMENT ON COLUMN click_counts.count IS 'How many.';

CREATE INDEX click_counts_days ON click_counts (day) WHERE extract(day FROM day) <> 1;
COMMENT ON INDEX click_counts_days IS 'Days that are to become months. Those that begin one stay, and take in the others.';

-- A server need not own the tables for it, so it runs as whoever migrated.
CREATE FUNCTION keep_days(parent text, kept bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    today CONSTANT date := (now() AT TIME ZONE 'UTC')::date;
    starts text[];
    part   text;
BEGIN
    IF parent NOT IN ('clicks', 'events') THEN
        RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('%I has no partition a day', parent);
    END IF;
    -- One server at a time is enough.
    PERFORM pg_advisory_xact_lock(hashtext('keep_days'));
    FOR ahead IN 0..2 LOOP
        part := format('%s_%s', parent, to_char(today + ahead, 'YYYYMMDD'));
        CONTINUE WHEN to_regclass(part) IS NOT NULL;
        -- clicks has days; the ids of events are microseconds.
        starts := ARRAY[(today + ahead)::text, (today + ahead + 1)::text];
        IF parent = 'events' THEN
            starts := ARRAY(
                SELECT (extract(epoch FROM start::date)::bigint * 1000000)::text FROM unnest(starts) AS start);
        END IF;
        -- Attached, a partition waits for nobody who reads or writes the table; created as one, it would.
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part, parent);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, part, starts[1], starts[2]);
    END LOOP;
    FOR part IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = parent::regclass
          AND c.relname < format('%s_%s', parent, to_char(today - kept::int, 'YYYYMMDD'))
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
    'Makes the partitions of clicks or events for today and two days more, and drops those older than so many days, unless somebody '
    'reads the table.';

INSERT INTO schema_migrations (version, name) VALUES (14, 'clicks');
