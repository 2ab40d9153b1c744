CREATE TABLE people (
    id         uuid CONSTRAINT people_pkey PRIMARY KEY,
    email      text NOT NULL,
    roles      text[] NOT NULL,
    by_rule    boolean NOT NULL,
    created_at timestamptz NOT NULL,
    created_by text NOT NULL,
    removed_at timestamptz,
    CONSTRAINT people_email_key UNIQUE (email),
    CONSTRAINT people_email_form CHECK (
        char_length(email) <= 254 AND email = lower(email) AND email ~ '^[!-~]+@[!-~]+$'),
    CONSTRAINT people_roles CHECK (
        cardinality(roles) > 0 AND roles <@ ARRAY['viewer', 'links', 'growth', 'support', 'admin'])
);
COMMENT ON TABLE people IS
    'People who run the service and sign in at the console. Kith deletes no row: the audit names them. Written by People. Home key: id.';
COMMENT ON COLUMN people.id IS 'Random.';
COMMENT ON COLUMN people.email IS 'The mail address by which they are known, in lower case. It never changes.';
COMMENT ON COLUMN people.roles IS 'What they may do (Role.swift), in the order of the CHECK, each once.';
COMMENT ON COLUMN people.by_rule IS
    'Whether nobody added them: they signed in by OpenID Connect, and KITH_CONSOLE_ROLES gives them their roles, anew at each sign-in.';
COMMENT ON COLUMN people.created_at IS 'When they were first added.';
COMMENT ON COLUMN people.created_by IS 'Who added them first, as audit.actor.';
COMMENT ON COLUMN people.removed_at IS 'When they were removed; no rule lets them in any more. NULL: they may sign in.';

CREATE TABLE sign_in_links (
    sha256     bytea CONSTRAINT sign_in_links_pkey PRIMARY KEY,
    person     uuid NOT NULL,
    created_at timestamptz NOT NULL,
    created_by text NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz,
    CONSTRAINT sign_in_links_sha256_length CHECK (octet_length(sha256) = 32)
);
COMMENT ON TABLE sign_in_links IS
    'Links with which people sign in once, without a provider. Kith deletes them 30 days after they expire. Written by People. Home key: sha256.';
COMMENT ON COLUMN sign_in_links.sha256 IS 'SHA-256 of the end of the link, which is shown once and kept nowhere.';
COMMENT ON COLUMN sign_in_links.person IS 'people.id: who signs in with it.';
COMMENT ON COLUMN sign_in_links.created_at IS 'When it was made.';
COMMENT ON COLUMN sign_in_links.created_by IS 'Who made it, as audit.actor.';
COMMENT ON COLUMN sign_in_links.expires_at IS 'From when on it is refused.';
COMMENT ON COLUMN sign_in_links.used_at IS 'When somebody signed in with it, which works once. NULL: nobody has.';

CREATE TABLE sessions (
    id       uuid CONSTRAINT sessions_pkey PRIMARY KEY,
    sha256   bytea NOT NULL,
    person   uuid NOT NULL,
    method   text NOT NULL,
    began_at timestamptz NOT NULL,
    seen_at  timestamptz NOT NULL,
    ends_at  timestamptz NOT NULL,
    ended_at timestamptz,
    CONSTRAINT sessions_sha256_key UNIQUE (sha256),
    CONSTRAINT sessions_sha256_length CHECK (octet_length(sha256) = 32),
    CONSTRAINT sessions_method CHECK (method IN ('link', 'openid')),
    CONSTRAINT sessions_times CHECK (began_at <= seen_at AND began_at < ends_at)
);
COMMENT ON TABLE sessions IS
    'Browsers in which people are signed in at the console. Kith deletes them 30 days after their end. Written by People. Home key: id.';
COMMENT ON COLUMN sessions.id IS 'Random. It is not secret: lists and the audit show it.';
COMMENT ON COLUMN sessions.sha256 IS 'SHA-256 of the secret in the cookie, which is kept nowhere.';
COMMENT ON COLUMN sessions.person IS 'people.id: who is signed in.';
COMMENT ON COLUMN sessions.method IS 'How they signed in: link or openid.';
COMMENT ON COLUMN sessions.began_at IS 'When they signed in.';
COMMENT ON COLUMN sessions.seen_at IS 'When a call last came with it, within five minutes. Unused for twelve hours it is refused.';
COMMENT ON COLUMN sessions.ends_at IS 'From when on it is refused, however often it is used.';
COMMENT ON COLUMN sessions.ended_at IS 'When somebody ended it: its person, an admin, a change of roles, a removal, or `kith restored`. NULL: nobody has.';

CREATE INDEX sessions_person ON sessions (person);
COMMENT ON INDEX sessions_person IS 'The sessions of a person.';

INSERT INTO schema_migrations (version, name) VALUES (25, 'people');
