CREATE FUNCTION fold(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN lower(name COLLATE "C");
COMMENT ON FUNCTION fold IS
    'A username as it is compared: A to Z in lower case, all else as it is, whatever the locale of the database.';

CREATE TABLE usernames (
    name_key   text CONSTRAINT usernames_pkey PRIMARY KEY,
    user_id    uuid,
    state      text NOT NULL,
    held_until timestamptz,
    changed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT usernames_folded CHECK (name_key = fold(name_key)),
    CONSTRAINT usernames_state CHECK (state IN ('active', 'held', 'released', 'reserved')),
    CONSTRAINT usernames_owner CHECK (state = 'released' OR (user_id IS NULL) = (state = 'reserved')),
    CONSTRAINT usernames_held_until CHECK (state = 'reserved' OR (held_until IS NOT NULL) = (state = 'held'))
) WITH (autovacuum_vacuum_scale_factor = 0.02);
COMMENT ON TABLE usernames IS
    'Who has each username, or had it last. Sign-up, rename, deletion, import and `kith username release` write '
    'it. No row is ever deleted: a name that somebody had never counts as one that nobody had. Written by Usernames. Home key: name_key.';
COMMENT ON COLUMN usernames.name_key IS 'fold(username).';
COMMENT ON COLUMN usernames.user_id IS 'Who has the name, or had it last. NULL: they deleted their account.';
COMMENT ON COLUMN usernames.state IS
    'active: the current username of user_id. held: user_id gave it up, and until held_until only they can take '
    'it. reserved: left by a deleted account, and until held_until nobody can take it. released: anybody can take '
    'it, as after held_until, which changes no row.';
COMMENT ON COLUMN usernames.held_until IS
    'When a held or reserved name becomes free. NULL of a reserved name: never, unless an operator releases it.';
COMMENT ON COLUMN usernames.changed_at IS 'When the state or the owner last changed.';

CREATE TABLE username_periods (
    user_id    uuid NOT NULL,
    name_key   text NOT NULL,
    username   text NOT NULL,
    valid_from timestamptz NOT NULL DEFAULT now(),
    valid_to   timestamptz,
    severed    boolean NOT NULL DEFAULT false,
    CONSTRAINT username_periods_pkey PRIMARY KEY (user_id, name_key, valid_from),
    CONSTRAINT username_periods_user FOREIGN KEY (user_id) REFERENCES users (id),
    CONSTRAINT username_periods_order CHECK (valid_to >= valid_from)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
COMMENT ON TABLE username_periods IS
    'When a user had which username: old links lead on by it. A name that was given up and taken back has a row '
    'for each time. Deleting an account deletes its rows. Written by Usernames. Home key: user_id.';
COMMENT ON COLUMN username_periods.user_id IS 'Who had the name.';
COMMENT ON COLUMN username_periods.name_key IS 'fold(username).';
COMMENT ON COLUMN username_periods.username IS 'The name as the user last spelled it in this period.';
COMMENT ON COLUMN username_periods.valid_from IS 'When the user took the name.';
COMMENT ON COLUMN username_periods.valid_to IS 'When the user gave it up. NULL: it is the current username.';
COMMENT ON COLUMN username_periods.severed IS
    'True: the user chose that links with this name lead nowhere. The latest period of a name decides.';

CREATE UNIQUE INDEX username_periods_current ON username_periods (user_id) WHERE valid_to IS NULL;
COMMENT ON INDEX username_periods_current IS 'A user has one current username.';
CREATE INDEX username_periods_left ON username_periods (name_key, valid_from) WHERE valid_to IS NOT NULL;
COMMENT ON INDEX username_periods_left IS
    '`kith verify` asks by the name whether two users had it at the same time.';

CREATE FUNCTION user_of_name(name text) RETURNS SETOF users LANGUAGE sql STABLE AS $$
    SELECT u.* FROM usernames n JOIN users u ON u.id = n.user_id WHERE n.name_key = name AND n.state = 'active'
$$;
COMMENT ON FUNCTION user_of_name IS
    'The row of the user who has a name now. PostgreSQL plans it as part of the statement; Citus would ask every shard '
    'for the user, so sql/citus/distribute.sql replaces it.';

CREATE FUNCTION activate_names(users_of_names uuid[]) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    claim record;
    activated text[] := '{}';
BEGIN
    FOR claim IN SELECT DISTINCT unnest(users_of_names) AS id ORDER BY 1 LOOP
        PERFORM 1 FROM username_periods WHERE user_id = claim.id AND valid_to IS NULL FOR UPDATE;
    END LOOP;
    FOR claim IN
        SELECT fold(username) COLLATE "C" AS name_key, id FROM users
        WHERE id = ANY(users_of_names) AND status <> 'deleted' ORDER BY 1
    LOOP
        INSERT INTO usernames (name_key, user_id, state) VALUES (claim.name_key, claim.id, 'active')
        ON CONFLICT (name_key) DO UPDATE
        SET user_id = excluded.user_id, state = 'active', held_until = NULL, changed_at = excluded.changed_at
        WHERE (usernames.user_id = excluded.user_id AND usernames.state <> 'active') OR usernames.state = 'released';
        IF FOUND THEN
            activated := activated || claim.name_key;
        END IF;
    END LOOP;
    RETURN activated;
END $$;
COMMENT ON FUNCTION activate_names IS
    'Activates the current names of some users to which nobody else has a claim, and returns them, for '
    '`kith verify --repair`. It locks the users'' open periods first, as a rename does, then the names in their order.';

INSERT INTO schema_migrations (version, name) VALUES (3, 'usernames');
