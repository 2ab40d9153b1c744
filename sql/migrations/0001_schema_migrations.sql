CREATE TABLE schema_migrations (
    version    integer CONSTRAINT schema_migrations_pkey PRIMARY KEY,
    name       text NOT NULL,
    sha256     text,
    applied_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN schema_migrations.sha256 IS
    'Of the file, in hex. NULL: applied by hand with psql; `kith migrate` fills it in.';

-- A guard inside a pipelined transaction: where a condition is not met, the whole batch ends with
-- SQLSTATE KT001 and the outcome as its message.
CREATE FUNCTION require(met boolean, outcome text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF met THEN RETURN true; END IF;
    RAISE EXCEPTION USING ERRCODE = 'KT001', MESSAGE = outcome;
END $$;

INSERT INTO schema_migrations (version, name) VALUES (1, 'schema_migrations');
