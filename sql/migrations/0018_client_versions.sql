CREATE TABLE client_versions (
    app      text NOT NULL,
    day      date NOT NULL,
    platform text NOT NULL,
    version  text NOT NULL,
    action   text NOT NULL,
    count    bigint NOT NULL,
    CONSTRAINT client_versions_pkey PRIMARY KEY (app, day, platform, version, action),
    CONSTRAINT client_versions_platform CHECK (platform IN ('ios', 'android')),
    CONSTRAINT client_versions_action CHECK (action IN ('none', 'soft', 'hard', 'block')),
    CONSTRAINT client_versions_positive CHECK (count > 0)
) WITH (fillfactor = 70);
COMMENT ON TABLE client_versions IS
    'How often apps of each version asked for the update policy, by day and answer; nothing of who asked. Servers add their sums '
    'every few seconds, and delete a day after 400 days. Written by ClientPolicy. Home key: app.';
COMMENT ON COLUMN client_versions.app IS
    'A bundle id or package of the settings, the applied apps or a policy. other: another. Empty: the app did not say.';
COMMENT ON COLUMN client_versions.day IS 'Of the calls, in KITH_TIME_ZONE.';
COMMENT ON COLUMN client_versions.platform IS 'ios or android.';
COMMENT ON COLUMN client_versions.version IS
    'Without zeros at its end, 5.0 at least. unreadable: no version, or none that Kith can read. other: all versions beyond '
    'those that policies name, the 50 most frequent of the week before, those that make a fiftieth of the day''s calls, and 200 or so more of the day.';
COMMENT ON COLUMN client_versions.action IS 'The answer: none, soft, hard or block.';
COMMENT ON COLUMN client_versions.count IS 'How many calls.';

CREATE INDEX client_versions_day ON client_versions (day);
COMMENT ON INDEX client_versions_day IS 'The days that a picture shows, and those that are too old.';

INSERT INTO schema_migrations (version, name) VALUES (18, 'client_versions');
