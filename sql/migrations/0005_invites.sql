-- Home key of links and link_uses: the code.
CREATE TABLE links (
    code       text CONSTRAINT links_pkey PRIMARY KEY,
    owner_id   uuid NOT NULL,
    kind       text NOT NULL,
    friendship text NOT NULL DEFAULT 'auto',
    label      text,
    uses       integer NOT NULL DEFAULT 0,
    max_uses   integer,
    expires_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT links_kind CHECK (kind IN ('personal', 'extra')),
    CONSTRAINT links_friendship CHECK (friendship IN ('auto', 'ask')),
    CONSTRAINT links_label_length CHECK (char_length(label) BETWEEN 1 AND 100),
    CONSTRAINT links_uses CHECK (
        uses >= 0 AND (max_uses IS NULL OR (max_uses > 0 AND uses <= max_uses)))
);
COMMENT ON COLUMN links.kind IS 'personal: the short form of a user''s permanent link; extra: made on purpose.';

CREATE TABLE link_uses (
    code    text NOT NULL,
    user_id uuid NOT NULL,
    uid     text NOT NULL,
    at      timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT link_uses_pkey PRIMARY KEY (code, user_id),
    CONSTRAINT link_uses_link FOREIGN KEY (code) REFERENCES links (code)
);
CREATE INDEX link_uses_recent ON link_uses (code, at DESC, user_id);
COMMENT ON TABLE link_uses IS 'Who came through a link, once each; links.uses is their number.';

-- Home key: the owner.
CREATE TABLE links_by_owner (
    owner_id        uuid NOT NULL,
    code            text NOT NULL,
    kind            text NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    idempotency_key text,
    request_sha256  bytea,
    CONSTRAINT links_by_owner_pkey PRIMARY KEY (owner_id, code),
    CONSTRAINT links_by_owner_idempotency UNIQUE (owner_id, idempotency_key),
    CONSTRAINT links_by_owner_user FOREIGN KEY (owner_id) REFERENCES users (id)
);
CREATE INDEX links_by_owner_extra ON links_by_owner (owner_id, created_at DESC, code) WHERE kind = 'extra';

-- Home key: the invitee, who is attributed once, for ever.
CREATE TABLE acceptances (
    invitee_id  uuid CONSTRAINT acceptances_pkey PRIMARY KEY,
    inviter_id  uuid NOT NULL,
    code        text,
    accepted_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT acceptances_user FOREIGN KEY (invitee_id) REFERENCES users (id),
    CONSTRAINT acceptances_self CHECK (invitee_id <> inviter_id)
);
CREATE INDEX acceptances_inviter ON acceptances (inviter_id, accepted_at DESC, invitee_id);
COMMENT ON COLUMN acceptances.code IS 'NULL: through the permanent link itself.';

INSERT INTO schema_migrations (version, name) VALUES (5, 'invites');
