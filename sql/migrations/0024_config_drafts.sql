CREATE TABLE config_drafts (
    name       text NOT NULL,
    version    bigint NOT NULL,
    revision   bigint NOT NULL,
    names      text[] NOT NULL,
    items      jsonb NOT NULL,
    actor      text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT config_drafts_pkey PRIMARY KEY (name),
    CONSTRAINT config_drafts_name CHECK (name ~ '^[A-Za-z][A-Za-z0-9_-]{0,31}$'),
    CONSTRAINT config_drafts_version CHECK (version > 0),
    CONSTRAINT config_drafts_revision CHECK (revision >= 0),
    CONSTRAINT config_drafts_items CHECK (jsonb_typeof(items) = 'array' AND jsonb_array_length(items) > 0)
);
COMMENT ON TABLE config_drafts IS
    'Changes of what operators set that are not published yet. Written by Publications. Home key: name.';
COMMENT ON COLUMN config_drafts.name IS 'How people call it.';
COMMENT ON COLUMN config_drafts.version IS 'The microsecond of the change since 1970: it rises, and no later draft of the name has it.';
COMMENT ON COLUMN config_drafts.revision IS 'The newest publication when it was changed.';
COMMENT ON COLUMN config_drafts.names IS 'The names of its items, as policies.minimum.';
COMMENT ON COLUMN config_drafts.items IS 'Of each item what it was then, and what it is to be, as in publications.';
COMMENT ON COLUMN config_drafts.actor IS 'Who changed it last, as in audit.';
COMMENT ON COLUMN config_drafts.changed_at IS 'When they did.';

CREATE TABLE test_devices (
    name       text NOT NULL,
    unit       uuid NOT NULL,
    draft      text,
    variations jsonb NOT NULL,
    actor      text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT test_devices_pkey PRIMARY KEY (name),
    CONSTRAINT test_devices_unit UNIQUE (unit),
    CONSTRAINT test_devices_draft FOREIGN KEY (draft) REFERENCES config_drafts (name),
    CONSTRAINT test_devices_name CHECK (name ~ '^[A-Za-z][A-Za-z0-9_-]{0,31}$'),
    CONSTRAINT test_devices_variations CHECK (jsonb_typeof(variations) = 'object')
);
COMMENT ON TABLE test_devices IS
    'Units that see a draft, or a variation that they are given, and count nowhere. If the unit is a user, it goes with their account. '
    'Written by Publications. Home key: name.';
COMMENT ON COLUMN test_devices.name IS 'How people call it.';
COMMENT ON COLUMN test_devices.unit IS 'As in exposures, also of what the app calls its installation.';
COMMENT ON CONSTRAINT test_devices_unit ON test_devices IS 'A unit sees one draft.';
COMMENT ON COLUMN test_devices.draft IS 'What it sees. NULL: what is published.';
COMMENT ON COLUMN test_devices.variations IS 'The variations that it is given, by their experiments.';
COMMENT ON COLUMN test_devices.actor IS 'Who changed it last, as in audit.';
COMMENT ON COLUMN test_devices.changed_at IS 'When they did.';

INSERT INTO schema_migrations (version, name) VALUES (24, 'config_drafts');
