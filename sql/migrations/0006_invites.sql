CREATE TABLE invites (
    code       text CONSTRAINT invites_pkey PRIMARY KEY,
    owner_id   uuid NOT NULL,
    kind       text NOT NULL,
    mode       text NOT NULL DEFAULT 'auto',
    label      text,
    note       text,
    uses       integer NOT NULL DEFAULT 0,
    max_uses   integer,
    expires_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT invites_kind CHECK (kind IN ('personal', 'custom')),
    CONSTRAINT invites_mode CHECK (mode IN ('auto', 'ask')),
    CONSTRAINT invites_label_length CHECK (char_length(label) BETWEEN 1 AND 100),
    CONSTRAINT invites_note_length CHECK (char_length(note) BETWEEN 1 AND 140),
    CONSTRAINT invites_uses CHECK (
        uses >= 0 AND (max_uses IS NULL OR (max_uses > 0 AND uses <= max_uses)))
) WITH (autovacuum_vacuum_scale_factor = 0.02);
COMMENT ON TABLE invites IS
    'Invites with a code. The permanent link /users/{username}?invitedBy={uid} needs no row; its short form '
    'has one. Of the invites of an owner that no longer work, the newest KITH_MAX_LINKS stay, and the short '
    'codes of the last day; the others are deleted with their uses. Written by Invites. Home key: code.';
COMMENT ON COLUMN invites.code IS 'What the URL holds.';
COMMENT ON COLUMN invites.owner_id IS 'The user who invites by it. It never changes.';
COMMENT ON COLUMN invites.kind IS
    'personal: a short form of the permanent link; users.invite_code is the one in force. custom: made by '
    'POST /v1/invites.';
COMMENT ON COLUMN invites.mode IS
    'What becomes of the owner and the user who accepts. auto: they are friends. ask: the user sends a request.';
COMMENT ON COLUMN invites.label IS 'What the owner calls it, for instance an event. The page shows it. NULL: nothing.';
COMMENT ON COLUMN invites.note IS 'A line from the owner to those who open it. The page shows it. NULL: none.';
COMMENT ON COLUMN invites.uses IS 'How many users used it: the number of its rows in invite_uses.';
COMMENT ON COLUMN invites.max_uses IS 'How many users can use it. NULL: any number.';
COMMENT ON COLUMN invites.expires_at IS 'When it stops working. NULL: never.';
COMMENT ON COLUMN invites.revoked_at IS
    'When its owner revoked it, replaced it by a new code, or deleted their account. NULL: none of these.';
COMMENT ON COLUMN invites.created_at IS 'When it was made.';

CREATE TABLE invite_uses (
    code    text NOT NULL,
    user_id uuid NOT NULL,
    used_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT invite_uses_pkey PRIMARY KEY (code, user_id),
    CONSTRAINT invite_uses_invite FOREIGN KEY (code) REFERENCES invites (code)
);
COMMENT ON TABLE invite_uses IS
    'Who used which invite, at sign-up or later: a user counts once. It holds no uid, so that nothing readable of '
    'a deleted account stays. Written by Invites. Home key: code.';
COMMENT ON COLUMN invite_uses.code IS 'As in invites.';
COMMENT ON COLUMN invite_uses.user_id IS 'The user who used it.';
COMMENT ON COLUMN invite_uses.used_at IS 'When they used it.';

CREATE INDEX invite_uses_recent ON invite_uses (code, used_at DESC, user_id);
COMMENT ON INDEX invite_uses_recent IS 'Who used an invite, newest first, for its owner.';
CREATE INDEX invite_uses_user ON invite_uses (user_id, used_at);
COMMENT ON INDEX invite_uses_user IS 'Which invites a user used, for their export.';

CREATE TABLE invites_by_owner (
    owner_id        uuid NOT NULL,
    code            text NOT NULL,
    kind            text NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    idempotency_key text,
    request_sha256  bytea,
    answer          text,
    CONSTRAINT invites_by_owner_pkey PRIMARY KEY (owner_id, code),
    CONSTRAINT invites_by_owner_idempotency UNIQUE (owner_id, idempotency_key),
    CONSTRAINT invites_by_owner_answer CHECK (num_nulls(idempotency_key, request_sha256, answer) IN (0, 3)),
    CONSTRAINT invites_by_owner_user FOREIGN KEY (owner_id) REFERENCES users (id)
);
COMMENT ON TABLE invites_by_owner IS
    'The invites of each owner, so that listing and counting them reads one home. A row is written and deleted '
    'with its row of invites. Written by Invites. Home key: owner_id.';
COMMENT ON COLUMN invites_by_owner.owner_id IS 'As in invites.';
COMMENT ON COLUMN invites_by_owner.code IS 'As in invites.';
COMMENT ON COLUMN invites_by_owner.kind IS 'As in invites.';
COMMENT ON COLUMN invites_by_owner.created_at IS 'As in invites.';
COMMENT ON COLUMN invites_by_owner.idempotency_key IS
    'The Idempotency-Key of the call that made the invite: the same call again gets the same answer. NULL: the call '
    'had none, or the owner deleted their account.';
COMMENT ON COLUMN invites_by_owner.request_sha256 IS
    'SHA-256 of the request with that key, so that another request with it is refused. NULL: there is no key.';
COMMENT ON COLUMN invites_by_owner.answer IS 'The body of the answer to it, byte for byte. NULL: there is no key.';

CREATE INDEX invites_by_owner_custom ON invites_by_owner (owner_id, created_at DESC, code) WHERE kind = 'custom';
COMMENT ON INDEX invites_by_owner_custom IS 'The list of custom invites, newest first, and how many they are.';

CREATE FUNCTION invite_and_owner(code text) RETURNS TABLE (invite invites, owner users) LANGUAGE sql STABLE AS $$
    SELECT i, u FROM invites i JOIN users u ON u.id = i.owner_id WHERE i.code = invite_and_owner.code
$$;
COMMENT ON FUNCTION invite_and_owner IS
    'The row of an invite and that of its owner. On Citus it is another function, like user_of_name.';

CREATE FUNCTION revoke_personal_invite(owner uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    current text;
    at CONSTANT timestamptz := now();
BEGIN
    SELECT u.invite_code INTO current FROM users u WHERE u.id = owner;
    IF current IS NOT NULL THEN
        UPDATE invites i SET revoked_at = coalesce(i.revoked_at, at) WHERE i.code = current;
        PERFORM require_row(FOUND, 'invite of the code in force');
        INSERT INTO outbox (user_id, type, facts)
        VALUES (owner, 'invite.revoked', json_build_object('code', current, 'kind', 'personal')::text);
    END IF;
END $$;
COMMENT ON FUNCTION revoke_personal_invite IS
    'Revokes the short code of a user, if they have one. Two statements, since one that finds its shard in another table '
    'would lock all shards of Citus until the transaction ends.';

CREATE FUNCTION forget_dead_invites(owner uuid, kept bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    dead text[];
    each_code text;
    uses_left integer := 1000;
    forgotten integer;
    at CONSTANT timestamptz := now();
BEGIN
    WITH mine AS MATERIALIZED (
        SELECT b.code, b.kind, b.created_at FROM invites_by_owner b WHERE b.owner_id = owner),
    beyond AS MATERIALIZED (
        SELECT i.code FROM mine JOIN invites i ON i.code = mine.code
        WHERE (i.revoked_at IS NOT NULL OR i.expires_at <= now() OR i.uses >= i.max_uses)
          AND (mine.kind = 'custom' OR mine.created_at <= now() - interval '1 day')
        ORDER BY mine.created_at DESC, i.code OFFSET kept LIMIT 100)
    SELECT array_agg(code) INTO dead FROM beyond;
    FOREACH each_code IN ARRAY coalesce(dead, '{}') LOOP
        DELETE FROM invite_uses u WHERE u.code = each_code
            AND u.user_id IN (SELECT f.user_id FROM invite_uses f WHERE f.code = each_code LIMIT uses_left);
        GET DIAGNOSTICS forgotten = ROW_COUNT;
        uses_left := uses_left - forgotten;
        IF uses_left = 0 THEN
            UPDATE invites i SET uses = greatest(i.uses - forgotten, 0), revoked_at = coalesce(i.revoked_at, at)
            WHERE i.code = each_code;
            RETURN;
        END IF;
        DELETE FROM invites i WHERE i.code = each_code;
        DELETE FROM invites_by_owner b WHERE b.owner_id = owner AND b.code = each_code;
    END LOOP;
END $$;
COMMENT ON FUNCTION forget_dead_invites IS
    'Deletes invites of an owner that no longer work, but for the newest `kept`: at most a hundred of them and a '
    'thousand uses at a time. What keeps some of its uses is revoked, so that having fewer does not make it usable. '
    'A statement for each invite, as in revoke_personal_invite.';

CREATE FUNCTION lock_users_of(kind text, keys text[]) RETURNS uuid[] LANGUAGE plpgsql AS $$
DECLARE
    ids uuid[];
    each_id uuid;
    locked uuid[] := '{}';
BEGIN
    CASE kind
        WHEN 'user' THEN ids := keys::uuid[];
        WHEN 'pair' THEN
            SELECT keys::uuid[] || array_agg(other_id) INTO ids FROM relationships WHERE user_id = ANY(keys::uuid[]);
        WHEN 'name' THEN SELECT array_agg(user_id) INTO ids FROM usernames WHERE name_key = ANY(keys);
        WHEN 'code' THEN SELECT array_agg(owner_id) INTO ids FROM invites WHERE code = ANY(keys);
    END CASE;
    FOR each_id IN SELECT DISTINCT unnest(ids) ORDER BY 1 LOOP
        PERFORM 1 FROM users WHERE id = each_id FOR NO KEY UPDATE;
        IF FOUND THEN
            locked := locked || each_id;
        END IF;
    END LOOP;
    RETURN locked;
END $$;
COMMENT ON FUNCTION lock_users_of IS
    'Locks users until the transaction ends, in the order of their ids, and returns those that there are: users by id, '
    'with all of their relationships as ''pair'', or those who have names or invites. For `kith verify`. One statement '
    'a user, since Citus locks rows of one home only.';

INSERT INTO schema_migrations (version, name) VALUES (6, 'invites');
