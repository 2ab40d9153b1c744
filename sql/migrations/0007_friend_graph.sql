-- The friend graph: requests, blocks, declines, delta sync. Home key of every table here: the user.

-- A request may go to a uid that nobody has yet, as to one that is hidden: nobody can tell which.
ALTER TABLE relationships DROP CONSTRAINT relationships_user;

ALTER TABLE relationships
    ADD asked_at    timestamptz,
    ADD heard_at    timestamptz,
    ADD blocked_at  timestamptz,
    ADD quiet_until timestamptz,
    ADD declines    smallint NOT NULL DEFAULT 0,
    ADD they_away   boolean NOT NULL DEFAULT false,
    ADD changed_in  xid8 NOT NULL DEFAULT pg_current_xact_id();

UPDATE relationships
SET asked_at   = CASE WHEN i_want AND since IS NULL THEN touched_at END,
    heard_at   = CASE WHEN they_want AND NOT i_want AND NOT i_block AND NOT they_block THEN touched_at END,
    blocked_at = CASE WHEN i_block THEN touched_at END
WHERE since IS NULL;
UPDATE relationships r SET they_away = true FROM users u WHERE u.id = r.other_id AND u.status <> 'active';

ALTER TABLE relationships
    ADD CONSTRAINT relationships_asked CHECK (
        CASE WHEN asked_at IS NULL THEN NOT i_want OR since IS NOT NULL ELSE i_want END),
    ADD CONSTRAINT relationships_heard CHECK (
        heard_at IS NULL OR (they_want AND NOT i_want AND NOT i_block AND NOT they_block)),
    ADD CONSTRAINT relationships_blocked CHECK (i_block = (blocked_at IS NOT NULL) AND NOT (i_block AND i_want)),
    ADD CONSTRAINT relationships_declines CHECK (declines >= 0 AND (quiet_until IS NULL OR declines > 0));

COMMENT ON COLUMN relationships.asked_at IS 'My request shows as outgoing since; NULL where friends, unless they are away.';
COMMENT ON COLUMN relationships.heard_at IS 'Their request shows as incoming since; NULL where I declined or one blocks.';
COMMENT ON COLUMN relationships.quiet_until IS 'I declined: until then a request of theirs is not shown.';
COMMENT ON COLUMN relationships.declines IS 'How often I declined since we were last friends.';
COMMENT ON COLUMN relationships.they_away IS 'They are suspended: all is kept and nothing shows.';
COMMENT ON COLUMN relationships.changed_in IS
    'The transaction that last changed what the owner sees of the row; 0: none has. Orders delta sync.';

DROP INDEX relationships_friends;
CREATE INDEX relationships_friends ON relationships (user_id, since DESC, other_id)
    WHERE since IS NOT NULL AND NOT they_away;
CREATE INDEX relationships_away ON relationships (user_id) WHERE since IS NOT NULL AND they_away;
CREATE INDEX relationships_outgoing ON relationships (user_id, asked_at DESC, other_id) WHERE asked_at IS NOT NULL;
CREATE INDEX relationships_incoming ON relationships (user_id, heard_at DESC, other_id)
    WHERE heard_at IS NOT NULL AND NOT they_away;
CREATE INDEX relationships_blocks ON relationships (user_id, blocked_at DESC, other_id) WHERE blocked_at IS NOT NULL;
CREATE INDEX relationships_changes ON relationships (user_id, changed_in, other_id);

-- The transition table (ARCHITECTURE.md, "Friends") and the only place that decides what becomes of a
-- row. One act is applied to both rows of a pair: NULL leaves a wish or a block as it was. Only what the
-- row's owner can see counts as a change: nobody is to learn of a block or a declined request by syncing.
CREATE FUNCTION relationship_after(
    before relationships, i_now_want boolean, i_now_block boolean, they_now_want boolean, they_now_block boolean,
    at timestamptz, transaction xid8, quiet_days bigint[]
) RETURNS relationships LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    r relationships := before;
    were_friends boolean := before.since IS NOT NULL;
    are_friends boolean;
BEGIN
    -- Who ends a friendship ends both wishes; any other wish stays its owner's.
    r.i_want := coalesce(i_now_want, before.i_want) AND NOT (were_friends AND they_now_want IS FALSE);
    r.they_want := coalesce(they_now_want, before.they_want) AND NOT (were_friends AND i_now_want IS FALSE);
    r.i_block := coalesce(i_now_block, before.i_block);
    r.they_block := coalesce(they_now_block, before.they_block);
    are_friends := r.i_want AND r.they_want AND NOT r.i_block AND NOT r.they_block;

    r.since := CASE WHEN are_friends THEN coalesce(before.since, at) END;
    r.asked_at := CASE
        WHEN NOT r.i_want OR (are_friends AND NOT before.they_away) THEN NULL
        WHEN i_now_want THEN coalesce(before.asked_at, at)
        ELSE before.asked_at END;
    r.blocked_at := CASE WHEN r.i_block THEN coalesce(before.blocked_at, at) END;

    IF are_friends THEN
        r.declines := 0;
        r.quiet_until := NULL;
    ELSIF i_now_want IS FALSE AND i_now_block IS NULL AND before.heard_at IS NOT NULL THEN
        r.declines := before.declines + 1;
        r.quiet_until := at + quiet_days[least(r.declines, cardinality(quiet_days))] * interval '1 day';
    ELSIF they_now_want AND before.quiet_until <= at THEN
        r.quiet_until := NULL;
    END IF;

    r.heard_at := CASE
        WHEN NOT r.they_want OR r.i_want OR r.i_block OR r.they_block OR i_now_want IS FALSE THEN NULL
        WHEN they_now_want AND r.quiet_until IS NULL THEN coalesce(before.heard_at, at)
        ELSE before.heard_at END;

    IF (r.i_block, r.asked_at) IS DISTINCT FROM (before.i_block, before.asked_at)
        OR (NOT r.they_away AND (r.since, r.heard_at) IS DISTINCT FROM (before.since, before.heard_at)) THEN
        r.changed_in := transaction;
    END IF;
    RETURN r;
END $$;

CREATE TABLE dismissals (
    user_id      uuid NOT NULL,
    other_id     uuid NOT NULL,
    other_uid    text NOT NULL,
    dismissed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT dismissals_pkey PRIMARY KEY (user_id, other_id),
    CONSTRAINT dismissals_user FOREIGN KEY (user_id) REFERENCES users (id),
    CONSTRAINT dismissals_self CHECK (user_id <> other_id)
);
COMMENT ON TABLE dismissals IS 'Whom a user no longer wants to be suggested.';

-- What cursors are signed with, so that all servers on this database take one another's.
CREATE TABLE secrets (
    name  text CONSTRAINT secrets_pkey PRIMARY KEY,
    bytes bytea NOT NULL
);
INSERT INTO secrets (name, bytes)
VALUES ('cursors', sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

INSERT INTO schema_migrations (version, name) VALUES (7, 'friend_graph');
