CREATE TABLE api_keys (
    id             text CONSTRAINT api_keys_pkey PRIMARY KEY,
    name           text NOT NULL,
    scope          text NOT NULL,
    acts_for_users boolean NOT NULL,
    sha256         bytea NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT now(),
    created_by     text,
    revoked_at     timestamptz,
    expires_at     timestamptz,
    used_at        timestamptz,
    CONSTRAINT api_keys_name_length CHECK (char_length(name) BETWEEN 1 AND 100),
    CONSTRAINT api_keys_scope CHECK (
        scope IN ('client', 'server', 'viewer', 'links', 'growth', 'support', 'admin')),
    CONSTRAINT api_keys_acts_for_users CHECK (NOT acts_for_users OR scope IN ('server', 'admin'))
);
COMMENT ON TABLE api_keys IS
    'The keys kith_{id}_{secret} that servers and tools call with. Written by Auth. Home key: id.';
COMMENT ON COLUMN api_keys.id IS 'The part of the key that finds its row.';
COMMENT ON COLUMN api_keys.name IS 'By which people know the key.';
COMMENT ON COLUMN api_keys.scope IS
    'What it may do: client, what apps may; server, what backends may; all others, what an operator of that role may (Role.swift).';
COMMENT ON COLUMN api_keys.acts_for_users IS 'Whether calls with it may name a user for whom it acts.';
COMMENT ON COLUMN api_keys.sha256 IS 'SHA-256 of the whole key, which is shown once and kept nowhere.';
COMMENT ON COLUMN api_keys.created_at IS 'When it was made.';
COMMENT ON COLUMN api_keys.created_by IS 'Who made it, as audit.actor. NULL: nobody whom the audit names.';
COMMENT ON COLUMN api_keys.revoked_at IS 'When it was revoked. NULL: it is in force.';
COMMENT ON COLUMN api_keys.expires_at IS 'From when on it is refused. NULL: it does not expire.';
COMMENT ON COLUMN api_keys.used_at IS 'When a call last came with it, within the hour. NULL: none did.';

CREATE TABLE secrets (
    name  text CONSTRAINT secrets_pkey PRIMARY KEY,
    bytes bytea NOT NULL
);
COMMENT ON TABLE secrets IS
    'Secrets that all servers of this database share: made here. Written by Restores. Home key: name.';
COMMENT ON COLUMN secrets.name IS
    'cursors: encrypts the cursors of lists. links: makes unguessable codes of what they lead to. rate_limits: hashes the callers, so that rate_limits names nobody. sync: '
    'how far a phone has synced holds only as long as this stays; `kith restored` replaces it. '
    'database, which is no secret: by which number the database was known at the last start, and by which phones know it.';
COMMENT ON COLUMN secrets.bytes IS 'The secret, 32 bytes; of database a text.';

INSERT INTO secrets (name, bytes)
SELECT name, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
FROM unnest(ARRAY['cursors', 'links', 'rate_limits', 'sync']) AS needed (name);

INSERT INTO schema_migrations (version, name) VALUES (8, 'keys');
