-- Home key of every table here: the user.

CREATE TABLE users (
    id               uuid CONSTRAINT users_pkey PRIMARY KEY,
    uid              text NOT NULL,
    username         text NOT NULL,
    display_name     text,
    status           text NOT NULL DEFAULT 'active',
    history_complete boolean NOT NULL DEFAULT true,
    invite_code      text,
    created_at       timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT users_id_of_uid CHECK (id = substr(sha256(convert_to(uid, 'UTF8'))::text, 3, 32)::uuid),
    CONSTRAINT users_uid_length CHECK (char_length(uid) BETWEEN 1 AND 128),
    CONSTRAINT users_username_length CHECK (char_length(username) BETWEEN 1 AND 64),
    CONSTRAINT users_display_name_length CHECK (char_length(display_name) BETWEEN 1 AND 100),
    CONSTRAINT users_status CHECK (status IN ('active', 'suspended', 'deleted'))
);
COMMENT ON COLUMN users.id IS 'The first 16 bytes of SHA-256(uid): a token gives the key without a look-up.';
COMMENT ON COLUMN users.username IS 'As typed; usernames.name_key is its lower-case form.';
COMMENT ON COLUMN users.history_complete IS
    'False: imported without the names had before, so an unknown old name may have been this user''s.';
COMMENT ON COLUMN users.invite_code IS 'The code in force of the permanent link; made on first use.';

CREATE TABLE signups (
    user_id              uuid CONSTRAINT signups_pkey PRIMARY KEY,
    name_key             text NOT NULL,
    username             text NOT NULL,
    display_name         text,
    outcome              text NOT NULL,
    reason               text,
    friendship           text NOT NULL,
    inviter_uid          text,
    inviter_username     text,
    inviter_display_name text,
    created_at           timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT signups_user FOREIGN KEY (user_id) REFERENCES users (id),
    CONSTRAINT signups_outcome CHECK (outcome IN ('accepted', 'ignored', 'none')),
    CONSTRAINT signups_reason CHECK ((reason IS NOT NULL) = (outcome = 'ignored')),
    CONSTRAINT signups_friendship CHECK (friendship IN ('friends', 'requested', 'none')),
    CONSTRAINT signups_inviter CHECK ((inviter_uid IS NOT NULL) = (outcome = 'accepted'))
);
COMMENT ON TABLE signups IS 'What each sign-up was answered, word for word, so that a replay gets the same.';

INSERT INTO schema_migrations (version, name) VALUES (2, 'users');
