CREATE TABLE api_keys (
    id         text CONSTRAINT api_keys_pkey PRIMARY KEY,
    name       text NOT NULL,
    scope      text NOT NULL,
    sha256     bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    CONSTRAINT api_keys_name_length CHECK (char_length(name) BETWEEN 1 AND 100),
    CONSTRAINT api_keys_scope CHECK (scope IN ('client', 'server', 'admin'))
);
COMMENT ON COLUMN api_keys.sha256 IS 'Of the whole key; the key itself was shown once and is kept nowhere.';

INSERT INTO schema_migrations (version, name) VALUES (6, 'api_keys');
