-- What all servers together let through of the limits they share. Home key: the key.
CREATE TABLE rate_limits (
    key     uuid CONSTRAINT rate_limits_pkey PRIMARY KEY,
    full_at timestamptz NOT NULL
);
COMMENT ON TABLE rate_limits IS 'Of limits that servers share: what was let through, by a keyed hash of limit and caller.';
COMMENT ON COLUMN rate_limits.full_at IS 'When the whole quota is there again; from then on the row says nothing.';

-- So that the table names nobody.
INSERT INTO secrets (name, bytes)
VALUES ('rate_limits', sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

INSERT INTO schema_migrations (version, name) VALUES (13, 'rate_limits');
