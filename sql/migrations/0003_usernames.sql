-- Home key: the folded name. A row is never deleted: who had a name last stays known.
CREATE TABLE usernames (
    name_key   text CONSTRAINT usernames_pkey PRIMARY KEY,
    user_id    uuid,
    state      text NOT NULL,
    held_until timestamptz,
    changed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT usernames_folded CHECK (name_key = lower(name_key COLLATE "C")),
    CONSTRAINT usernames_state CHECK (state IN ('active', 'held', 'released', 'reserved')),
    CONSTRAINT usernames_owner CHECK ((user_id IS NULL) = (state = 'reserved')),
    CONSTRAINT usernames_held_until CHECK ((held_until IS NOT NULL) = (state = 'held'))
);
COMMENT ON COLUMN usernames.user_id IS 'The last owner, also while the name is held or released.';

-- Home key: the user.
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
);
CREATE UNIQUE INDEX username_periods_current ON username_periods (user_id) WHERE valid_to IS NULL;
COMMENT ON COLUMN username_periods.severed IS 'The owner chose that links with this name lead nowhere.';

INSERT INTO schema_migrations (version, name) VALUES (3, 'usernames');
