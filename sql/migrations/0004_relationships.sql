-- Home key: the user. Two mirrored rows a pair; each is written by the same upsert, the row with
-- the smaller user_id first, so that crossing requests meet on one lock.
CREATE TABLE relationships (
    user_id    uuid NOT NULL,
    other_id   uuid NOT NULL,
    other_uid  text NOT NULL,
    i_want     boolean NOT NULL DEFAULT false,
    they_want  boolean NOT NULL DEFAULT false,
    i_block    boolean NOT NULL DEFAULT false,
    they_block boolean NOT NULL DEFAULT false,
    since      timestamptz,
    touched_at timestamptz NOT NULL DEFAULT now(),
    seq        bigint NOT NULL DEFAULT 1,
    CONSTRAINT relationships_pkey PRIMARY KEY (user_id, other_id),
    CONSTRAINT relationships_user FOREIGN KEY (user_id) REFERENCES users (id),
    CONSTRAINT relationships_self CHECK (user_id <> other_id),
    CONSTRAINT relationships_since CHECK (
        (since IS NOT NULL) = (i_want AND they_want AND NOT i_block AND NOT they_block))
);
CREATE INDEX relationships_friends ON relationships (user_id, since DESC, other_id) WHERE since IS NOT NULL;
COMMENT ON COLUMN relationships.since IS 'Friends since; set exactly while both want and none blocks.';
COMMENT ON COLUMN relationships.other_uid IS 'A uid never changes; stored so that a list reads one home.';

INSERT INTO schema_migrations (version, name) VALUES (4, 'relationships');
