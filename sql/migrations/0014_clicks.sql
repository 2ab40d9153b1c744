CREATE SEQUENCE clicks_order;
-- A counter: who may write the table may take a number.
GRANT USAGE ON SEQUENCE clicks_order TO PUBLIC;
COMMENT ON SEQUENCE clicks_order IS 'Of clicks, in the order in which they were written.';

CREATE TABLE clicks (
    link     text NOT NULL,
    seq      bigint NOT NULL DEFAULT nextval('clicks_order'),
    at       timestamptz NOT NULL DEFAULT now(),
    event    text NOT NULL,
    platform text NOT NULL,
    parts    text,
    trace    uuid,
    CONSTRAINT clicks_pkey PRIMARY KEY (link, seq),
    CONSTRAINT clicks_event CHECK (event IN ('page', 'redirect', 'tap', 'install', 'firstOpen', 'reopen')),
    CONSTRAINT clicks_platform CHECK (platform IN ('ios', 'android', 'desktop', 'other'))
    -- A queue: whatever its size was once, what leaves it in a second is to be cleared.
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
COMMENT ON TABLE clicks IS
    'What visitors and apps did with links, and nobody has counted yet. A server moves the rows to counts within seconds. '
    'Written by Clicks. Home key: link.';
COMMENT ON COLUMN clicks.link IS
    'A short link''s URL; a domain with its slash for its long links; the id of a user for all of their invites; a code for one.';
COMMENT ON COLUMN clicks.seq IS 'Which are counted first.';
COMMENT ON COLUMN clicks.at IS 'When it happened.';
COMMENT ON COLUMN clicks.event IS
    'page: somebody opened the link, and got a page. redirect: they were sent on at once. Both are clicks. tap: they went from the page to '
    'a store. install: the app came from a store by it. firstOpen: the app claimed it at its first start. reopen: the app, already there, '
    'asked what it is.';
COMMENT ON COLUMN clicks.platform IS 'ios, android, desktop or other.';
COMMENT ON COLUMN clicks.parts IS 'By what else it is counted, a line each, as country=JP. NULL: nothing.';
COMMENT ON COLUMN clicks.trace IS
    'Address and browser, hashed with the day''s row of visitor_salts: the same visitor has the same on one day, and nobody can '
    'tell who it was once the salt is gone. NULL: an app, or an unknown address.';

CREATE INDEX clicks_seq ON clicks (seq);
COMMENT ON INDEX clicks_seq IS 'The oldest clicks, which are counted next.';

INSERT INTO schema_migrations (version, name) VALUES (14, 'clicks');
