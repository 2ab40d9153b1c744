CREATE TABLE rate_limits (
    key     uuid CONSTRAINT rate_limits_pkey PRIMARY KEY,
    full_at bigint NOT NULL
);
COMMENT ON TABLE rate_limits IS
    'One row for each caller and limit that used much of its quota: the sum over all servers. Each server adds to '
    'it once a second and deletes what is over once a minute. Written by RateLimits. Home key: key.';
COMMENT ON COLUMN rate_limits.key IS
    'A hash of the limit and the caller, keyed with a secret so that the table names nobody.';
COMMENT ON COLUMN rate_limits.full_at IS
    'When the whole quota is there again, in microseconds since 1970. After that the row means nothing.';

INSERT INTO schema_migrations (version, name) VALUES (9, 'rate_limits');
