CREATE FUNCTION user_id(uid text) RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
    RETURN encode(substr(sha256(convert_to(uid, 'UTF8')), 1, 16), 'hex')::uuid;
COMMENT ON FUNCTION user_id IS
    'The id of the user with a uid: the first 16 bytes of its SHA-256, so that a token gives the id without a '
    'look-up. STABLE, because PostgreSQL could not inline it as IMMUTABLE: it counts convert_to as STABLE.';

CREATE TABLE users (
    id                uuid CONSTRAINT users_pkey PRIMARY KEY,
    uid               text NOT NULL,
    username          text NOT NULL,
    display_name      text,
    avatar_url        text,
    metadata          text,
    status            text NOT NULL DEFAULT 'active',
    status_reason     text,
    frozen_at         timestamptz,
    frozen_reason     text,
    invites           text NOT NULL DEFAULT 'auto',
    invite_code       text,
    history_complete  boolean NOT NULL DEFAULT true,
    profiles_at       timestamptz[],
    spellings_at      timestamptz[],
    revision          bigint NOT NULL DEFAULT 1,
    changes           bigint NOT NULL DEFAULT 0,
    ends_forgotten    bigint NOT NULL DEFAULT 0,
    created_at        timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT users_id_of_uid CHECK (id = user_id(uid)),
    CONSTRAINT users_uid_length CHECK (char_length(uid) BETWEEN 1 AND 128),
    CONSTRAINT users_username_length CHECK (char_length(username) BETWEEN 1 AND 64),
    CONSTRAINT users_display_name_length CHECK (
        char_length(display_name) BETWEEN 1 AND 100 AND octet_length(display_name) <= 300),
    CONSTRAINT users_avatar_url CHECK (avatar_url ~ '^https://[!-~]+$' AND octet_length(avatar_url) <= 512),
    CONSTRAINT users_metadata CHECK (jsonb_typeof(metadata::jsonb) = 'object' AND octet_length(metadata) <= 1024),
    CONSTRAINT users_status CHECK (status IN ('active', 'suspended', 'deleted')),
    CONSTRAINT users_status_reason CHECK (char_length(status_reason) BETWEEN 1 AND 500),
    CONSTRAINT users_invites CHECK (invites IN ('auto', 'ask', 'off')),
    CONSTRAINT users_frozen CHECK (
        (frozen_at IS NULL) = (frozen_reason IS NULL) AND char_length(frozen_reason) BETWEEN 1 AND 500)
    -- Tables that grow with the users and change are not to wait for a fifth of their rows: "Vacuum" in docs/operations.md.
) WITH (autovacuum_vacuum_scale_factor = 0.02);
COMMENT ON TABLE users IS
    'Everyone who ever had an account. Sign-up and import add rows; none is ever deleted. Whoever changes '
    'relationships locks the rows of both users first, the smaller id before the greater. Written by Users. Home key: id.';
COMMENT ON COLUMN users.id IS 'user_id(uid). Other tables name a user by it.';
COMMENT ON COLUMN users.uid IS 'The id of the user at the identity provider, as tokens have it. It never changes.';
COMMENT ON COLUMN users.username IS
    'The current username as the user spelled it; fold(username) is its key. ''[deleted]'' if status is deleted.';
COMMENT ON COLUMN users.display_name IS 'The name that is shown beside the username. NULL: none.';
COMMENT ON COLUMN users.avatar_url IS
    'The address of the user''s picture, on a host that KITH_AVATAR_HOSTS allowed when it was set. NULL: none.';
COMMENT ON COLUMN users.metadata IS
    'What the app keeps with the profile: a JSON object of strings, keys sorted, without spaces. NULL: nothing.';
COMMENT ON COLUMN users.status IS
    'active; suspended: an operator hides the account, and everything is kept; deleted: only this row is left.';
COMMENT ON COLUMN users.status_reason IS
    'Why an operator suspended the account. Only people read this. NULL: not suspended, or no reason was given.';
COMMENT ON COLUMN users.frozen_at IS
    'Since when nobody can join or make friends by the links of this user, because an operator froze their '
    'inviting. NULL: it is not frozen.';
COMMENT ON COLUMN users.frozen_reason IS 'Why the operator froze it. NULL: it is not frozen.';
COMMENT ON COLUMN users.invites IS
    'What the user lets their invites do. auto: make friends, if the link does; ask: leave requests; off: nothing, as if '
    'there were none.';
COMMENT ON COLUMN users.invite_code IS
    'The code in force of the permanent link, as in invites. NULL: imported, and nobody asked for it yet, or status is deleted.';
COMMENT ON COLUMN users.history_complete IS
    'False: imported without the usernames they had before. A link with this user''s uid and a name that nobody '
    'is known to have had then leads to them.';
COMMENT ON COLUMN users.profiles_at IS
    'When the display name, the avatar or the metadata was changed, newest first, as many times as a day allows. '
    'NULL: never.';
COMMENT ON COLUMN users.spellings_at IS 'When the spelling of the username was changed, likewise.';
COMMENT ON COLUMN users.revision IS
    'Which version of what others see of this user, profile and status, this is: each change adds one.';
COMMENT ON COLUMN users.changes IS
    'The number of the last change of this user''s relationships that delta sync numbered: microseconds since 1970, '
    'or one more than the number before, so that no number is given twice even if the database loses its last '
    'transactions. 0: nothing was numbered yet.';
COMMENT ON COLUMN users.ends_forgotten IS
    'Old ended relationships are deleted. This is the greatest number of a change among those of this user that '
    'are. A phone that last synced before it must reload. 0: none is deleted.';
COMMENT ON COLUMN users.created_at IS 'When the user signed up; of an imported one, as the file says.';

INSERT INTO schema_migrations (version, name) VALUES (2, 'users');
