-- Each file is one concern. Each table has a home key: the column that its primary key begins with. Every statement
-- finds its rows by it, so that a table can be spread over many servers; foreign keys stay within one home.

CREATE TABLE schema_migrations (
    version    integer CONSTRAINT schema_migrations_pkey PRIMARY KEY,
    name       text NOT NULL,
    sha256     text,
    applied_at timestamptz NOT NULL DEFAULT now(),
    serves     integer
);
COMMENT ON TABLE schema_migrations IS
    'Which migrations this database has; each enters itself. Kith compares them with those it was built with. Written by Migrations.';
COMMENT ON COLUMN schema_migrations.version IS 'The number that the name of the file begins with.';
COMMENT ON COLUMN schema_migrations.name IS 'The rest of the name of the file.';
COMMENT ON COLUMN schema_migrations.sha256 IS
    'SHA-256 of the file, in hex. NULL: applied by psql, until `kith migrate` fills it in.';
COMMENT ON COLUMN schema_migrations.applied_at IS 'When it was applied. Only people read this.';
COMMENT ON COLUMN schema_migrations.serves IS
    'A kith that ends at this version or later starts beside the migration, though it does not know it: the migration only adds. '
    'NULL: none does.';

INSERT INTO schema_migrations (version, name) VALUES (1, 'schema_migrations');
