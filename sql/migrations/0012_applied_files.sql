CREATE TABLE applied_files (
    section    text CONSTRAINT applied_files_pkey PRIMARY KEY,
    content    jsonb NOT NULL,
    version    bigint NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT applied_files_version CHECK (version > 0)
);
COMMENT ON TABLE applied_files IS
    'What `kith apply` made true, a row for each section of its file. Written by Apps. Home key: section.';
COMMENT ON COLUMN applied_files.section IS 'apps, policies, values, experiments or rewards.';
COMMENT ON COLUMN applied_files.content IS 'The section, checked.';
COMMENT ON COLUMN applied_files.version IS 'How often it changed. Who writes names the version that they saw, so that nobody overwrites what they did not see.';
COMMENT ON COLUMN applied_files.applied_at IS 'When it changed last.';

INSERT INTO schema_migrations (version, name) VALUES (12, 'applied_files');
