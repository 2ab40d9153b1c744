-- PostgreSQL database dump

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

-- Name: activate_names(uuid[]); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.activate_names(users_of_names uuid[]) RETURNS text[]
    LANGUAGE plpgsql
    AS $$
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

COMMENT ON FUNCTION public.activate_names(users_of_names uuid[]) IS 'Activates the current names of some users to which nobody else has a claim, and returns them, for `kith verify --repair`. It locks the users'' open periods first, as a rename does, then the names in their order.';

-- Name: change_relationship(uuid, uuid, text, boolean, boolean, boolean, boolean, timestamp with time zone, bigint, bigint[], boolean); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.change_relationship(owner uuid, other uuid, uid text, i_now_want boolean, i_now_block boolean, they_now_want boolean, they_now_block boolean, at timestamp with time zone, request_limit bigint, quiet_days bigint[], may_insert boolean) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    before relationships;
    r relationships;
    is_known boolean;
    is_full boolean;
    told text;
    cause text;
BEGIN
    LOOP
        SELECT * INTO before FROM relationships WHERE user_id = owner AND other_id = other;
        is_known := FOUND;
        IF NOT is_known THEN
            IF NOT may_insert THEN RETURN; END IF;
            before := ROW(
                owner, other, false, false, false, false, false, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, uid,
                NULL, NULL, NULL, NULL, NULL, NULL);
        END IF;

        -- All other requests were counted before. Its user cannot tell that this one stays hidden.
        is_full := they_now_want AND before.they_want AND before.since IS NULL AND before.heard_at IS NULL;
        IF is_full THEN
            SELECT count(*) >= request_limit INTO is_full FROM relationships
            WHERE user_id = owner AND heard_at IS NOT NULL;
        END IF;
        r := relationship_after(
            before, i_now_want, i_now_block, CASE WHEN is_full THEN NULL ELSE they_now_want END, they_now_block, at,
            quiet_days);
        IF r IS NOT DISTINCT FROM before THEN RETURN; END IF;
        IF r.since IS NOT NULL THEN
            SELECT username, display_name, avatar_url, metadata
            INTO r.other_username, r.other_display_name, r.other_avatar_url, r.other_metadata
            FROM users WHERE id = other;
        END IF;

        IF is_known THEN
            UPDATE relationships
            SET i_want = r.i_want, they_want = r.they_want, i_block = r.i_block, they_block = r.they_block,
                they_away = r.they_away, declines = r.declines, since = r.since, asked_at = r.asked_at,
                heard_at = r.heard_at, blocked_at = r.blocked_at, quiet_until = r.quiet_until, ended_at = r.ended_at,
                touched_at = now(), change = r.change, other_username = r.other_username,
                other_display_name = r.other_display_name, other_avatar_url = r.other_avatar_url,
                other_metadata = r.other_metadata
            WHERE user_id = owner AND other_id = other AND touched_at = before.touched_at
                AND they_away = before.they_away AND asked_at IS NOT DISTINCT FROM before.asked_at;
        ELSE
            INSERT INTO relationships (
                user_id, other_id, i_want, they_want, i_block, they_block, they_away, declines, since, asked_at,
                heard_at, blocked_at, quiet_until, change, other_uid, other_username, other_display_name,
                other_avatar_url, other_metadata)
            VALUES (
                owner, other, r.i_want, r.they_want, r.i_block, r.they_block, r.they_away, r.declines, r.since,
                r.asked_at, r.heard_at, r.blocked_at, r.quiet_until, r.change, uid, r.other_username,
                r.other_display_name, r.other_avatar_url, r.other_metadata)
            ON CONFLICT (user_id, other_id) DO NOTHING;
        END IF;
        -- An import locks no users, and copy_user not the owner, so they may have written the row since it was read.
        EXIT WHEN FOUND;
    END LOOP;
    told := relationship_event(before, r);
    -- Who has not signed up is told nothing. Citus would number the row of an INSERT ... SELECT on a worker, behind later ones.
    IF told IS NOT NULL AND EXISTS (SELECT FROM users WHERE id = owner) THEN
        cause := CASE
            WHEN told = 'friend.created' AND before.heard_at IS NOT NULL AND NOT before.they_away THEN 'accepted'
            WHEN told = 'friend.request_ended' AND (i_now_want IS FALSE OR i_now_block) THEN 'declined' END;
        INSERT INTO outbox (user_id, type, other_id, facts)
        VALUES (owner, told, other, CASE WHEN cause IS NOT NULL THEN json_build_object('cause', cause)::text END);
    END IF;
END $$;

COMMENT ON FUNCTION public.change_relationship(owner uuid, other uuid, uid text, i_now_want boolean, i_now_block boolean, they_now_want boolean, they_now_block boolean, at timestamp with time zone, request_limit bigint, quiet_days bigint[], may_insert boolean) IS 'Applies an act to the row of one owner, as relationship_after decides; the caller locked both users. It leaves a row alone that the act does not change, and inserts a missing one only if may_insert. A repeated request that is hidden, as after a decline, shows only if the owner has fewer than request_limit. What the owner sees of it goes into outbox, with what they did themselves about a request of the other one.';

-- Name: copy_user(uuid, uuid[]); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.copy_user(them uuid, owners uuid[] DEFAULT NULL::uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    -- No row of users: PL/pgSQL keeps the types of its columns for the session, and fails once a migration changes one.
    name text;
    display text;
    avatar text;
    notes text;
    is_away boolean;
    owner uuid;
    before relationships;
    r relationships;
    told text;
BEGIN
    SELECT username, display_name, avatar_url, metadata, status = 'suspended'
    INTO name, display, avatar, notes, is_away FROM users WHERE id = them;
    IF owners IS NULL THEN
        SELECT array_agg(other_id ORDER BY other_id) INTO owners FROM (
            SELECT other_id FROM relationships WHERE user_id = them AND since IS NOT NULL AND NOT they_away
            UNION SELECT other_id FROM relationships WHERE user_id = them AND since IS NOT NULL AND they_away
            UNION SELECT other_id FROM relationships WHERE user_id = them AND asked_at IS NOT NULL) wanted;
        PERFORM require_mirrors(them, owners);
    END IF;
    FOREACH owner IN ARRAY coalesce(owners, '{}') LOOP
        SELECT * INTO before FROM relationships WHERE user_id = owner AND other_id = them;
        UPDATE relationships
        SET they_away = is_away,
            asked_at = CASE WHEN is_away OR since IS NULL THEN asked_at END,
            other_username = CASE WHEN since IS NOT NULL THEN name END,
            other_display_name = CASE WHEN since IS NOT NULL THEN display END,
            other_avatar_url = CASE WHEN since IS NOT NULL THEN avatar END,
            other_metadata = CASE WHEN since IS NOT NULL THEN notes END,
            change = CASE
                WHEN since IS NULL AND (heard_at IS NULL OR they_away = is_away) THEN change
                WHEN they_away = is_away AND (other_username, other_display_name, other_avatar_url, other_metadata)
                    IS NOT DISTINCT FROM (name, display, avatar, notes) THEN change END
        -- Also rows that seem to be right: one that Citus has not committed yet on its node is locked, and still the old one.
        WHERE user_id = owner AND other_id = them AND they_want
        RETURNING * INTO r;
        told := CASE WHEN FOUND AND before.user_id IS NOT NULL THEN relationship_event(before, r) END;
        IF told IS NOT NULL THEN
            INSERT INTO outbox (user_id, type, other_id) VALUES (owner, told, them);
        END IF;
    END LOOP;
END $$;

COMMENT ON FUNCTION public.copy_user(them uuid, owners uuid[]) IS 'Copies what the rows of some owners repeat of a user: the profile, if they are friends, and whether the user is away. Owners are given in the order of their ids, so that two calls lock rows in one order; NULL: all whom the user wants, for a caller that locked the user before, so that none comes in between. What a friend asked while the user was away is over when the user is back: they are friends again.';

-- Name: end_relationships(uuid, bigint, bigint[]); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.end_relationships(them uuid, request_limit bigint, quiet_days bigint[]) RETURNS uuid[]
    LANGUAGE plpgsql
    AS $$
DECLARE
    others uuid[];
    askers uuid[];
    owner uuid;
BEGIN
    SELECT coalesce(array_agg(other_id), '{}') INTO others FROM (
        SELECT other_id FROM relationships WHERE user_id = them AND since IS NOT NULL AND NOT they_away
        UNION SELECT other_id FROM relationships WHERE user_id = them AND since IS NOT NULL AND they_away
        UNION SELECT other_id FROM relationships WHERE user_id = them AND asked_at IS NOT NULL
        UNION SELECT other_id FROM relationships WHERE user_id = them AND blocked_at IS NOT NULL
        UNION SELECT other_id FROM relationships WHERE user_id = them AND (declines > 0 OR ended_at IS NOT NULL)
        UNION SELECT other_id FROM relationships
              WHERE user_id = them AND NOT i_want AND NOT they_want AND NOT i_block AND NOT they_block) pairs;
    SELECT array_agg(other_id) INTO askers FROM relationships WHERE user_id = them AND heard_at IS NOT NULL;
    PERFORM require_mirrors(them, others || askers);
    -- In the order of the rows' keys, so that two accounts that are deleted at the same instant do not deadlock.
    FOR owner IN SELECT unnest(others || them) ORDER BY 1 LOOP
        IF owner = them THEN
            UPDATE relationships
            SET i_want = false, they_want = they_want AND since IS NULL, i_block = false,
                they_away = they_away AND since IS NULL, declines = 0, since = NULL, asked_at = NULL, heard_at = NULL,
                blocked_at = NULL, quiet_until = NULL, ended_at = NULL, other_username = NULL, other_display_name = NULL,
                other_avatar_url = NULL, other_metadata = NULL, touched_at = now()
            WHERE user_id = them AND other_id = ANY(others) AND (i_want OR i_block OR declines > 0 OR ended_at IS NOT NULL);
            DELETE FROM relationships
            WHERE user_id = them AND NOT i_want AND NOT they_want AND NOT i_block AND NOT they_block;
        ELSE
            PERFORM change_relationship(
                owner, them, '', NULL, NULL, false, false, now(), request_limit, quiet_days, false);
            DELETE FROM relationships
            WHERE user_id = owner AND other_id = them AND NOT (i_want OR they_want OR i_block OR they_block)
                AND change = 0;
        END IF;
    END LOOP;
    RETURN others;
END $$;

COMMENT ON FUNCTION public.end_relationships(them uuid, request_limit bigint, quiet_days bigint[]) IS 'Ends everything that a user wished, blocked or declined, deletes the rows that nobody has to be told of, and returns the others of these pairs. Others keep their own requests and blocks; of the user''s own rows those stay that mirror them. The caller locks the user before, so that no pair comes in between.';

-- Name: fold(text); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.fold(name text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN lower((name COLLATE "C"));

COMMENT ON FUNCTION public.fold(name text) IS 'A username as it is compared: A to Z in lower case, all else as it is, whatever the locale of the database.';

-- Name: forget_dead_invites(uuid, bigint); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.forget_dead_invites(owner uuid, kept bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
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

COMMENT ON FUNCTION public.forget_dead_invites(owner uuid, kept bigint) IS 'Deletes invites of an owner that no longer work, but for the newest `kept`: at most a hundred of them and a thousand uses at a time. What keeps some of its uses is revoked, so that having fewer does not make it usable. A statement for each invite, as in revoke_personal_invite.';

-- Name: forget_ends(uuid, bigint); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.forget_ends(owner uuid, kept bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    other uuid;
    mine relationships;
    theirs relationships;
    last bigint;
BEGIN
    FOR other IN
        SELECT other_id FROM relationships
        WHERE user_id = owner AND NOT i_want AND NOT i_block AND heard_at IS NULL AND change IS DISTINCT FROM 0
        ORDER BY change DESC, other_id LIMIT 100 OFFSET kept
    LOOP
        SELECT * INTO mine FROM relationships
        WHERE user_id = owner AND other_id = other
            AND NOT i_want AND NOT i_block AND heard_at IS NULL AND change IS DISTINCT FROM 0
        FOR UPDATE SKIP LOCKED;
        CONTINUE WHEN NOT FOUND;
        SELECT * INTO theirs FROM relationships
        WHERE user_id = other AND other_id = owner FOR UPDATE SKIP LOCKED;
        CONTINUE WHEN NOT FOUND
            AND EXISTS (SELECT 1 FROM relationships WHERE user_id = other AND other_id = owner);

        last := greatest(last, coalesce(mine.change, (SELECT changes + 1 FROM users WHERE id = owner)));
        IF mine.they_want OR mine.they_block OR mine.declines > 0 OR theirs.declines > 0
            OR coalesce(mine.ended_at, theirs.ended_at) IS NOT NULL THEN
            UPDATE relationships SET change = 0 WHERE user_id = owner AND other_id = other;
            CONTINUE;
        END IF;
        DELETE FROM relationships WHERE user_id = owner AND other_id = other;
        IF theirs.change = 0 OR NOT EXISTS (SELECT 1 FROM users WHERE id = other AND status <> 'deleted') THEN
            DELETE FROM relationships WHERE user_id = other AND other_id = owner;
        END IF;
    END LOOP;
    IF last IS NOT NULL THEN
        UPDATE users SET ends_forgotten = greatest(ends_forgotten, last), changes = greatest(changes, last)
        WHERE id = owner;
    END IF;
END $$;

COMMENT ON FUNCTION public.forget_ends(owner uuid, kept bigint) IS 'Keeps the newest ended relationships of a user, and deletes older ones, up to 100. Phones that were not told of those must reload: users.ends_forgotten. The caller locked the user. Rows that others lock are left for the next time, so it waits for nobody. The other row goes, too, if nobody has to be told of it.';

-- Name: user_id(text); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.user_id(uid text) RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (encode(substr(sha256(convert_to(uid, 'UTF8'::name)), 1, 16), 'hex'::text))::uuid;

COMMENT ON FUNCTION public.user_id(uid text) IS 'The id of the user with a uid: the first 16 bytes of its SHA-256, so that a token gives the id without a look-up. STABLE, because PostgreSQL could not inline it as IMMUTABLE: it counts convert_to as STABLE.';

SET default_tablespace = '';

SET default_table_access_method = heap;

-- Name: invites; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.invites (
    code text NOT NULL,
    owner_id uuid NOT NULL,
    kind text NOT NULL,
    mode text DEFAULT 'auto'::text NOT NULL,
    label text,
    note text,
    uses integer DEFAULT 0 NOT NULL,
    max_uses integer,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT invites_kind CHECK ((kind = ANY (ARRAY['personal'::text, 'custom'::text]))),
    CONSTRAINT invites_label_length CHECK (((char_length(label) >= 1) AND (char_length(label) <= 100))),
    CONSTRAINT invites_mode CHECK ((mode = ANY (ARRAY['auto'::text, 'ask'::text]))),
    CONSTRAINT invites_note_length CHECK (((char_length(note) >= 1) AND (char_length(note) <= 140))),
    CONSTRAINT invites_uses CHECK (((uses >= 0) AND ((max_uses IS NULL) OR ((max_uses > 0) AND (uses <= max_uses)))))
)
WITH (autovacuum_vacuum_scale_factor='0.02');

COMMENT ON TABLE public.invites IS 'Invites with a code. The permanent link /users/{username}?invitedBy={uid} needs no row; its short form has one. Of the invites of an owner that no longer work, the newest KITH_MAX_LINKS stay, and the short codes of the last day; the others are deleted with their uses. Written by Invites. Home key: code.';
COMMENT ON COLUMN public.invites.code IS 'What the URL holds.';
COMMENT ON COLUMN public.invites.owner_id IS 'The user who invites by it. It never changes.';
COMMENT ON COLUMN public.invites.kind IS 'personal: a short form of the permanent link; users.invite_code is the one in force. custom: made by POST /v1/invites.';
COMMENT ON COLUMN public.invites.mode IS 'What becomes of the owner and the user who accepts. auto: they are friends. ask: the user sends a request.';
COMMENT ON COLUMN public.invites.label IS 'What the owner calls it, for instance an event. The page shows it. NULL: nothing.';
COMMENT ON COLUMN public.invites.note IS 'A line from the owner to those who open it. The page shows it. NULL: none.';
COMMENT ON COLUMN public.invites.uses IS 'How many users used it: the number of its rows in invite_uses.';
COMMENT ON COLUMN public.invites.max_uses IS 'How many users can use it. NULL: any number.';
COMMENT ON COLUMN public.invites.expires_at IS 'When it stops working. NULL: never.';
COMMENT ON COLUMN public.invites.revoked_at IS 'When its owner revoked it, replaced it by a new code, or deleted their account. NULL: none of these.';
COMMENT ON COLUMN public.invites.created_at IS 'When it was made.';

-- Name: users; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.users (
    id uuid NOT NULL,
    uid text NOT NULL,
    username text NOT NULL,
    display_name text,
    avatar_url text,
    metadata text,
    status text DEFAULT 'active'::text NOT NULL,
    status_reason text,
    frozen_at timestamp with time zone,
    frozen_reason text,
    invites text DEFAULT 'auto'::text NOT NULL,
    invite_code text,
    history_complete boolean DEFAULT true NOT NULL,
    profiles_at timestamp with time zone[],
    spellings_at timestamp with time zone[],
    revision bigint DEFAULT 1 NOT NULL,
    changes bigint DEFAULT 0 NOT NULL,
    ends_forgotten bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT users_avatar_url CHECK (((avatar_url ~ '^https://[!-~]+$'::text) AND (octet_length(avatar_url) <= 512))),
    CONSTRAINT users_display_name_length CHECK ((((char_length(display_name) >= 1) AND (char_length(display_name) <= 100)) AND (octet_length(display_name) <= 300))),
    CONSTRAINT users_frozen CHECK ((((frozen_at IS NULL) = (frozen_reason IS NULL)) AND ((char_length(frozen_reason) >= 1) AND (char_length(frozen_reason) <= 500)))),
    CONSTRAINT users_id_of_uid CHECK ((id = public.user_id(uid))),
    CONSTRAINT users_invites CHECK ((invites = ANY (ARRAY['auto'::text, 'ask'::text, 'off'::text]))),
    CONSTRAINT users_metadata CHECK (((jsonb_typeof((metadata)::jsonb) = 'object'::text) AND (octet_length(metadata) <= 1024))),
    CONSTRAINT users_status CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'deleted'::text]))),
    CONSTRAINT users_status_reason CHECK (((char_length(status_reason) >= 1) AND (char_length(status_reason) <= 500))),
    CONSTRAINT users_uid_length CHECK (((char_length(uid) >= 1) AND (char_length(uid) <= 128))),
    CONSTRAINT users_username_length CHECK (((char_length(username) >= 1) AND (char_length(username) <= 64)))
)
WITH (autovacuum_vacuum_scale_factor='0.02');

COMMENT ON TABLE public.users IS 'Everyone who ever had an account. Sign-up and import add rows; none is ever deleted. Whoever changes relationships locks the rows of both users first, the smaller id before the greater. Written by Users. Home key: id.';
COMMENT ON COLUMN public.users.id IS 'user_id(uid). Other tables name a user by it.';
COMMENT ON COLUMN public.users.uid IS 'The id of the user at the identity provider, as tokens have it. It never changes.';
COMMENT ON COLUMN public.users.username IS 'The current username as the user spelled it; fold(username) is its key. ''[deleted]'' if status is deleted.';
COMMENT ON COLUMN public.users.display_name IS 'The name that is shown beside the username. NULL: none.';
COMMENT ON COLUMN public.users.avatar_url IS 'The address of the user''s picture, on a host that KITH_AVATAR_HOSTS allowed when it was set. NULL: none.';
COMMENT ON COLUMN public.users.metadata IS 'What the app keeps with the profile: a JSON object of strings, keys sorted, without spaces. NULL: nothing.';
COMMENT ON COLUMN public.users.status IS 'active; suspended: an operator hides the account, and everything is kept; deleted: only this row is left.';
COMMENT ON COLUMN public.users.status_reason IS 'Why an operator suspended the account. Only people read this. NULL: not suspended, or no reason was given.';
COMMENT ON COLUMN public.users.frozen_at IS 'Since when nobody can join or make friends by the links of this user, because an operator froze their inviting. NULL: it is not frozen.';
COMMENT ON COLUMN public.users.frozen_reason IS 'Why the operator froze it. NULL: it is not frozen.';
COMMENT ON COLUMN public.users.invites IS 'What the user lets their invites do. auto: make friends, if the link does; ask: leave requests; off: nothing, as if there were none.';
COMMENT ON COLUMN public.users.invite_code IS 'The code in force of the permanent link, as in invites. NULL: imported, and nobody asked for it yet, or status is deleted.';
COMMENT ON COLUMN public.users.history_complete IS 'False: imported without the usernames they had before. A link with this user''s uid and a name that nobody is known to have had then leads to them.';
COMMENT ON COLUMN public.users.profiles_at IS 'When the display name, the avatar or the metadata was changed, newest first, as many times as a day allows. NULL: never.';
COMMENT ON COLUMN public.users.spellings_at IS 'When the spelling of the username was changed, likewise.';
COMMENT ON COLUMN public.users.revision IS 'Which version of what others see of this user, profile and status, this is: each change adds one.';
COMMENT ON COLUMN public.users.changes IS 'The number of the last change of this user''s relationships that delta sync numbered: microseconds since 1970, or one more than the number before, so that no number is given twice even if the database loses its last transactions. 0: nothing was numbered yet.';
COMMENT ON COLUMN public.users.ends_forgotten IS 'Old ended relationships are deleted. This is the greatest number of a change among those of this user that are. A phone that last synced before it must reload. 0: none is deleted.';
COMMENT ON COLUMN public.users.created_at IS 'When the user signed up; of an imported one, as the file says.';

-- Name: invite_and_owner(text); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.invite_and_owner(code text) RETURNS TABLE(invite public.invites, owner public.users)
    LANGUAGE sql STABLE
    AS $$
    SELECT i, u FROM invites i JOIN users u ON u.id = i.owner_id WHERE i.code = invite_and_owner.code
$$;

COMMENT ON FUNCTION public.invite_and_owner(code text) IS 'The row of an invite and that of its owner. On Citus it is another function, like user_of_name.';

-- Name: keep_days(bigint); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.keep_days(kept bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO '$user', 'public'
    AS $$
DECLARE
    today CONSTANT date := (now() AT TIME ZONE 'UTC')::date;
    starts bigint[];
    part   text;
BEGIN
    -- One server at a time is enough.
    PERFORM pg_advisory_xact_lock(hashtext('keep_days'));
    FOR ahead IN 0..2 LOOP
        part := format('events_%s', to_char(today + ahead, 'YYYYMMDD'));
        CONTINUE WHEN to_regclass(part) IS NOT NULL;
        -- Ids are microseconds.
        starts := ARRAY(
            SELECT extract(epoch FROM start)::bigint * 1000000
            FROM unnest(ARRAY[today + ahead, today + ahead + 1]) AS start);
        -- Attached, a partition waits for nobody who reads or writes the table; created as one, it would.
        EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part);
        EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', part, starts[1], starts[2]);
    END LOOP;
    FOR part IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'events'::regclass
          AND c.relname < format('events_%s', to_char(today - kept::int, 'YYYYMMDD'))
        ORDER BY c.relname
    LOOP
        BEGIN
            SET LOCAL lock_timeout = '100ms';
            EXECUTE format('DROP TABLE %I', part);
        EXCEPTION WHEN lock_not_available THEN
            -- Somebody reads the table, and whoever comes meanwhile would wait behind this: the next time will do.
            EXIT;
        END;
    END LOOP;
END $$;

COMMENT ON FUNCTION public.keep_days(kept bigint) IS 'Makes the partitions of events for today and two days more, and drops those older than so many days, unless somebody reads the table.';

-- Name: sort_key(text); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.sort_key(name text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
BEGIN
    RETURN CASE WHEN octet_length(name) = char_length(name) THEN lower(name COLLATE "C") ELSE left(translate(
        lower(normalize(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g'), NFKC) COLLATE "C"),
        'ÆÐØÞĐĦŁŊŒŦΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩςАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐ'
        'ァアィイゥウェエォオカガキギクグケゲコゴサザシジスズセゼソゾタダチヂッツヅテデトドナニヌネノハバパヒビピフブプヘベペホボポマミムメモャヤュユョヨラリルレロヮワヰヱヲンヴヵヶヽヾ',
        'æðøþđħłŋœŧαβγδεζηθικλμνξοπρστυφχψωσабвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґ'
        'ぁあぃいぅうぇえぉおかがきぎくぐけげこごさざしじすずせぜそぞただちぢっつづてでとどなにぬねのはばぱひびぴふぶぷへべぺほぼぽまみむめもゃやゅゆょよらりるれろゎわゐゑをんゔゕゖゝゞ'
        ), 100) END;
END $$;

COMMENT ON FUNCTION public.sort_key(name text) IS 'A name as friends and short links are sorted and searched by it: compatibility forms made plain, without accents, in lower case, katakana as hiragana, up to 100 characters. It depends on no locale and no library. In PL/pgSQL, because PostgreSQL would inline SQL, and would then plan this text anew in each statement that writes relationships.';

-- Name: link_search_text(text, text, text, text[], text); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.link_search_text(code text, name text, target text, tags text[], created_by text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN concat_ws('
'::text, public.sort_key(code), public.sort_key(name), public.sort_key(target), public.sort_key(created_by), (SELECT string_agg(public.sort_key(given.tag), '
'::text) AS string_agg FROM unnest(link_search_text.tags) given(tag)));

COMMENT ON FUNCTION public.link_search_text(code text, name text, target text, tags text[], created_by text) IS 'In what a search of short links looks: sort_key of each part, a line each, since no text that is searched for has line breaks.';

-- Name: lock_users_of(text, text[]); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.lock_users_of(kind text, keys text[]) RETURNS uuid[]
    LANGUAGE plpgsql
    AS $$
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

COMMENT ON FUNCTION public.lock_users_of(kind text, keys text[]) IS 'Locks users until the transaction ends, in the order of their ids, and returns those that there are: users by id, with all of their relationships as ''pair'', or those who have names or invites. For `kith verify`. One statement a user, since Citus locks rows of one home only.';

-- Name: number_events(bigint); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.number_events(most bigint) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    before bigint;
    now_us bigint;
    taken  bigint[];
BEGIN
    -- Mostly there is nothing, and so nothing to lock. By the index, whose dead entries are skipped, as those of a table are not.
    IF (SELECT seq FROM outbox ORDER BY seq LIMIT 1) IS NULL THEN
        RETURN (SELECT last FROM event_numbers WHERE scope = 'all');
    END IF;
    SELECT last INTO before FROM event_numbers WHERE scope = 'all' FOR UPDATE;
    SELECT array_agg(seq) INTO taken FROM (SELECT seq FROM outbox ORDER BY seq LIMIT most) oldest;
    IF taken IS NULL THEN RETURN before; END IF;
    now_us := extract(epoch FROM clock_timestamp()) * 1000000;
    before := greatest(before, now_us);
    INSERT INTO events (user_id, id, type, other_id, facts, at)
    SELECT user_id, before + row_number() OVER (ORDER BY seq), type, other_id, facts, at
    FROM outbox WHERE seq = ANY(taken);
    -- It waits for who is just deleting their account, and whose facts the INSERT still saw.
    DELETE FROM outbox WHERE seq = ANY(taken);
    -- A user at a time: the planner would read all users for a join with events that it cannot count.
    UPDATE events e SET facts = NULL
    WHERE e.id > before AND e.facts IS NOT NULL AND (SELECT u.status FROM users u WHERE u.id = e.user_id) = 'deleted';
    UPDATE event_numbers SET last = before + cardinality(taken) WHERE scope = 'all';
    RETURN before + cardinality(taken);
END $$;

COMMENT ON FUNCTION public.number_events(most bigint) IS 'Moves up to so many rows from outbox to events, and returns the number that was given last. One transaction at a time numbers, so events become visible in the order of their numbers, and who reads behind the last number that it saw misses none.';

-- Name: relationships; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.relationships (
    user_id uuid NOT NULL,
    other_id uuid NOT NULL,
    i_want boolean DEFAULT false NOT NULL,
    they_want boolean DEFAULT false NOT NULL,
    i_block boolean DEFAULT false NOT NULL,
    they_block boolean DEFAULT false NOT NULL,
    they_away boolean DEFAULT false NOT NULL,
    declines smallint DEFAULT 0 NOT NULL,
    since timestamp with time zone,
    asked_at timestamp with time zone,
    heard_at timestamp with time zone,
    blocked_at timestamp with time zone,
    quiet_until timestamp with time zone,
    ended_at timestamp with time zone,
    touched_at timestamp with time zone DEFAULT now() NOT NULL,
    change bigint,
    other_uid text NOT NULL,
    other_username text,
    other_display_name text,
    other_avatar_url text,
    other_metadata text,
    other_revision bigint,
    other_sort_key text GENERATED ALWAYS AS (public.sort_key(COALESCE(other_display_name, other_username))) STORED COLLATE pg_catalog."C",
    CONSTRAINT relationships_asked CHECK (
CASE
    WHEN (asked_at IS NULL) THEN ((NOT i_want) OR (since IS NOT NULL))
    ELSE i_want
END),
    CONSTRAINT relationships_away_wants CHECK ((they_want OR (NOT they_away))),
    CONSTRAINT relationships_blocked CHECK (((i_block = (blocked_at IS NOT NULL)) AND (NOT (i_block AND i_want)))),
    CONSTRAINT relationships_declines CHECK (((declines >= 0) AND ((quiet_until IS NULL) OR (declines > 0)))),
    CONSTRAINT relationships_ended CHECK (((ended_at IS NULL) OR (since IS NULL))),
    CONSTRAINT relationships_heard CHECK (((heard_at IS NULL) OR (they_want AND (NOT i_want) AND (NOT i_block) AND (NOT they_block)))),
    CONSTRAINT relationships_profile CHECK ((((other_username IS NOT NULL) = (since IS NOT NULL)) AND ((since IS NOT NULL) OR (COALESCE(other_display_name, other_avatar_url, other_metadata) IS NULL)))),
    CONSTRAINT relationships_self CHECK ((user_id <> other_id)),
    CONSTRAINT relationships_since CHECK (((since IS NOT NULL) = (i_want AND they_want AND (NOT i_block) AND (NOT they_block))))
)
WITH (autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_insert_scale_factor='0.01');

COMMENT ON TABLE public.relationships IS 'How two users stand to each other: two rows a pair, each owned by one of them. A transaction that changes a pair writes both, the row with the smaller user_id first; of a pair that is over one row may be left. relationship_after decides what they become. In a row, "i" is its owner and "they" is the other one. Written by Friends. Home key: user_id.';
COMMENT ON COLUMN public.relationships.user_id IS 'The owner of the row.';
COMMENT ON COLUMN public.relationships.other_id IS 'The other one. There may be no such user: a uid can be asked or blocked before it signs up.';
COMMENT ON COLUMN public.relationships.i_want IS 'The owner wants to be friends: they asked, or they are friends.';
COMMENT ON COLUMN public.relationships.they_want IS 'The other one wants to be friends: i_want of the other row.';
COMMENT ON COLUMN public.relationships.i_block IS 'The owner blocks the other one.';
COMMENT ON COLUMN public.relationships.they_block IS 'The other one blocks the owner: i_block of the other row.';
COMMENT ON COLUMN public.relationships.they_away IS 'The other one wants to be friends and is suspended. Everything is kept, and the owner sees nothing of it.';
COMMENT ON COLUMN public.relationships.declines IS 'How often the owner declined the other one since they were last friends.';
COMMENT ON COLUMN public.relationships.since IS 'Since when they are friends. NULL: they are not; set exactly while both want and neither blocks.';
COMMENT ON COLUMN public.relationships.asked_at IS 'Since when the owner''s request shows as outgoing. NULL: none shows. Of friends it is set only if the owner asked again while the friend was away.';
COMMENT ON COLUMN public.relationships.heard_at IS 'Since when the other one''s request shows as incoming, unless they are away. NULL: there is none, or the owner declined it, or one of them blocks the other.';
COMMENT ON COLUMN public.relationships.blocked_at IS 'Since when the owner blocks. NULL: the owner does not.';
COMMENT ON COLUMN public.relationships.quiet_until IS 'A request that the other one makes before this time does not show, because the owner declined them, and does not show by itself later: an act after it, such as asking again, makes it show. NULL: requests show.';
COMMENT ON COLUMN public.relationships.ended_at IS 'When the owner ended their last friendship, by an end or a block. Then no invite of the owner makes them friends again; it leaves a request. NULL: the owner did not, or it was more than a year ago, or they are friends again.';
COMMENT ON COLUMN public.relationships.touched_at IS 'When an act last changed the row. Old declines are forgotten by it, and `kith verify --repair` takes a lost time from it.';
COMMENT ON COLUMN public.relationships.change IS 'The number of the last change of what the owner sees of the row; delta sync lists rows by it. NULL: it has no number yet; the owner''s next sync gives it one, of users.changes. So numbers are in the order in which changes became visible, whoever made them. 0: phones need not be told of the row.';
COMMENT ON COLUMN public.relationships.other_uid IS 'The uid that other_id is made of, so that a list need not look it up. A uid never changes.';
COMMENT ON COLUMN public.relationships.other_username IS 'users.username of a friend, copied so that the list of friends reads one index. Whoever changes the name changes the copies. NULL: they are not friends.';
COMMENT ON COLUMN public.relationships.other_display_name IS 'users.display_name of a friend, likewise. NULL: they are not friends, or the friend has none.';
COMMENT ON COLUMN public.relationships.other_avatar_url IS 'users.avatar_url of a friend, likewise.';
COMMENT ON COLUMN public.relationships.other_metadata IS 'users.metadata of a friend, likewise.';
COMMENT ON COLUMN public.relationships.other_revision IS 'Which users.revision of the other one the owner''s phones were told, while a request waits: its profile is not copied. NULL: none.';
COMMENT ON COLUMN public.relationships.other_sort_key IS 'By which a friend is sorted and searched: sort_key of the display name, or else of the username.';

-- Name: relationship_after(public.relationships, boolean, boolean, boolean, boolean, timestamp with time zone, bigint[]); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.relationship_after(before public.relationships, i_now_want boolean, i_now_block boolean, they_now_want boolean, they_now_block boolean, at timestamp with time zone, quiet_days bigint[]) RETURNS public.relationships
    LANGUAGE plpgsql IMMUTABLE
    AS $$
DECLARE
    r relationships := before;
    were_friends boolean := before.since IS NOT NULL;
    are_friends boolean;
BEGIN
    -- If one of two friends no longer wants, neither does; otherwise nobody's wish changes but by their own act.
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
    r.ended_at := CASE
        WHEN are_friends THEN NULL
        WHEN were_friends AND (i_now_want IS FALSE OR i_now_block) THEN at
        ELSE before.ended_at END;
    r.blocked_at := CASE WHEN r.i_block THEN coalesce(before.blocked_at, at) END;

    IF are_friends THEN
        r.declines := 0;
        r.quiet_until := NULL;
    ELSIF i_now_want IS FALSE AND i_now_block IS NULL AND before.heard_at IS NOT NULL THEN
        r.declines := before.declines + 1;
        r.quiet_until := at + quiet_days[least(r.declines, cardinality(quiet_days))] * interval '24 hours';
    ELSIF they_now_want AND before.quiet_until <= at THEN
        r.quiet_until := NULL;
    END IF;

    r.heard_at := CASE
        WHEN NOT r.they_want OR r.i_want OR r.i_block OR r.they_block OR i_now_want IS FALSE THEN NULL
        WHEN they_now_want AND r.quiet_until IS NULL THEN coalesce(before.heard_at, at)
        ELSE before.heard_at END;

    -- Only what the owner can see counts as a change: a phone must not learn of a block or a decline by syncing.
    IF (r.i_block, r.asked_at) IS DISTINCT FROM (before.i_block, before.asked_at)
        OR (NOT r.they_away AND (r.since, r.heard_at) IS DISTINCT FROM (before.since, before.heard_at)) THEN
        r.change := NULL;
    END IF;
    r.they_away := before.they_away AND r.they_want;
    IF r.since IS NULL THEN
        r.other_username := NULL;
        r.other_display_name := NULL;
        r.other_avatar_url := NULL;
        r.other_metadata := NULL;
    END IF;
    RETURN r;
END $$;

COMMENT ON FUNCTION public.relationship_after(before public.relationships, i_now_want boolean, i_now_block boolean, they_now_want boolean, they_now_block boolean, at timestamp with time zone, quiet_days bigint[]) IS 'What one act makes of a row: the table of transitions between friends, and the only place that decides them. The same act is applied to both rows of a pair. A wish or block given as NULL stays as it is. quiet_days[n] is for how many days requests stay hidden after the nth decline; the last value holds for all further ones. The profile of a new friend is the caller''s to fill in.';

-- Name: relationship_event(public.relationships, public.relationships); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.relationship_event(before public.relationships, after public.relationships) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (((after).since IS NOT NULL) AND (NOT (after).they_away) AND (((before).since IS NULL) OR (before).they_away)) THEN 'friend.created'::text WHEN (((before).since IS NOT NULL) AND (NOT (before).they_away) AND (((after).since IS NULL) OR (after).they_away)) THEN 'friend.ended'::text WHEN (((after).heard_at IS NOT NULL) AND (NOT (after).they_away) AND (((before).heard_at IS NULL) OR (before).they_away)) THEN 'friend.requested'::text WHEN (((before).heard_at IS NOT NULL) AND (NOT (before).they_away) AND (((after).heard_at IS NULL) OR (after).they_away)) THEN 'friend.request_ended'::text WHEN (((after).since IS NOT NULL) AND (NOT (after).they_away) AND (((((before).other_username IS DISTINCT FROM (after).other_username) OR ((before).other_display_name IS DISTINCT FROM (after).other_display_name)) OR ((before).other_avatar_url IS DISTINCT FROM (after).other_avatar_url)) OR ((before).other_metadata IS DISTINCT FROM (after).other_metadata))) THEN 'friend.updated'::text ELSE NULL::text END;

COMMENT ON FUNCTION public.relationship_event(before public.relationships, after public.relationships) IS 'What the owner of a row is told of a change of it: only what they could see, so nothing of a block, a decline, a hidden request, or why somebody is gone. NULL: nothing.';

-- Name: require(boolean, text); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.require(met boolean, outcome text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF met THEN RETURN true; END IF;
    RAISE EXCEPTION USING ERRCODE = 'KT001', MESSAGE = outcome;
END $$;

COMMENT ON FUNCTION public.require(met boolean, outcome text) IS 'A guard between the statements of a batch. Unless the condition is met, it ends the whole transaction with SQLSTATE KT001 and the outcome as the message.';

-- Name: require_mirror(uuid, uuid); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.require_mirror(owner uuid, other uuid) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    mine relationships;
    theirs relationships;
BEGIN
    SELECT * INTO mine FROM relationships WHERE user_id = owner AND other_id = other;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT * INTO theirs FROM relationships WHERE user_id = other AND other_id = owner;
    PERFORM require_row(
        (coalesce(theirs.they_want, false), coalesce(theirs.i_want, false), coalesce(theirs.they_block, false),
         coalesce(theirs.i_block, false), theirs.since)
        IS NOT DISTINCT FROM (mine.i_want, mine.they_want, mine.i_block, mine.they_block, mine.since),
        'relationship of the other user');
END $$;

COMMENT ON FUNCTION public.require_mirror(owner uuid, other uuid) IS 'Ends the transaction, as require_row does, unless the two rows of a pair mirror each other: Citus has not committed on one node what one of the two did before, such as signing up or deleting their account. The caller locked the owner.';

-- Name: require_mirrors(uuid, uuid[]); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.require_mirrors(owner uuid, others uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    are_alike boolean;
BEGIN
    WITH mine AS MATERIALIZED (
        SELECT other_id, i_want, they_want, i_block, they_block, since FROM relationships
        WHERE user_id = owner AND other_id = ANY(others)),
    theirs AS MATERIALIZED (
        SELECT user_id, i_want, they_want, i_block, they_block, since FROM relationships
        WHERE user_id = ANY(others) AND other_id = owner)
    SELECT bool_and(
        (coalesce(t.they_want, false), coalesce(t.i_want, false), coalesce(t.they_block, false),
         coalesce(t.i_block, false), t.since)
        IS NOT DISTINCT FROM (m.i_want, m.they_want, m.i_block, m.they_block, m.since)) INTO are_alike
    FROM mine m LEFT JOIN theirs t ON t.user_id = m.other_id;
    PERFORM require_row(coalesce(are_alike, true), 'relationship of the other user');
END $$;

COMMENT ON FUNCTION public.require_mirrors(owner uuid, others uuid[]) IS 'require_mirror for many others in one statement, which on Citus is dearer than two short reads for one. A caller that did not lock them needs it before it changes their rows.';

-- Name: require_row(boolean, text); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.require_row(is_there boolean, missing text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF is_there THEN RETURN true; END IF;
    RAISE EXCEPTION USING ERRCODE = 'serialization_failure', MESSAGE = format('the %s is missing or old', missing),
        DETAIL = 'Citus has not yet committed on its node what wrote it, or it was changed by hand.',
        HINT = 'Citus goes on within citus.recover_2pc_interval. If this stays, `kith verify` finds the row.';
END $$;

COMMENT ON FUNCTION public.require_row(is_there boolean, missing text) IS 'A guard for a row that another row says is there. If Citus loses a node between the two halves of a COMMIT, each node shows its own half at another time, and an update of a row that nobody sees yet would change nothing. So the transaction ends with SQLSTATE 40001: it can be tried again.';

-- Name: revoke_personal_invite(uuid); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.revoke_personal_invite(owner uuid) RETURNS void
    LANGUAGE plpgsql
    AS $$
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

COMMENT ON FUNCTION public.revoke_personal_invite(owner uuid) IS 'Revokes the short code of a user, if they have one. Two statements, since one that finds its shard in another table would lock all shards of Citus until the transaction ends.';

-- Name: tell_if(uuid, text, text); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.tell_if(owner uuid, told text, is_now text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (SELECT FROM users WHERE id = owner AND status = is_now) THEN
        INSERT INTO outbox (user_id, type) VALUES (owner, told);
    END IF;
END $$;

COMMENT ON FUNCTION public.tell_if(owner uuid, told text, is_now text) IS 'Writes an event of a user whose status is this one. A function, since Citus would take time and number of the row in INSERT ... SELECT from a worker.';

-- Name: user_of_name(text); Type: FUNCTION; Schema: public; Owner: -

CREATE FUNCTION public.user_of_name(name text) RETURNS SETOF public.users
    LANGUAGE sql STABLE
    AS $$
    SELECT u.* FROM usernames n JOIN users u ON u.id = n.user_id WHERE n.name_key = name AND n.state = 'active'
$$;

COMMENT ON FUNCTION public.user_of_name(name text) IS 'The row of the user who has a name now. PostgreSQL plans it as part of the statement; Citus would ask every shard for the user, so sql/citus/distribute.sql replaces it.';

-- Name: acceptances; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.acceptances (
    invitee_id uuid NOT NULL,
    inviter_id uuid NOT NULL,
    code text,
    accepted_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT acceptances_self CHECK ((invitee_id <> inviter_id))
);

COMMENT ON TABLE public.acceptances IS 'Who joined by whose invite. A sign-up writes the row, and nothing changes or deletes it. An invite that is accepted later, by somebody who has an account, has none. Written by Invites. Home key: invitee_id.';
COMMENT ON COLUMN public.acceptances.invitee_id IS 'Who joined.';
COMMENT ON COLUMN public.acceptances.inviter_id IS 'By whose invite.';
COMMENT ON COLUMN public.acceptances.code IS 'By which link; it may have been deleted since. NULL: by the permanent link.';
COMMENT ON COLUMN public.acceptances.accepted_at IS 'When they joined.';

-- Name: api_keys; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.api_keys (
    id text NOT NULL,
    name text NOT NULL,
    scope text NOT NULL,
    acts_for_users boolean NOT NULL,
    sha256 bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    created_by text,
    revoked_at timestamp with time zone,
    expires_at timestamp with time zone,
    used_at timestamp with time zone,
    CONSTRAINT api_keys_acts_for_users CHECK (((NOT acts_for_users) OR (scope = ANY (ARRAY['server'::text, 'admin'::text])))),
    CONSTRAINT api_keys_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
    CONSTRAINT api_keys_scope CHECK ((scope = ANY (ARRAY['client'::text, 'server'::text, 'viewer'::text, 'links'::text, 'growth'::text, 'support'::text, 'admin'::text])))
);

COMMENT ON TABLE public.api_keys IS 'The keys kith_{id}_{secret} that servers and tools call with. Written by Auth. Home key: id.';
COMMENT ON COLUMN public.api_keys.id IS 'The part of the key that finds its row.';
COMMENT ON COLUMN public.api_keys.name IS 'By which people know the key.';
COMMENT ON COLUMN public.api_keys.scope IS 'What it may do: client, what apps may; server, what backends may; all others, what an operator of that role may (Role.swift).';
COMMENT ON COLUMN public.api_keys.acts_for_users IS 'Whether calls with it may name a user for whom it acts.';
COMMENT ON COLUMN public.api_keys.sha256 IS 'SHA-256 of the whole key, which is shown once and kept nowhere.';
COMMENT ON COLUMN public.api_keys.created_at IS 'When it was made.';
COMMENT ON COLUMN public.api_keys.created_by IS 'Who made it, as audit.actor. NULL: nobody whom the audit names.';
COMMENT ON COLUMN public.api_keys.revoked_at IS 'When it was revoked. NULL: it is in force.';
COMMENT ON COLUMN public.api_keys.expires_at IS 'From when on it is refused. NULL: it does not expire.';
COMMENT ON COLUMN public.api_keys.used_at IS 'When a call last came with it, within the hour. NULL: none did.';

-- Name: applied_files; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.applied_files (
    section text NOT NULL,
    content jsonb NOT NULL,
    version bigint NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT applied_files_version CHECK ((version > 0))
);

COMMENT ON TABLE public.applied_files IS 'What `kith apply` made true, a row for each section of its file. Written by Apps. Home key: section.';
COMMENT ON COLUMN public.applied_files.section IS 'apps, policies, values, experiments or rewards.';
COMMENT ON COLUMN public.applied_files.content IS 'The section, checked.';
COMMENT ON COLUMN public.applied_files.version IS 'How often it changed. Who writes names the version that they saw, so that nobody overwrites what they did not see.';
COMMENT ON COLUMN public.applied_files.applied_at IS 'When it changed last.';

-- Name: appstore_notifications; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.appstore_notifications (
    subject text NOT NULL,
    id text NOT NULL,
    environment text NOT NULL,
    type text NOT NULL,
    subtype text,
    signed_at timestamp with time zone NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    auto_renews boolean,
    grace_until timestamp with time zone,
    renews_as text,
    billing_retry boolean,
    renewal_signed_at timestamp with time zone,
    CONSTRAINT appstore_notifications_environment CHECK ((environment = ANY (ARRAY['production'::text, 'sandbox'::text]))),
    CONSTRAINT appstore_notifications_renewal CHECK (((renewal_signed_at IS NOT NULL) OR ((auto_renews IS NULL) AND (grace_until IS NULL) AND (renews_as IS NULL) AND (billing_retry IS NULL))))
);

COMMENT ON TABLE public.appstore_notifications IS 'Notifications of the App Store that arrived, known types or not, each once. Written by Purchases. Home key: subject.';
COMMENT ON COLUMN public.appstore_notifications.subject IS 'purchases.original_transaction_id; of a notification that is about no purchase, its own id.';
COMMENT ON COLUMN public.appstore_notifications.id IS 'Apple''s notificationUUID, by which one that comes again is known.';
COMMENT ON COLUMN public.appstore_notifications.environment IS 'As in purchases.';
COMMENT ON COLUMN public.appstore_notifications.type IS 'Apple''s notificationType.';
COMMENT ON COLUMN public.appstore_notifications.subtype IS 'Apple''s subtype. NULL: none.';
COMMENT ON COLUMN public.appstore_notifications.signed_at IS 'When Apple signed it.';
COMMENT ON COLUMN public.appstore_notifications.received_at IS 'When it arrived.';
COMMENT ON COLUMN public.appstore_notifications.auto_renews IS 'As in purchases, for a purchase that was not known yet: it begins with what waits here.';
COMMENT ON COLUMN public.appstore_notifications.grace_until IS 'As auto_renews.';
COMMENT ON COLUMN public.appstore_notifications.renews_as IS 'As auto_renews.';
COMMENT ON COLUMN public.appstore_notifications.billing_retry IS 'Apple''s isInBillingRetryPeriod, as auto_renews. NULL: nothing waits, or Apple did not say.';
COMMENT ON COLUMN public.appstore_notifications.renewal_signed_at IS 'When Apple signed what auto_renews, grace_until, renews_as and billing_retry say. NULL: nothing waits.';

-- Name: audit; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.audit (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    actor text NOT NULL,
    act text NOT NULL,
    user_id uuid,
    reason text,
    details text,
    CONSTRAINT audit_actor_form CHECK ((actor ~ '^(key|person|command):.'::text)),
    CONSTRAINT audit_reason_length CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 500)))
);

COMMENT ON TABLE public.audit IS 'What operators did to users, links, webhooks, keys and people, and how people signed in, written by the transaction that did it, or, of a call as a user or as a backend, before the call. Kith never changes or deletes a row. Written by Audit. Home key: id.';
COMMENT ON COLUMN public.audit.id IS 'Random.';
COMMENT ON COLUMN public.audit.at IS 'When.';
COMMENT ON COLUMN public.audit.actor IS 'Who did it: key: and api_keys.id; person: and people.email, or unknown; or command: and the user and host that ran `kith`.';
COMMENT ON COLUMN public.audit.act IS 'What was done: OperatorAct.swift has the words.';
COMMENT ON COLUMN public.audit.user_id IS 'To whom. NULL: to nobody, it was done to something else, which details name.';
COMMENT ON COLUMN public.audit.reason IS 'Why, as the operator wrote it. NULL: the call did not ask for it, and none was given.';
COMMENT ON COLUMN public.audit.details IS 'JSON: what else belongs to the act, such as a code; never the name of a user, which would outlive the account. NULL: nothing.';

-- Name: clicks_order; Type: SEQUENCE; Schema: public; Owner: -

CREATE SEQUENCE public.clicks_order
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

COMMENT ON SEQUENCE public.clicks_order IS 'Of clicks, in the order in which they were written.';

-- Name: clicks; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.clicks (
    link text NOT NULL,
    seq bigint DEFAULT nextval('public.clicks_order'::regclass) NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    event text NOT NULL,
    platform text NOT NULL,
    parts text,
    trace uuid,
    CONSTRAINT clicks_event CHECK ((event = ANY (ARRAY['page'::text, 'redirect'::text, 'tap'::text, 'install'::text, 'firstOpen'::text, 'reopen'::text]))),
    CONSTRAINT clicks_platform CHECK ((platform = ANY (ARRAY['ios'::text, 'android'::text, 'desktop'::text, 'other'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');

COMMENT ON TABLE public.clicks IS 'What visitors and apps did with links, and nobody has counted yet. A server moves the rows to counts within seconds. Written by Clicks. Home key: link.';
COMMENT ON COLUMN public.clicks.link IS 'A short link''s URL; a domain with its slash for its long links; the id of a user for all of their invites; a code for one.';
COMMENT ON COLUMN public.clicks.seq IS 'Which are counted first.';
COMMENT ON COLUMN public.clicks.at IS 'When it happened.';
COMMENT ON COLUMN public.clicks.event IS 'page: somebody opened the link, and got a page. redirect: they were sent on at once. Both are clicks. tap: they went from the page to a store. install: the app came from a store by it. firstOpen: the app claimed it at its first start. reopen: the app, already there, asked what it is.';
COMMENT ON COLUMN public.clicks.platform IS 'ios, android, desktop or other.';
COMMENT ON COLUMN public.clicks.parts IS 'By what else it is counted, a line each, as country=JP. NULL: nothing.';
COMMENT ON COLUMN public.clicks.trace IS 'Address and browser, hashed with the day''s row of visitor_salts: the same visitor has the same on one day, and nobody can tell who it was once the salt is gone. NULL: an app, or an unknown address.';

-- Name: client_versions; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.client_versions (
    app text NOT NULL,
    day date NOT NULL,
    platform text NOT NULL,
    version text NOT NULL,
    action text NOT NULL,
    count bigint NOT NULL,
    CONSTRAINT client_versions_action CHECK ((action = ANY (ARRAY['none'::text, 'soft'::text, 'hard'::text, 'block'::text]))),
    CONSTRAINT client_versions_platform CHECK ((platform = ANY (ARRAY['ios'::text, 'android'::text]))),
    CONSTRAINT client_versions_positive CHECK ((count > 0))
)
WITH (fillfactor='70');

COMMENT ON TABLE public.client_versions IS 'How often apps of each version asked for the update policy, by day and answer; nothing of who asked. Servers add their sums every few seconds, and delete a day after 400 days. Written by ClientPolicy. Home key: app.';
COMMENT ON COLUMN public.client_versions.app IS 'A bundle id or package of the settings, the applied apps or a policy. other: another. Empty: the app did not say.';
COMMENT ON COLUMN public.client_versions.day IS 'Of the calls, in KITH_TIME_ZONE.';
COMMENT ON COLUMN public.client_versions.platform IS 'ios or android.';
COMMENT ON COLUMN public.client_versions.version IS 'Without zeros at its end, 5.0 at least. unreadable: no version, or none that Kith can read. other: all versions beyond those that policies name, the 50 most frequent of the week before, those that make a fiftieth of the day''s calls, and 200 or so more of the day.';
COMMENT ON COLUMN public.client_versions.action IS 'The answer: none, soft, hard or block.';
COMMENT ON COLUMN public.client_versions.count IS 'How many calls.';

-- Name: config_drafts; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.config_drafts (
    name text NOT NULL,
    version bigint NOT NULL,
    revision bigint NOT NULL,
    names text[] NOT NULL,
    items jsonb NOT NULL,
    actor text NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT config_drafts_items CHECK (((jsonb_typeof(items) = 'array'::text) AND (jsonb_array_length(items) > 0))),
    CONSTRAINT config_drafts_name CHECK ((name ~ '^[A-Za-z][A-Za-z0-9_-]{0,31}$'::text)),
    CONSTRAINT config_drafts_revision CHECK ((revision >= 0)),
    CONSTRAINT config_drafts_version CHECK ((version > 0))
);

COMMENT ON TABLE public.config_drafts IS 'Changes of what operators set that are not published yet. Written by Publications. Home key: name.';
COMMENT ON COLUMN public.config_drafts.name IS 'How people call it.';
COMMENT ON COLUMN public.config_drafts.version IS 'The microsecond of the change since 1970: it rises, and no later draft of the name has it.';
COMMENT ON COLUMN public.config_drafts.revision IS 'The newest publication when it was changed.';
COMMENT ON COLUMN public.config_drafts.names IS 'The names of its items, as policies.minimum.';
COMMENT ON COLUMN public.config_drafts.items IS 'Of each item what it was then, and what it is to be, as in publications.';
COMMENT ON COLUMN public.config_drafts.actor IS 'Who changed it last, as in audit.';
COMMENT ON COLUMN public.config_drafts.changed_at IS 'When they did.';

-- Name: conversions; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.conversions (
    unit uuid NOT NULL,
    experiment text NOT NULL,
    phase bigint NOT NULL,
    goal text NOT NULL,
    id text DEFAULT ''::text NOT NULL,
    value bigint DEFAULT 1 NOT NULL,
    reached_at timestamp with time zone NOT NULL,
    CONSTRAINT conversions_goal CHECK ((goal ~ '^[A-Za-z][A-Za-z0-9_-]{0,31}$'::text)),
    CONSTRAINT conversions_id CHECK ((length(id) <= 128)),
    CONSTRAINT conversions_value CHECK (((value >= 0) AND (value <= 1000000000)))
);

COMMENT ON TABLE public.conversions IS 'Which goals a unit reached within 30 days of its exposure, each id once. Written by Experiments. Home key: unit.';
COMMENT ON COLUMN public.conversions.unit IS 'As in exposures.';
COMMENT ON COLUMN public.conversions.experiment IS 'As in exposures.';
COMMENT ON COLUMN public.conversions.phase IS 'As in exposures.';
COMMENT ON COLUMN public.conversions.goal IS 'tap, install, signup or friend, which Kith counts itself, or one that a backend names.';
COMMENT ON COLUMN public.conversions.id IS 'What the backend calls this time by, so that a repeated call counts nothing. Empty: it named none.';
COMMENT ON COLUMN public.conversions.value IS 'What this time adds to the unit''s value of the goal, such as cents. 1 if the backend named none.';
COMMENT ON COLUMN public.conversions.reached_at IS 'When Kith heard of it first, never before its exposure.';

-- Name: count_positions; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.count_positions (
    source text NOT NULL,
    "position" bigint NOT NULL,
    zone text,
    held_until timestamp with time zone,
    CONSTRAINT count_positions_position CHECK ((("position" >= 0) AND ("position" <= '999999999999999999'::bigint)))
);

COMMENT ON TABLE public.count_positions IS 'How far each source was counted, so that nothing is counted twice: a server that finds another position than it began from begins anew. Written by Counts. Home key: source.';
COMMENT ON COLUMN public.count_positions.source IS 'clicks, events, active or levels.';
COMMENT ON COLUMN public.count_positions."position" IS 'Of events the number of the last one; of levels the hour since 1970; of the others how many times some were counted.';
COMMENT ON COLUMN public.count_positions.zone IS 'Whose days the sums are of, by KITH_TIME_ZONE: the servers that count must agree. NULL: the next one that starts says so.';
COMMENT ON COLUMN public.count_positions.held_until IS 'Until when another server leaves the source to the one that is counting a part of it. NULL: nobody is.';

-- Name: counts; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.counts (
    subject text NOT NULL,
    measure text NOT NULL,
    day date NOT NULL,
    count bigint NOT NULL,
    parts jsonb,
    members bytea,
    CONSTRAINT counts_count CHECK (((count >= 0) AND (count <= '999999999999999'::bigint)))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02');

COMMENT ON TABLE public.counts IS 'How often something happened on a day, in one row a subject and measure: docs/numbers.md. After KITH_COUNT_DAYS the days of a month become one row. Those of a user go with their account; the others tell of nobody. Written by Counts. Home key: subject.';
COMMENT ON COLUMN public.counts.subject IS 'What it is of: a link as in clicks, so of an inviter the id; `domain ` with its URL; `version ` with the platform, version and app. Empty: of everything.';
COMMENT ON COLUMN public.counts.measure IS 'What was counted, as in docs/numbers.md.';
COMMENT ON COLUMN public.counts.day IS 'The day in KITH_TIME_ZONE, or the first of a month, for all of it. infinity: of all days together.';
COMMENT ON COLUMN public.counts.count IS 'How often.';
COMMENT ON COLUMN public.counts.parts IS 'How the count divides, an object a dimension with its most frequent values. The empty name stands for all others. ~ before the name of a dimension: how often each value may be among the others, at most; the empty name: any other value. NULL: by nothing.';
COMMENT ON COLUMN public.counts.members IS 'The different ones who did it, as Sketch.swift keeps them, so that more can be added. NULL: they are not told apart.';

-- Name: dismissals; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.dismissals (
    user_id uuid NOT NULL,
    other_id uuid NOT NULL,
    other_uid text NOT NULL,
    dismissed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT dismissals_self CHECK ((user_id <> other_id))
);

COMMENT ON TABLE public.dismissals IS 'Whom a user does not want to be suggested again. The oldest rows of a user go when there are too many (FriendLimits.dismissals). Written by Friends. Home key: user_id.';
COMMENT ON COLUMN public.dismissals.user_id IS 'Who dismissed the suggestion.';
COMMENT ON COLUMN public.dismissals.other_id IS 'Who was suggested.';
COMMENT ON COLUMN public.dismissals.other_uid IS 'The uid that other_id is made of; a uid never changes.';
COMMENT ON COLUMN public.dismissals.dismissed_at IS 'When it was dismissed first.';

-- Name: event_numbers; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.event_numbers (
    scope text NOT NULL,
    last bigint NOT NULL,
    CONSTRAINT event_numbers_scope CHECK ((scope = 'all'::text))
);

COMMENT ON TABLE public.event_numbers IS 'The number that was given last, in one row. Written by Events. Home key: scope.';
COMMENT ON COLUMN public.event_numbers.scope IS 'all.';
COMMENT ON COLUMN public.event_numbers.last IS 'As in events.id. 0: none yet.';

-- Name: events; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.events (
    user_id uuid NOT NULL,
    id bigint NOT NULL,
    type text NOT NULL,
    other_id uuid,
    facts text,
    at timestamp with time zone NOT NULL
)
PARTITION BY RANGE (id);

COMMENT ON TABLE public.events IS 'What happened, in one order, for those who must be told. A row says who and what, never how somebody is called: names are read when the event is told, so a deleted user has none in it. A partition a day, which keep_days makes and, after KITH_EVENT_DAYS, drops. Written by Events. Home key: user_id.';
COMMENT ON COLUMN public.events.user_id IS 'As in outbox.';
COMMENT ON COLUMN public.events.id IS 'The microsecond since 1970 in which the event got its number, or one more than the number before. So no number is given twice even if the database loses its last transactions, and whoever knows one has missed nothing before it.';
COMMENT ON COLUMN public.events.type IS 'As in outbox.';
COMMENT ON COLUMN public.events.other_id IS 'As in outbox.';
COMMENT ON COLUMN public.events.facts IS 'As in outbox. NULL, too, once the user deleted their account.';
COMMENT ON COLUMN public.events.at IS 'As in outbox.';

-- Name: experiment_days; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.experiment_days (
    experiment text NOT NULL,
    phase bigint NOT NULL,
    day date NOT NULL,
    variation text NOT NULL,
    units bigint NOT NULL,
    crossed bigint NOT NULL,
    CONSTRAINT experiment_days_counts CHECK (((units >= 0) AND (crossed >= 0) AND ((units + crossed) > 0)))
);

COMMENT ON TABLE public.experiment_days IS 'How many units were exposed on a day, summed once no goal of theirs can count any more. It stays when they go. Written by Experiments. Home key: experiment.';
COMMENT ON COLUMN public.experiment_days.experiment IS 'As in exposures.';
COMMENT ON COLUMN public.experiment_days.phase IS 'As in exposures.';
COMMENT ON COLUMN public.experiment_days.day IS 'The day of the exposure, UTC.';
COMMENT ON COLUMN public.experiment_days.variation IS 'As in exposures.';
COMMENT ON COLUMN public.experiment_days.units IS 'Those that saw no other variation until the day was summed.';
COMMENT ON COLUMN public.experiment_days.crossed IS 'Those that did, and count for none.';

-- Name: experiment_goal_days; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.experiment_goal_days (
    experiment text NOT NULL,
    phase bigint NOT NULL,
    day date NOT NULL,
    variation text NOT NULL,
    goal text NOT NULL,
    units bigint NOT NULL,
    sum_of_values numeric NOT NULL,
    sum_of_squares numeric NOT NULL,
    CONSTRAINT experiment_goal_days_sums CHECK (((sum_of_values >= (0)::numeric) AND ((sum_of_squares * (units)::numeric) >= (sum_of_values * sum_of_values)))),
    CONSTRAINT experiment_goal_days_units CHECK ((units > 0))
);

COMMENT ON TABLE public.experiment_goal_days IS 'How many of the units of a row of experiment_days reached a goal, and what it was worth. Written by Experiments. Home key: experiment.';
COMMENT ON COLUMN public.experiment_goal_days.experiment IS 'As in exposures.';
COMMENT ON COLUMN public.experiment_goal_days.phase IS 'As in exposures.';
COMMENT ON COLUMN public.experiment_goal_days.day IS 'The day of the exposure, UTC, not that of the goal.';
COMMENT ON COLUMN public.experiment_goal_days.variation IS 'As in exposures.';
COMMENT ON COLUMN public.experiment_goal_days.goal IS 'As in conversions.';
COMMENT ON COLUMN public.experiment_goal_days.units IS 'Within 30 days of their exposure.';
COMMENT ON COLUMN public.experiment_goal_days.sum_of_values IS 'Of the values of the units; that of a unit is the sum of its conversions.';
COMMENT ON COLUMN public.experiment_goal_days.sum_of_squares IS 'Of the squares of the values of the units, for the variance.';

-- Name: exposures; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.exposures (
    unit uuid NOT NULL,
    experiment text NOT NULL,
    phase bigint NOT NULL,
    variation text NOT NULL,
    exposed_at timestamp with time zone DEFAULT now() NOT NULL,
    crossed_at timestamp with time zone,
    CONSTRAINT exposures_experiment CHECK ((experiment ~ '^[A-Za-z][A-Za-z0-9_-]{0,31}$'::text)),
    CONSTRAINT exposures_phase CHECK ((phase > 0)),
    CONSTRAINT exposures_variation CHECK ((variation ~ '^[A-Za-z][A-Za-z0-9_-]{0,31}$'::text))
)
WITH (fillfactor='90', autovacuum_vacuum_scale_factor='0.02');

COMMENT ON TABLE public.exposures IS 'Which unit saw or used which variation of an experiment, once each. A row goes after 400 days, and if the unit is a user, with their account. Written by Experiments. Home key: unit.';
COMMENT ON COLUMN public.exposures.unit IS 'The first 16 bytes of SHA-256 of what the app calls it by; of a uid, users.id. Of a visitor of pages: of clicks.trace, so nobody can tell who it was once the salt of the day is gone.';
COMMENT ON COLUMN public.exposures.experiment IS 'Its key in the file of `kith apply`.';
COMMENT ON COLUMN public.exposures.phase IS 'Of the experiment; each begins anew.';
COMMENT ON COLUMN public.exposures.variation IS 'The first that the unit saw in this phase.';
COMMENT ON COLUMN public.exposures.exposed_at IS 'When it did.';
COMMENT ON COLUMN public.exposures.crossed_at IS 'When it saw another variation of the phase: from then on it counts for none. NULL: never.';

-- Name: installs; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.installs (
    inviter_id uuid NOT NULL,
    id uuid NOT NULL,
    app text NOT NULL,
    platform text NOT NULL,
    name_key text NOT NULL,
    has_uid boolean NOT NULL,
    code text,
    facts uuid,
    unit uuid,
    parts text,
    tapped_at timestamp with time zone DEFAULT now() NOT NULL,
    installation uuid,
    claim_id uuid,
    confidence text,
    claimed_at timestamp with time zone,
    invitee_id uuid,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT installs_claim CHECK ((num_nulls(installation, claim_id, confidence, claimed_at) = ANY (ARRAY[0, 4]))),
    CONSTRAINT installs_code CHECK (((code IS NULL) OR has_uid)),
    CONSTRAINT installs_confidence CHECK ((confidence = ANY (ARRAY['exact'::text, 'likely'::text]))),
    CONSTRAINT installs_invitee CHECK (((invitee_id IS NULL) OR ((claim_id IS NOT NULL) AND (invitee_id <> inviter_id)))),
    CONSTRAINT installs_platform CHECK ((platform = ANY (ARRAY['ios'::text, 'android'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.02');

COMMENT ON TABLE public.installs IS 'Invites on their way through a store: a tap on a store''s button leaves a row, and the app claims it at its first start. Rows are deleted when they expire, and with the inviter''s account. No foreign key: it would take as long as the rest of the insert, rows of users are never deleted, and `kith verify` looks. Written by Installs. Home key: inviter_id.';
COMMENT ON COLUMN public.installs.inviter_id IS 'Whose link was opened.';
COMMENT ON COLUMN public.installs.id IS 'Random. With inviter_id it is the token that travels through the store.';
COMMENT ON COLUMN public.installs.app IS 'The app whose link was opened. No other app can claim the row.';
COMMENT ON COLUMN public.installs.platform IS 'The store: ios or android.';
COMMENT ON COLUMN public.installs.name_key IS 'The name in the link, folded.';
COMMENT ON COLUMN public.installs.has_uid IS 'Whether the link had the uid of the inviter. Without it, it is worth a name.';
COMMENT ON COLUMN public.installs.code IS 'The code in the link. NULL: it had none.';
COMMENT ON COLUMN public.installs.facts IS 'Address, system and language of the visitor, hashed with a salt of visitor_salts. NULL: not kept.';
COMMENT ON COLUMN public.installs.unit IS 'The visitor, if they are in an experiment: exposures.unit. NULL: they are in none, or they signed up, so that nothing says which visitor a user was.';
COMMENT ON COLUMN public.installs.parts IS 'The campaign of the visit, as in clicks. NULL: it had none.';
COMMENT ON COLUMN public.installs.tapped_at IS 'When the visitor went to the store.';
COMMENT ON COLUMN public.installs.installation IS 'The first 16 bytes of SHA-256 of the installation''s id. NULL until the app has claimed the row, as the next three.';
COMMENT ON COLUMN public.installs.claim_id IS 'Random. With inviter_id it is the claim by which the user signs up.';
COMMENT ON COLUMN public.installs.confidence IS 'exact: the app had the token or the link. likely: only the facts agreed.';
COMMENT ON COLUMN public.installs.claimed_at IS 'When the app claimed it.';
COMMENT ON COLUMN public.installs.invitee_id IS 'Who signed up by the claim. NULL: nobody so far.';
COMMENT ON COLUMN public.installs.expires_at IS 'When it stops working and may be deleted.';

-- Name: invite_uses; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.invite_uses (
    code text NOT NULL,
    user_id uuid NOT NULL,
    used_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON TABLE public.invite_uses IS 'Who used which invite, at sign-up or later: a user counts once. It holds no uid, so that nothing readable of a deleted account stays. Written by Invites. Home key: code.';
COMMENT ON COLUMN public.invite_uses.code IS 'As in invites.';
COMMENT ON COLUMN public.invite_uses.user_id IS 'The user who used it.';
COMMENT ON COLUMN public.invite_uses.used_at IS 'When they used it.';

-- Name: invites_by_owner; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.invites_by_owner (
    owner_id uuid NOT NULL,
    code text NOT NULL,
    kind text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    idempotency_key text,
    request_sha256 bytea,
    answer text,
    CONSTRAINT invites_by_owner_answer CHECK ((num_nulls(idempotency_key, request_sha256, answer) = ANY (ARRAY[0, 3])))
);

COMMENT ON TABLE public.invites_by_owner IS 'The invites of each owner, so that listing and counting them reads one home. A row is written and deleted with its row of invites. Written by Invites. Home key: owner_id.';
COMMENT ON COLUMN public.invites_by_owner.owner_id IS 'As in invites.';
COMMENT ON COLUMN public.invites_by_owner.code IS 'As in invites.';
COMMENT ON COLUMN public.invites_by_owner.kind IS 'As in invites.';
COMMENT ON COLUMN public.invites_by_owner.created_at IS 'As in invites.';
COMMENT ON COLUMN public.invites_by_owner.idempotency_key IS 'The Idempotency-Key of the call that made the invite: the same call again gets the same answer. NULL: the call had none, or the owner deleted their account.';
COMMENT ON COLUMN public.invites_by_owner.request_sha256 IS 'SHA-256 of the request with that key, so that another request with it is refused. NULL: there is no key.';
COMMENT ON COLUMN public.invites_by_owner.answer IS 'The body of the answer to it, byte for byte. NULL: there is no key.';

-- Name: left_out_visits; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.left_out_visits (
    experiment text NOT NULL,
    phase bigint NOT NULL,
    count bigint NOT NULL,
    CONSTRAINT left_out_visits_positive CHECK ((count > 0))
)
WITH (fillfactor='70');

COMMENT ON TABLE public.left_out_visits IS 'How many visits of pages an experiment counted for no variation, because their address was unknown or above the limit visitors. Written by Experiments. Home key: experiment.';
COMMENT ON COLUMN public.left_out_visits.experiment IS 'As in exposures.';
COMMENT ON COLUMN public.left_out_visits.phase IS 'As in exposures.';
COMMENT ON COLUMN public.left_out_visits.count IS 'How many visits, not visitors: nobody knows who they were.';

-- Name: link_claims; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.link_claims (
    link text NOT NULL,
    installation uuid NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE public.link_claims IS 'Which installations came by which deep links, so that each counts once. Deleted when they expire. Written by Installs. Home key: link.';
COMMENT ON COLUMN public.link_claims.link IS 'As in clicks.';
COMMENT ON COLUMN public.link_claims.installation IS 'As in installs.';
COMMENT ON COLUMN public.link_claims.expires_at IS 'When it may be deleted.';

-- Name: links; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.links (
    code text NOT NULL,
    domain text NOT NULL,
    kind text NOT NULL,
    parameters jsonb NOT NULL,
    name text,
    note text,
    tags text[],
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    archived_at timestamp with time zone,
    expires_at timestamp with time zone,
    lapses boolean DEFAULT false NOT NULL,
    created_by text,
    clicks bigint DEFAULT 0 NOT NULL,
    sort_name text GENERATED ALWAYS AS (public.sort_key(COALESCE(name, code))) STORED COLLATE pg_catalog."C",
    search_text text GENERATED ALWAYS AS (public.link_search_text(code, name, (parameters ->> 'link'::text), tags, created_by)) STORED COLLATE pg_catalog."C",
    CONSTRAINT links_kind CHECK ((kind = ANY (ARRAY['unguessable'::text, 'short'::text, 'custom'::text, 'deleted'::text]))),
    CONSTRAINT links_lapses CHECK (((NOT lapses) OR (expires_at IS NOT NULL))),
    CONSTRAINT links_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
    CONSTRAINT links_note_length CHECK (((char_length(note) >= 1) AND (char_length(note) <= 500))),
    CONSTRAINT links_tags_count CHECK (((cardinality(tags) >= 1) AND (cardinality(tags) <= 10))),
    CONSTRAINT links_target CHECK (((kind = 'deleted'::text) OR (jsonb_typeof((parameters -> 'link'::text)) = 'string'::text)))
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02');

COMMENT ON TABLE public.links IS 'Short links that lead by parameters. A domain has codes of its own. Written by DeepLinks. Home key: code.';
COMMENT ON COLUMN public.links.code IS 'What the URL holds behind its domain; imported ones may have slashes.';
COMMENT ON COLUMN public.links.domain IS 'Where it stands, as in https://go.example.com or https://example.com/l.';
COMMENT ON COLUMN public.links.kind IS 'unguessable: 17 characters, the same for the same parameters. short: as few as are safe. custom: chosen or imported. deleted: it was unguessable, and nothing is left but its code, which the same parameters would get again.';
COMMENT ON COLUMN public.links.parameters IS 'The parameters of the long link by their names, link among them.';
COMMENT ON COLUMN public.links.name IS 'What operators call it. NULL: nothing.';
COMMENT ON COLUMN public.links.note IS 'What operators wrote down about it. NULL: nothing. No visitor sees it.';
COMMENT ON COLUMN public.links.tags IS 'The words by which operators find it, as LinkTag.swift folds them. NULL: none.';
COMMENT ON COLUMN public.links.created_at IS 'When it was made.';
COMMENT ON COLUMN public.links.archived_at IS 'When an operator put it away; it still leads on. NULL: nobody did.';
COMMENT ON COLUMN public.links.expires_at IS 'When it stops working. NULL: never.';
COMMENT ON COLUMN public.links.lapses IS 'Whether an app made it and nobody else asked for it: then each day on which it is opened moves expires_at, and it is deleted after that.';
COMMENT ON COLUMN public.links.created_by IS 'Who made it: api_keys.id, or person: and people.email. NULL: a file, as an import reads it.';
COMMENT ON COLUMN public.links.clicks IS 'How often it was opened, as lists sort by it: it grows in the transaction that adds the visits to counts. It has no index, which each visit would have to change.';
COMMENT ON COLUMN public.links.sort_name IS 'By which lists sort names: sort_key of the name, or else of the code.';
COMMENT ON COLUMN public.links.search_text IS 'In what a search looks.';

-- Name: offer_campaigns; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.offer_campaigns (
    key text NOT NULL,
    app_store_id text NOT NULL,
    offer text NOT NULL,
    product_id text,
    environment text NOT NULL,
    low_water bigint NOT NULL,
    quarter_budget bigint,
    quarter date,
    quarter_dealt bigint DEFAULT 0 NOT NULL,
    low_since timestamp with time zone,
    expiring_until timestamp with time zone,
    rewards_only boolean DEFAULT false NOT NULL,
    shared_code text,
    key_mark bytea,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT offer_campaigns_app_store_id CHECK ((app_store_id ~ '^[1-9][0-9]{0,19}$'::text)),
    CONSTRAINT offer_campaigns_environment CHECK ((environment = ANY (ARRAY['production'::text, 'sandbox'::text]))),
    CONSTRAINT offer_campaigns_key CHECK ((key ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$'::text)),
    CONSTRAINT offer_campaigns_low_water CHECK ((low_water >= 0)),
    CONSTRAINT offer_campaigns_quarter CHECK (((quarter IS NOT NULL) OR (quarter_dealt = 0))),
    CONSTRAINT offer_campaigns_quarter_budget CHECK ((quarter_budget >= 0)),
    CONSTRAINT offer_campaigns_shared CHECK (((shared_code IS NULL) OR ((shared_code ~ '^[A-Z0-9]{4,64}$'::text) AND (NOT rewards_only))))
);

COMMENT ON TABLE public.offer_campaigns IS 'Offers of the App Store whose codes Kith deals, each with a pool of its own. Written by Offers. Home key: key.';
COMMENT ON COLUMN public.offer_campaigns.key IS 'What apps call it by.';
COMMENT ON COLUMN public.offer_campaigns.app_store_id IS 'The number of the app in the App Store.';
COMMENT ON COLUMN public.offer_campaigns.offer IS 'The reference name of the offer in App Store Connect, which transactions carry as offerIdentifier.';
COMMENT ON COLUMN public.offer_campaigns.product_id IS 'The product of the offer: of redemptions of others, the campaign is not. NULL: of any.';
COMMENT ON COLUMN public.offer_campaigns.environment IS 'Where its codes can be redeemed: production or sandbox.';
COMMENT ON COLUMN public.offer_campaigns.low_water IS 'With fewer codes left to deal, operators are told.';
COMMENT ON COLUMN public.offer_campaigns.quarter_budget IS 'How many codes may be dealt in a quarter of the calendar in UTC. NULL: as many as there are.';
COMMENT ON COLUMN public.offer_campaigns.quarter IS 'The first day of the quarter that quarter_dealt counts. NULL: none was dealt under a budget.';
COMMENT ON COLUMN public.offer_campaigns.quarter_dealt IS 'How many were dealt in it; counted only under a budget.';
COMMENT ON COLUMN public.offer_campaigns.low_since IS 'When operators were told that few codes are left. NULL: enough are left.';
COMMENT ON COLUMN public.offer_campaigns.expiring_until IS 'Of the codes that expire up to then unused, operators were told. NULL: never yet.';
COMMENT ON COLUMN public.offer_campaigns.rewards_only IS 'Whether only those get a code whom a reward gives it.';
COMMENT ON COLUMN public.offer_campaigns.shared_code IS 'A custom code of the offer, which everybody who asks gets. It is no secret. NULL: each user gets a code of their own.';
COMMENT ON COLUMN public.offer_campaigns.key_mark IS 'Which KITH_SECRETS_KEY its codes are encrypted with, by a keyed hash: with another nothing is dealt or imported. NULL: it has no codes.';
COMMENT ON COLUMN public.offer_campaigns.created_at IS 'When it was created.';

-- Name: offer_codes; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.offer_codes (
    campaign text NOT NULL,
    id uuid NOT NULL,
    sealed bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    imported_at timestamp with time zone DEFAULT now() NOT NULL,
    dealt_at timestamp with time zone,
    deal_id uuid,
    user_id uuid,
    CONSTRAINT offer_codes_deal CHECK (((deal_id IS NULL) = (dealt_at IS NULL))),
    CONSTRAINT offer_codes_dealt CHECK (((user_id IS NULL) OR (dealt_at IS NOT NULL)))
);

COMMENT ON TABLE public.offer_codes IS 'One-time offer codes, each for one user. A row is never deleted, so that no code is dealt twice. Written by Offers. Home key: campaign.';
COMMENT ON COLUMN public.offer_codes.campaign IS 'offer_campaigns.key.';
COMMENT ON COLUMN public.offer_codes.id IS 'Of the code, by a keyed hash: so the same code is there once, and nobody learns it from here.';
COMMENT ON COLUMN public.offer_codes.sealed IS 'The code, encrypted with KITH_SECRETS_KEY.';
COMMENT ON COLUMN public.offer_codes.expires_at IS 'From when on the App Store refuses it.';
COMMENT ON COLUMN public.offer_codes.imported_at IS 'When it was imported.';
COMMENT ON COLUMN public.offer_codes.dealt_at IS 'When a user got it. NULL: nobody did, so it may be dealt.';
COMMENT ON COLUMN public.offer_codes.deal_id IS 'Of the call that dealt it, by a random number: so the call knows what it did itself. NULL as dealt_at.';
COMMENT ON COLUMN public.offer_codes.user_id IS 'Who got it. NULL: nobody, or they deleted their account; it stays dealt.';

-- Name: outbox_order; Type: SEQUENCE; Schema: public; Owner: -

CREATE SEQUENCE public.outbox_order
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

COMMENT ON SEQUENCE public.outbox_order IS 'Of events, in the order in which they were written.';

-- Name: outbox; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.outbox (
    user_id uuid NOT NULL,
    seq bigint DEFAULT nextval('public.outbox_order'::regclass) NOT NULL,
    type text NOT NULL,
    other_id uuid,
    facts text,
    at timestamp with time zone DEFAULT now() NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000');

COMMENT ON TABLE public.outbox IS 'What happened and has no number yet, written by the transaction that made it true. number_events moves the rows to events within a second. Written by Events. Home key: user_id.';
COMMENT ON COLUMN public.outbox.user_id IS 'To whom it happened, and who may know of it.';
COMMENT ON COLUMN public.outbox.seq IS 'Of one user the earlier event has the smaller number. Between users it says nothing: a transaction may take long.';
COMMENT ON COLUMN public.outbox.type IS 'What happened, as in docs/events.md.';
COMMENT ON COLUMN public.outbox.other_id IS 'The other user whom the event is about. NULL: none.';
COMMENT ON COLUMN public.outbox.facts IS 'JSON: what the event tells and no other table keeps. NULL: nothing.';
COMMENT ON COLUMN public.outbox.at IS 'When it happened.';

-- Name: people; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.people (
    id uuid NOT NULL,
    email text NOT NULL,
    roles text[] NOT NULL,
    by_rule boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    created_by text NOT NULL,
    removed_at timestamp with time zone,
    CONSTRAINT people_email_form CHECK (((char_length(email) <= 254) AND (email = lower(email)) AND (email ~ '^[!-~]+@[!-~]+$'::text))),
    CONSTRAINT people_roles CHECK (((cardinality(roles) > 0) AND (roles <@ ARRAY['viewer'::text, 'links'::text, 'growth'::text, 'support'::text, 'admin'::text])))
);

COMMENT ON TABLE public.people IS 'People who run the service and sign in at the console. Kith deletes no row: the audit names them. Written by People. Home key: id.';
COMMENT ON COLUMN public.people.id IS 'Random.';
COMMENT ON COLUMN public.people.email IS 'The mail address by which they are known, in lower case. It never changes.';
COMMENT ON COLUMN public.people.roles IS 'What they may do (Role.swift), in the order of the CHECK, each once.';
COMMENT ON COLUMN public.people.by_rule IS 'Whether nobody added them: they signed in by OpenID Connect, and KITH_CONSOLE_ROLES gives them their roles, anew at each sign-in.';
COMMENT ON COLUMN public.people.created_at IS 'When they were first added.';
COMMENT ON COLUMN public.people.created_by IS 'Who added them first, as audit.actor.';
COMMENT ON COLUMN public.people.removed_at IS 'When they were removed; no rule lets them in any more. NULL: they may sign in.';

-- Name: publications; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.publications (
    number bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    actor text NOT NULL,
    source text NOT NULL,
    reason text,
    marked_items text[] NOT NULL,
    items jsonb NOT NULL,
    effects jsonb NOT NULL,
    CONSTRAINT publications_number CHECK ((number > 0)),
    CONSTRAINT publications_reason_length CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 500)))
);

COMMENT ON TABLE public.publications IS 'Changes of what operators set: apps, policies, values, experiments, offers and rewards. Kith never changes or deletes a row. Written by Publications. Home key: number.';
COMMENT ON COLUMN public.publications.number IS 'Its place in the history: 1, 2, 3, without a gap. The newest is the revision of the state.';
COMMENT ON COLUMN public.publications.at IS 'When.';
COMMENT ON COLUMN public.publications.actor IS 'Who: `key:` and api_keys.id, `person:` and people.email, or `command:` and the user and host of the operating system.';
COMMENT ON COLUMN public.publications.source IS 'By what: call, console, file, revert or restore.';
COMMENT ON COLUMN public.publications.reason IS 'Why, as the operator wrote it. NULL: a command gave none.';
COMMENT ON COLUMN public.publications.marked_items IS 'The names of the changed items behind + (new), - (removed) or ~ (changed), as ~policies.minimum: lists read no items, which may be large.';
COMMENT ON COLUMN public.publications.items IS 'The changed items: section, key, and the texts of the fields before and after. No before: it is new; no after: it was removed.';
COMMENT ON COLUMN public.publications.effects IS 'What it would do, in sentences, as it was seen when it was published.';

-- Name: purchase_periods; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.purchase_periods (
    original_transaction_id text NOT NULL,
    environment text NOT NULL,
    transaction_id text NOT NULL,
    product_id text NOT NULL,
    purchased_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    upgraded boolean NOT NULL,
    quantity bigint DEFAULT 1 NOT NULL,
    offer_type bigint,
    offer_id text,
    revoked_at timestamp with time zone,
    revocation_reason bigint,
    reversed_at timestamp with time zone,
    signed_at timestamp with time zone NOT NULL,
    CONSTRAINT purchase_periods_quantity CHECK ((quantity > 0)),
    CONSTRAINT purchase_periods_revocation CHECK (((revocation_reason IS NULL) OR (revoked_at IS NOT NULL)))
);

COMMENT ON TABLE public.purchase_periods IS 'The transactions of purchases: each was paid, or given by an offer, for a period. Written by Purchases. Home key: original_transaction_id.';
COMMENT ON COLUMN public.purchase_periods.original_transaction_id IS 'As in purchases.';
COMMENT ON COLUMN public.purchase_periods.environment IS 'As in purchases.';
COMMENT ON COLUMN public.purchase_periods.transaction_id IS 'Apple''s transactionId.';
COMMENT ON COLUMN public.purchase_periods.product_id IS 'Apple''s productId.';
COMMENT ON COLUMN public.purchase_periods.purchased_at IS 'When it began.';
COMMENT ON COLUMN public.purchase_periods.expires_at IS 'When it ends. NULL: never.';
COMMENT ON COLUMN public.purchase_periods.upgraded IS 'Whether another period took its place before it ended.';
COMMENT ON COLUMN public.purchase_periods.quantity IS 'How many were bought at once.';
COMMENT ON COLUMN public.purchase_periods.offer_type IS 'By which offer: 1 introductory, 2 promotional, 3 an offer code, 4 win-back, or a later one of Apple''s. NULL: none.';
COMMENT ON COLUMN public.purchase_periods.offer_id IS 'Apple''s offerIdentifier: of offer codes, the reference name. NULL: none, or the offer has none.';
COMMENT ON COLUMN public.purchase_periods.revoked_at IS 'When Apple took it back, as by a refund. NULL: it did not, or Apple says so no more.';
COMMENT ON COLUMN public.purchase_periods.revocation_reason IS 'Apple''s revocationReason: 1 for a fault of the app, 0 for others. NULL: none.';
COMMENT ON COLUMN public.purchase_periods.reversed_at IS 'When Apple took a refund back. NULL: never.';
COMMENT ON COLUMN public.purchase_periods.signed_at IS 'When Apple signed what the row says; what was signed before changes nothing.';

-- Name: purchases; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.purchases (
    original_transaction_id text NOT NULL,
    environment text NOT NULL,
    change_id uuid NOT NULL,
    bundle_id text NOT NULL,
    app_store_id text,
    type text NOT NULL,
    family_shared boolean NOT NULL,
    started_at timestamp with time zone NOT NULL,
    user_id uuid,
    tied_at timestamp with time zone,
    auto_renews boolean,
    grace_until timestamp with time zone,
    renews_as text,
    billing_failed boolean DEFAULT false NOT NULL,
    renewal_signed_at timestamp with time zone,
    ended_at timestamp with time zone,
    consumed_at timestamp with time zone,
    consumption_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT purchases_consumable CHECK (((consumed_at IS NULL) OR (type = 'Consumable'::text))),
    CONSTRAINT purchases_consumption CHECK (((consumption_id IS NULL) OR (consumed_at IS NOT NULL))),
    CONSTRAINT purchases_environment CHECK ((environment = ANY (ARRAY['production'::text, 'sandbox'::text]))),
    CONSTRAINT purchases_renewal CHECK (((renewal_signed_at IS NOT NULL) OR ((auto_renews IS NULL) AND (grace_until IS NULL) AND (renews_as IS NULL) AND (NOT billing_failed)))),
    CONSTRAINT purchases_simulated CHECK (((environment = 'sandbox'::text) OR (original_transaction_id ~ '^[0-9A-Za-z]{1,64}$'::text))),
    CONSTRAINT purchases_tied CHECK (((user_id IS NULL) OR (tied_at IS NOT NULL)))
);

COMMENT ON TABLE public.purchases IS 'Purchases in the App Store, as Apple signed them; perhaps nobody knows yet whose. Written by Purchases. Home key: original_transaction_id.';
COMMENT ON COLUMN public.purchases.original_transaction_id IS 'Apple''s originalTransactionId, the same through all renewals; one that an operator simulated begins with sim-.';
COMMENT ON COLUMN public.purchases.environment IS 'production or sandbox; what is simulated is always in the sandbox.';
COMMENT ON COLUMN public.purchases.change_id IS 'Of the call that changed it last, by a random number: whoever read another one before writes nothing.';
COMMENT ON COLUMN public.purchases.bundle_id IS 'Of the app in which it was bought.';
COMMENT ON COLUMN public.purchases.app_store_id IS 'The number of that app in the App Store. NULL: the operator has not set it.';
COMMENT ON COLUMN public.purchases.type IS 'Apple''s type of the product, as in Auto-Renewable Subscription.';
COMMENT ON COLUMN public.purchases.family_shared IS 'Whether somebody else of the family bought it.';
COMMENT ON COLUMN public.purchases.started_at IS 'When it was bought for the first time.';
COMMENT ON COLUMN public.purchases.user_id IS 'Whose it is. NULL: nobody who is known, or they deleted their account.';
COMMENT ON COLUMN public.purchases.tied_at IS 'Since when it is theirs. NULL: it never was anybody''s.';
COMMENT ON COLUMN public.purchases.auto_renews IS 'Whether it renews at the end of its period. NULL: not known, or it cannot.';
COMMENT ON COLUMN public.purchases.grace_until IS 'Until when it goes on though a payment failed. NULL: no payment failed.';
COMMENT ON COLUMN public.purchases.renews_as IS 'Apple''s autoRenewProductId: the product at the next renewal. NULL: not known, or it cannot.';
COMMENT ON COLUMN public.purchases.billing_failed IS 'Whether its last payment failed, and Apple still tries.';
COMMENT ON COLUMN public.purchases.renewal_signed_at IS 'When Apple signed what auto_renews, grace_until, renews_as and billing_failed say; what was signed before changes nothing. NULL: nothing was.';
COMMENT ON COLUMN public.purchases.ended_at IS 'When Apple last said that it has expired. NULL: never.';
COMMENT ON COLUMN public.purchases.consumed_at IS 'When a backend gave what was bought, once. NULL: it did not, or it is no consumable.';
COMMENT ON COLUMN public.purchases.consumption_id IS 'Of the backend''s call that consumed it, by an id of its own. NULL: none did, or the user deleted their account since.';
COMMENT ON COLUMN public.purchases.created_at IS 'When Kith first heard of it.';

-- Name: rate_limits; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.rate_limits (
    key uuid NOT NULL,
    full_at bigint NOT NULL
);

COMMENT ON TABLE public.rate_limits IS 'One row for each caller and limit that used much of its quota: the sum over all servers. Each server adds to it once a second and deletes what is over once a minute. Written by RateLimits. Home key: key.';
COMMENT ON COLUMN public.rate_limits.key IS 'A hash of the limit and the caller, keyed with a secret so that the table names nobody.';
COMMENT ON COLUMN public.rate_limits.full_at IS 'When the whole quota is there again, in microseconds since 1970. After that the row means nothing.';

-- Name: referrals; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.referrals (
    invitee_id uuid NOT NULL,
    program text NOT NULL,
    inviter_id uuid NOT NULL,
    signed_up_at timestamp with time zone NOT NULL,
    qualified_at timestamp with time zone,
    purchase text,
    refunded_at timestamp with time zone,
    ended_at timestamp with time zone,
    made_at timestamp with time zone,
    left_at timestamp with time zone,
    CONSTRAINT referrals_ended CHECK (((ended_at IS NULL) OR (qualified_at IS NULL))),
    CONSTRAINT referrals_made CHECK (((made_at IS NULL) OR (qualified_at IS NOT NULL))),
    CONSTRAINT referrals_purchase CHECK (((purchase IS NULL) OR (qualified_at IS NOT NULL))),
    CONSTRAINT referrals_refunded CHECK (((refunded_at IS NULL) OR (purchase IS NOT NULL))),
    CONSTRAINT referrals_self CHECK ((invitee_id <> inviter_id))
);

COMMENT ON TABLE public.referrals IS 'Who joined by an invite while a program of rewards ran, and whether they have done what it asks for. Written by Rewards. Home key: invitee_id.';
COMMENT ON COLUMN public.referrals.invitee_id IS 'Who joined.';
COMMENT ON COLUMN public.referrals.program IS 'The key of the program in the file of `kith apply`.';
COMMENT ON COLUMN public.referrals.inviter_id IS 'By whose invite, as in acceptances.';
COMMENT ON COLUMN public.referrals.signed_up_at IS 'When they joined.';
COMMENT ON COLUMN public.referrals.qualified_at IS 'When they had done what the program asks for. NULL: not yet.';
COMMENT ON COLUMN public.referrals.purchase IS 'Environment and purchases.original_transaction_id, if a purchase did it. It stays when the invitee deletes their account: it pays once, and a refund takes back. NULL: none did.';
COMMENT ON COLUMN public.referrals.refunded_at IS 'When Kith heard that Apple refunded that purchase. NULL: it did not, or took the refund back.';
COMMENT ON COLUMN public.referrals.ended_at IS 'Since when it is too late to do it. NULL: it is not, or it is done.';
COMMENT ON COLUMN public.referrals.made_at IS 'When the rewards were made. NULL: not yet.';
COMMENT ON COLUMN public.referrals.left_at IS 'When the invitee deleted their account: nothing more comes of it, and Kith looks for refunds of the purchase by itself. NULL: they did not.';

-- Name: reward_actions; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.reward_actions (
    user_id uuid NOT NULL,
    action text NOT NULL,
    id text NOT NULL,
    at timestamp with time zone NOT NULL
);

COMMENT ON TABLE public.reward_actions IS 'What invitees did, as the backend told, while a program asks for actions or active days. Written by Rewards. Home key: user_id.';
COMMENT ON COLUMN public.reward_actions.user_id IS 'Who did it.';
COMMENT ON COLUMN public.reward_actions.action IS 'What, by the backend''s name of it.';
COMMENT ON COLUMN public.reward_actions.id IS 'Of the act, by the backend: the same act told again counts once.';
COMMENT ON COLUMN public.reward_actions.at IS 'When they did it.';

-- Name: reward_budgets; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.reward_budgets (
    program text NOT NULL,
    side text NOT NULL,
    unit text NOT NULL,
    period text NOT NULL,
    rewards bigint NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT reward_budgets_counts CHECK (((rewards >= 0) AND (amount >= 0))),
    CONSTRAINT reward_budgets_period CHECK (((period = 'all'::text) OR (period ~ '^\d{4}-\d\d-\d\d$'::text))),
    CONSTRAINT reward_budgets_side CHECK ((side = ANY (ARRAY['inviter'::text, 'invitee'::text])))
);

COMMENT ON TABLE public.reward_budgets IS 'How much each program has given, ever and on each day, so that the row''s lock decides who gets the last of it. Written by Rewards. Home key: program.';
COMMENT ON COLUMN public.reward_budgets.program IS 'As in referrals.';
COMMENT ON COLUMN public.reward_budgets.side IS 'As in rewards.';
COMMENT ON COLUMN public.reward_budgets.unit IS 'Of what: of a credit its unit; else offer: or event:, and what rewards.unit says.';
COMMENT ON COLUMN public.reward_budgets.period IS 'all, or a day in UTC.';
COMMENT ON COLUMN public.reward_budgets.rewards IS 'How many rewards were given for the first time; what is taken back is not subtracted.';
COMMENT ON COLUMN public.reward_budgets.amount IS 'The sum of their amounts, in the unit.';

-- Name: reward_positions; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.reward_positions (
    scope text NOT NULL,
    "position" bigint NOT NULL,
    holder uuid,
    held_until timestamp with time zone,
    CONSTRAINT reward_positions_holder CHECK (((holder IS NULL) = (held_until IS NULL))),
    CONSTRAINT reward_positions_scope CHECK ((scope = 'all'::text))
);

COMMENT ON TABLE public.reward_positions IS 'How far rewards have followed the events, in one row. One server at a time does so. Written by Rewards. Home key: scope.';
COMMENT ON COLUMN public.reward_positions.scope IS 'all.';
COMMENT ON COLUMN public.reward_positions."position" IS 'As in events.id: what all events up to it mean for rewards is written.';
COMMENT ON COLUMN public.reward_positions.holder IS 'Which work of which server follows, by a random number. NULL: none.';
COMMENT ON COLUMN public.reward_positions.held_until IS 'When another server may take over. NULL as holder.';

-- Name: reward_postings; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.reward_postings (
    user_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    debit text NOT NULL,
    credit text NOT NULL,
    program text,
    unit text NOT NULL,
    amount bigint NOT NULL,
    reward_id uuid,
    reverses uuid,
    at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT reward_postings_accounts CHECK (((debit = ANY (ARRAY['user'::text, 'program'::text, 'loss'::text, 'spent'::text, 'forfeited'::text])) AND (credit = ANY (ARRAY['user'::text, 'program'::text, 'loss'::text, 'spent'::text, 'forfeited'::text])) AND ((debit = 'user'::text) <> (credit = 'user'::text)))),
    CONSTRAINT reward_postings_amount CHECK ((amount > 0)),
    CONSTRAINT reward_postings_kind CHECK ((((kind = 'reward'::text) AND (debit = 'program'::text) AND (reverses IS NULL)) OR ((kind = 'reversal'::text) AND (reverses IS NOT NULL)) OR ((kind = 'loss'::text) AND (debit = 'loss'::text) AND (reverses IS NULL)) OR ((kind = 'spend'::text) AND (credit = 'spent'::text) AND (reverses IS NULL)) OR ((kind = 'forfeit'::text) AND (credit = 'forfeited'::text) AND (reverses IS NULL)))),
    CONSTRAINT reward_postings_program CHECK (((program IS NOT NULL) = (reward_id IS NOT NULL)))
);

COMMENT ON TABLE public.reward_postings IS 'The ledger, by double entry: a row takes an amount from one account and gives it to another, so the sum of all accounts is always zero. Rows are never changed or deleted. Written by Rewards. Home key: user_id.';
COMMENT ON COLUMN public.reward_postings.user_id IS 'Whose account is one of the two.';
COMMENT ON COLUMN public.reward_postings.id IS 'Random; of a spend by the backend a hash of its own id.';
COMMENT ON COLUMN public.reward_postings.kind IS 'reward: given. reversal: the opposite of another row. loss: what was spent before it was taken back. spend: the user used it. forfeit: the user deleted their account.';
COMMENT ON COLUMN public.reward_postings.debit IS 'The account that gives: user, or program, loss, spent or forfeited, which are the operator''s.';
COMMENT ON COLUMN public.reward_postings.credit IS 'The account that gets.';
COMMENT ON COLUMN public.reward_postings.program IS 'Of the reward. NULL as reward_id.';
COMMENT ON COLUMN public.reward_postings.unit IS 'Of a credit its unit, of an offer offer: and the key of its campaign.';
COMMENT ON COLUMN public.reward_postings.amount IS 'How much.';
COMMENT ON COLUMN public.reward_postings.reward_id IS 'For which reward. NULL: for none, as credit is spent or forfeited.';
COMMENT ON COLUMN public.reward_postings.reverses IS 'Which row it takes back. NULL: none.';
COMMENT ON COLUMN public.reward_postings.at IS 'When.';

-- Name: reward_signals; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.reward_signals (
    user_id uuid NOT NULL,
    kind text NOT NULL,
    mark uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
    "time" timestamp with time zone,
    told_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT reward_signals_kind CHECK ((kind = ANY (ARRAY['email'::text, 'phone'::text, 'device'::text, 'address'::text, 'app_account'::text, 'disposable'::text, 'device_check'::text, 'account_created'::text, 'clicked'::text]))),
    CONSTRAINT reward_signals_mark CHECK (((mark <> '00000000-0000-0000-0000-000000000000'::uuid) = (kind = ANY (ARRAY['email'::text, 'phone'::text, 'device'::text, 'address'::text, 'app_account'::text])))),
    CONSTRAINT reward_signals_time CHECK ((("time" IS NOT NULL) = (kind = ANY (ARRAY['account_created'::text, 'clicked'::text]))))
);

COMMENT ON TABLE public.reward_signals IS 'By what fraud is recognized: keyed hashes and times that the backend told, for 90 days, and none after the deletion of the account. Written by Rewards. Home key: user_id.';
COMMENT ON COLUMN public.reward_signals.user_id IS 'Whose.';
COMMENT ON COLUMN public.reward_signals.kind IS 'email, phone, device, address (a /32 or /64) and app_account (Apple''s appAccountToken) have a mark, and all but the address perhaps several; account_created and clicked a time; disposable and device_check are true by being there.';
COMMENT ON COLUMN public.reward_signals.mark IS 'Of the canonical form, by a hash with KITH_SECRETS_KEY. Zeros: the kind has none.';
COMMENT ON COLUMN public.reward_signals."time" IS 'When the account was created elsewhere, or the link clicked. NULL: the kind has none.';
COMMENT ON COLUMN public.reward_signals.told_at IS 'When the backend told it.';

-- Name: rewards; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.rewards (
    user_id uuid NOT NULL,
    id uuid NOT NULL,
    program text NOT NULL,
    invitee_id uuid NOT NULL,
    side text NOT NULL,
    other_id uuid NOT NULL,
    kind text NOT NULL,
    unit text NOT NULL,
    amount bigint NOT NULL,
    state text NOT NULL,
    cause text,
    reasons text,
    change_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    due_at timestamp with time zone NOT NULL,
    approved_at timestamp with time zone,
    settled_at timestamp with time zone,
    decided_at timestamp with time zone,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT rewards_amount CHECK (((amount > 0) AND ((kind = 'credit'::text) OR (amount = 1)))),
    CONSTRAINT rewards_approved CHECK (((approved_at IS NOT NULL) OR (state <> ALL (ARRAY['approved'::text, 'assigned'::text, 'settled'::text, 'clawed_back'::text, 'expired'::text])))),
    CONSTRAINT rewards_cause CHECK (
CASE
    WHEN (state = ANY (ARRAY['rejected'::text, 'voided'::text, 'clawed_back'::text, 'expired'::text])) THEN ((cause IS NOT NULL) AND (cause = ANY (ARRAY['rule'::text, 'cap'::text, 'refund'::text, 'operator'::text, 'deleted'::text, 'unused'::text])))
    ELSE ((cause IS NULL) OR ((cause = 'operator'::text) AND (state = ANY (ARRAY['approved'::text, 'assigned'::text, 'settled'::text]))))
END),
    CONSTRAINT rewards_decided CHECK (((decided_at IS NULL) OR (approved_at IS NOT NULL))),
    CONSTRAINT rewards_kind CHECK ((kind = ANY (ARRAY['credit'::text, 'offer'::text, 'event'::text]))),
    CONSTRAINT rewards_offer CHECK (((kind = 'offer'::text) OR (state <> ALL (ARRAY['assigned'::text, 'settled'::text, 'expired'::text])))),
    CONSTRAINT rewards_settled CHECK (
CASE
    WHEN (settled_at IS NULL) THEN (state <> 'settled'::text)
    ELSE (state = ANY (ARRAY['settled'::text, 'clawed_back'::text]))
END),
    CONSTRAINT rewards_side CHECK ((side = ANY (ARRAY['inviter'::text, 'invitee'::text]))),
    CONSTRAINT rewards_sides CHECK ((((side = 'invitee'::text) = (user_id = invitee_id)) AND (other_id <> user_id))),
    CONSTRAINT rewards_state CHECK ((state = ANY (ARRAY['pending'::text, 'flagged'::text, 'approved'::text, 'assigned'::text, 'settled'::text, 'rejected'::text, 'voided'::text, 'clawed_back'::text, 'expired'::text])))
);

COMMENT ON TABLE public.rewards IS 'What each side gets for an invite, once for each program, invitee and side. Written by Rewards. Home key: user_id.';
COMMENT ON COLUMN public.rewards.user_id IS 'Who gets it: the inviter or the invitee.';
COMMENT ON COLUMN public.rewards.id IS 'A hash of program, invitee and side, so that making it again finds it.';
COMMENT ON COLUMN public.rewards.program IS 'As in referrals.';
COMMENT ON COLUMN public.rewards.invitee_id IS 'Who joined, whichever side gets it.';
COMMENT ON COLUMN public.rewards.side IS 'Who gets it: inviter or invitee.';
COMMENT ON COLUMN public.rewards.other_id IS 'The other one of the two.';
COMMENT ON COLUMN public.rewards.kind IS 'credit, offer (a code of a campaign) or event (the backend does it).';
COMMENT ON COLUMN public.rewards.unit IS 'Of a credit its unit, of an offer the key of its campaign, of an event the program.';
COMMENT ON COLUMN public.rewards.amount IS 'How much, in the unit: 1 of an offer or event.';
COMMENT ON COLUMN public.rewards.state IS 'pending or flagged: not given yet. approved: given. assigned: the code is dealt. settled: the code was redeemed. rejected, voided: never given. clawed_back: taken back. expired: the code expired unused.';
COMMENT ON COLUMN public.rewards.cause IS 'What ended it: rule, cap, refund, operator, deleted or unused; or operator if one gave it. NULL: it waits, or Kith gave it.';
COMMENT ON COLUMN public.rewards.reasons IS 'JSON: the rules that held, with fact, threshold and verdict, for operators. NULL: none did, or the user deleted their account.';
COMMENT ON COLUMN public.rewards.change_id IS 'Of the call that changed it last, by a random number: so the call knows what it did itself.';
COMMENT ON COLUMN public.rewards.created_at IS 'When it was made.';
COMMENT ON COLUMN public.rewards.due_at IS 'When Kith looks whether to give it.';
COMMENT ON COLUMN public.rewards.approved_at IS 'When it was given first; the budget counts it once. NULL: never.';
COMMENT ON COLUMN public.rewards.settled_at IS 'When Kith heard that its code was redeemed; also if it had been taken back by then. NULL: it was not.';
COMMENT ON COLUMN public.rewards.decided_at IS 'When an operator gave it, so that only a later refund takes it back. NULL: none did, or not the last time.';
COMMENT ON COLUMN public.rewards.changed_at IS 'Since when it has its state.';

-- Name: schema_migrations; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.schema_migrations (
    version integer NOT NULL,
    name text NOT NULL,
    sha256 text,
    applied_at timestamp with time zone DEFAULT now() NOT NULL,
    serves integer
);

COMMENT ON TABLE public.schema_migrations IS 'Which migrations this database has; each enters itself. Kith compares them with those it was built with. Written by Migrations.';
COMMENT ON COLUMN public.schema_migrations.version IS 'The number that the name of the file begins with.';
COMMENT ON COLUMN public.schema_migrations.name IS 'The rest of the name of the file.';
COMMENT ON COLUMN public.schema_migrations.sha256 IS 'SHA-256 of the file, in hex. NULL: applied by psql, until `kith migrate` fills it in.';
COMMENT ON COLUMN public.schema_migrations.applied_at IS 'When it was applied. Only people read this.';
COMMENT ON COLUMN public.schema_migrations.serves IS 'A kith that ends at this version or later starts beside the migration, though it does not know it: the migration only adds. NULL: none does.';

-- Name: secrets; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.secrets (
    name text NOT NULL,
    bytes bytea NOT NULL
);

COMMENT ON TABLE public.secrets IS 'Secrets that all servers of this database share: made here. Written by Restores. Home key: name.';
COMMENT ON COLUMN public.secrets.name IS 'cursors: encrypts the cursors of lists. links: makes unguessable codes of what they lead to. rate_limits: hashes the callers, so that rate_limits names nobody. sync: how far a phone has synced holds only as long as this stays; `kith restored` replaces it. database, which is no secret: by which number the database was known at the last start, and by which phones know it.';
COMMENT ON COLUMN public.secrets.bytes IS 'The secret, 32 bytes; of database a text.';

-- Name: sessions; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.sessions (
    id uuid NOT NULL,
    sha256 bytea NOT NULL,
    person uuid NOT NULL,
    method text NOT NULL,
    began_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT sessions_method CHECK ((method = ANY (ARRAY['link'::text, 'openid'::text]))),
    CONSTRAINT sessions_sha256_length CHECK ((octet_length(sha256) = 32)),
    CONSTRAINT sessions_times CHECK (((began_at <= seen_at) AND (began_at < ends_at)))
);

COMMENT ON TABLE public.sessions IS 'Browsers in which people are signed in at the console. Kith deletes them 30 days after their end. Written by People. Home key: id.';
COMMENT ON COLUMN public.sessions.id IS 'Random. It is not secret: lists and the audit show it.';
COMMENT ON COLUMN public.sessions.sha256 IS 'SHA-256 of the secret in the cookie, which is kept nowhere.';
COMMENT ON COLUMN public.sessions.person IS 'people.id: who is signed in.';
COMMENT ON COLUMN public.sessions.method IS 'How they signed in: link or openid.';
COMMENT ON COLUMN public.sessions.began_at IS 'When they signed in.';
COMMENT ON COLUMN public.sessions.seen_at IS 'When a call last came with it, within five minutes. Unused for twelve hours it is refused.';
COMMENT ON COLUMN public.sessions.ends_at IS 'From when on it is refused, however often it is used.';
COMMENT ON COLUMN public.sessions.ended_at IS 'When somebody ended it: its person, an admin, a change of roles, a removal, or `kith restored`. NULL: nobody has.';

-- Name: sign_in_links; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.sign_in_links (
    sha256 bytea NOT NULL,
    person uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    created_by text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT sign_in_links_sha256_length CHECK ((octet_length(sha256) = 32))
);

COMMENT ON TABLE public.sign_in_links IS 'Links with which people sign in once, without a provider. Kith deletes them 30 days after they expire. Written by People. Home key: sha256.';
COMMENT ON COLUMN public.sign_in_links.sha256 IS 'SHA-256 of the end of the link, which is shown once and kept nowhere.';
COMMENT ON COLUMN public.sign_in_links.person IS 'people.id: who signs in with it.';
COMMENT ON COLUMN public.sign_in_links.created_at IS 'When it was made.';
COMMENT ON COLUMN public.sign_in_links.created_by IS 'Who made it, as audit.actor.';
COMMENT ON COLUMN public.sign_in_links.expires_at IS 'From when on it is refused.';
COMMENT ON COLUMN public.sign_in_links.used_at IS 'When somebody signed in with it, which works once. NULL: nobody has.';

-- Name: signups; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.signups (
    user_id uuid NOT NULL,
    name_key text NOT NULL,
    username text NOT NULL,
    display_name text,
    avatar_url text,
    metadata text,
    outcome text NOT NULL,
    reason text,
    result text NOT NULL,
    inviter_uid text,
    inviter_username text,
    inviter_display_name text,
    inviter_avatar_url text,
    inviter_metadata text,
    link text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT signups_inviter CHECK (((inviter_uid IS NOT NULL) = (outcome = 'accepted'::text))),
    CONSTRAINT signups_outcome CHECK ((outcome = ANY (ARRAY['accepted'::text, 'ignored'::text, 'none'::text]))),
    CONSTRAINT signups_reason CHECK (((reason IS NOT NULL) = (outcome = 'ignored'::text))),
    CONSTRAINT signups_result CHECK ((result = ANY (ARRAY['friends'::text, 'requested'::text, 'incoming'::text, 'none'::text])))
);

COMMENT ON TABLE public.signups IS 'What each sign-up was answered, word for word, so that the same call again gets the same answer, also after a rename. Imported users have no row; deleting an account deletes it. Written by Signup. Home key: user_id.';
COMMENT ON COLUMN public.signups.user_id IS 'Who signed up.';
COMMENT ON COLUMN public.signups.name_key IS 'fold(username): a call with another name is refused.';
COMMENT ON COLUMN public.signups.username IS 'The username they got, as answered.';
COMMENT ON COLUMN public.signups.display_name IS 'The display name they gave. NULL: none.';
COMMENT ON COLUMN public.signups.avatar_url IS 'The avatar they gave. NULL: none.';
COMMENT ON COLUMN public.signups.metadata IS 'The metadata they gave. NULL: none.';
COMMENT ON COLUMN public.signups.outcome IS 'What became of the invite. accepted: acceptances has it. ignored: it did not hold. none: there was none.';
COMMENT ON COLUMN public.signups.reason IS 'Why the invite was ignored, as answered; not_found after its inviter deleted their account. NULL: it was not.';
COMMENT ON COLUMN public.signups.result IS 'What the invite made of the user and the inviter: friends, requested (the user asks), incoming (the inviter asks), or none.';
COMMENT ON COLUMN public.signups.inviter_uid IS 'The inviter, as answered. NULL: no invite was accepted.';
COMMENT ON COLUMN public.signups.inviter_username IS 'The inviter''s username, as answered. NULL likewise.';
COMMENT ON COLUMN public.signups.inviter_display_name IS 'The inviter''s display name, as answered. NULL likewise, or none.';
COMMENT ON COLUMN public.signups.inviter_avatar_url IS 'The inviter''s avatar, as answered. NULL likewise, or none.';
COMMENT ON COLUMN public.signups.inviter_metadata IS 'The inviter''s metadata, as answered. NULL likewise, or none.';
COMMENT ON COLUMN public.signups.link IS 'The deep link that brought them, as in clicks. NULL: none did.';
COMMENT ON COLUMN public.signups.created_at IS 'When they signed up; never before the inviter, whatever the clock says.';

-- Name: test_devices; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.test_devices (
    name text NOT NULL,
    unit uuid NOT NULL,
    draft text,
    variations jsonb NOT NULL,
    actor text NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT test_devices_name CHECK ((name ~ '^[A-Za-z][A-Za-z0-9_-]{0,31}$'::text)),
    CONSTRAINT test_devices_variations CHECK ((jsonb_typeof(variations) = 'object'::text))
);

COMMENT ON TABLE public.test_devices IS 'Units that see a draft, or a variation that they are given, and count nowhere. If the unit is a user, it goes with their account. Written by Publications. Home key: name.';
COMMENT ON COLUMN public.test_devices.name IS 'How people call it.';
COMMENT ON COLUMN public.test_devices.unit IS 'As in exposures, also of what the app calls its installation.';
COMMENT ON COLUMN public.test_devices.draft IS 'What it sees. NULL: what is published.';
COMMENT ON COLUMN public.test_devices.variations IS 'The variations that it is given, by their experiments.';
COMMENT ON COLUMN public.test_devices.actor IS 'Who changed it last, as in audit.';
COMMENT ON COLUMN public.test_devices.changed_at IS 'When they did.';

-- Name: username_periods; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.username_periods (
    user_id uuid NOT NULL,
    name_key text NOT NULL,
    username text NOT NULL,
    valid_from timestamp with time zone DEFAULT now() NOT NULL,
    valid_to timestamp with time zone,
    severed boolean DEFAULT false NOT NULL,
    CONSTRAINT username_periods_order CHECK ((valid_to >= valid_from))
)
WITH (autovacuum_vacuum_scale_factor='0.02');

COMMENT ON TABLE public.username_periods IS 'When a user had which username: old links lead on by it. A name that was given up and taken back has a row for each time. Deleting an account deletes its rows. Written by Usernames. Home key: user_id.';
COMMENT ON COLUMN public.username_periods.user_id IS 'Who had the name.';
COMMENT ON COLUMN public.username_periods.name_key IS 'fold(username).';
COMMENT ON COLUMN public.username_periods.username IS 'The name as the user last spelled it in this period.';
COMMENT ON COLUMN public.username_periods.valid_from IS 'When the user took the name.';
COMMENT ON COLUMN public.username_periods.valid_to IS 'When the user gave it up. NULL: it is the current username.';
COMMENT ON COLUMN public.username_periods.severed IS 'True: the user chose that links with this name lead nowhere. The latest period of a name decides.';

-- Name: usernames; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.usernames (
    name_key text NOT NULL,
    user_id uuid,
    state text NOT NULL,
    held_until timestamp with time zone,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT usernames_folded CHECK ((name_key = public.fold(name_key))),
    CONSTRAINT usernames_held_until CHECK (((state = 'reserved'::text) OR ((held_until IS NOT NULL) = (state = 'held'::text)))),
    CONSTRAINT usernames_owner CHECK (((state = 'released'::text) OR ((user_id IS NULL) = (state = 'reserved'::text)))),
    CONSTRAINT usernames_state CHECK ((state = ANY (ARRAY['active'::text, 'held'::text, 'released'::text, 'reserved'::text])))
)
WITH (autovacuum_vacuum_scale_factor='0.02');

COMMENT ON TABLE public.usernames IS 'Who has each username, or had it last. Sign-up, rename, deletion, import and `kith username release` write it. No row is ever deleted: a name that somebody had never counts as one that nobody had. Written by Usernames. Home key: name_key.';
COMMENT ON COLUMN public.usernames.name_key IS 'fold(username).';
COMMENT ON COLUMN public.usernames.user_id IS 'Who has the name, or had it last. NULL: they deleted their account.';
COMMENT ON COLUMN public.usernames.state IS 'active: the current username of user_id. held: user_id gave it up, and until held_until only they can take it. reserved: left by a deleted account, and until held_until nobody can take it. released: anybody can take it, as after held_until, which changes no row.';
COMMENT ON COLUMN public.usernames.held_until IS 'When a held or reserved name becomes free. NULL of a reserved name: never, unless an operator releases it.';
COMMENT ON COLUMN public.usernames.changed_at IS 'When the state or the owner last changed.';

-- Name: visitor_salts; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.visitor_salts (
    day date NOT NULL,
    span text NOT NULL,
    salt bytea NOT NULL,
    CONSTRAINT visitor_salts_span CHECK ((span = ANY (ARRAY['day'::text, 'month'::text])))
);

COMMENT ON TABLE public.visitor_salts IS 'A salt a day for installs.facts, clicks.trace and who called that day, and one a month for who called in it. Deleted within the hour after the next day has ended; then nobody can tell what was hashed. Written by Counts. Home key: day.';
COMMENT ON COLUMN public.visitor_salts.day IS 'The day in KITH_TIME_ZONE, or the first of the month.';
COMMENT ON COLUMN public.visitor_salts.span IS 'day or month.';
COMMENT ON COLUMN public.visitor_salts.salt IS '32 random bytes.';

-- Name: webhook_deliveries; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.webhook_deliveries (
    webhook_id uuid NOT NULL,
    event_id bigint NOT NULL,
    user_id uuid NOT NULL,
    attempts bigint DEFAULT 0 NOT NULL,
    due_at timestamp with time zone,
    first_failed_at timestamp with time zone,
    last_error text,
    dead_at timestamp with time zone,
    CONSTRAINT webhook_deliveries_dead CHECK (((dead_at IS NULL) OR (due_at IS NULL)))
);

COMMENT ON TABLE public.webhook_deliveries IS 'Events that an endpoint did not take yet, and those of the same user behind them. Written by Webhooks. Home key: webhook_id.';
COMMENT ON COLUMN public.webhook_deliveries.webhook_id IS 'The endpoint.';
COMMENT ON COLUMN public.webhook_deliveries.event_id IS 'As events.id.';
COMMENT ON COLUMN public.webhook_deliveries.user_id IS 'As events.user_id.';
COMMENT ON COLUMN public.webhook_deliveries.attempts IS 'How often it was sent in vain. 0: it waits behind an earlier event of the user, or an operator wants it sent again.';
COMMENT ON COLUMN public.webhook_deliveries.due_at IS 'When to send it. NULL: not before an earlier event of the user, or never again. The first one of a user that is not dead has a time.';
COMMENT ON COLUMN public.webhook_deliveries.first_failed_at IS 'When it failed first. NULL: it was not sent yet.';
COMMENT ON COLUMN public.webhook_deliveries.last_error IS 'As webhooks.last_error.';
COMMENT ON COLUMN public.webhook_deliveries.dead_at IS 'Since when Kith does not try any more: a dead letter, which an operator may send again. NULL: it tries.';

-- Name: webhooks; Type: TABLE; Schema: public; Owner: -

CREATE TABLE public.webhooks (
    id uuid NOT NULL,
    url text NOT NULL,
    types text[] NOT NULL,
    secret bytea NOT NULL,
    old_secret bytea,
    older_secret bytea,
    old_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    revision bigint DEFAULT 1 NOT NULL,
    holder uuid,
    held_until timestamp with time zone,
    "position" bigint NOT NULL,
    failures bigint DEFAULT 0 NOT NULL,
    failing_since timestamp with time zone,
    probe_at timestamp with time zone,
    paused_at timestamp with time zone,
    last_error text,
    last_error_at timestamp with time zone,
    missed bigint DEFAULT 0 NOT NULL,
    missed_until timestamp with time zone,
    CONSTRAINT webhooks_failing CHECK (((failing_since IS NULL) = (probe_at IS NULL))),
    CONSTRAINT webhooks_holder CHECK (((holder IS NULL) = (held_until IS NULL))),
    CONSTRAINT webhooks_last_error CHECK (((last_error IS NULL) = (last_error_at IS NULL))),
    CONSTRAINT webhooks_old_secret CHECK ((((old_secret IS NULL) = (old_until IS NULL)) AND ((old_secret IS NOT NULL) OR (older_secret IS NULL)))),
    CONSTRAINT webhooks_types CHECK ((cardinality(types) > 0))
);

COMMENT ON TABLE public.webhooks IS 'Endpoints of backends that are told what happens. One server at a time delivers to one endpoint. Written by Webhooks. Home key: id.';
COMMENT ON COLUMN public.webhooks.id IS 'Random.';
COMMENT ON COLUMN public.webhooks.url IS 'Where events are posted to.';
COMMENT ON COLUMN public.webhooks.types IS 'The types of events that it gets, as in docs/events.md.';
COMMENT ON COLUMN public.webhooks.secret IS 'What signs, encrypted with KITH_SECRETS_KEY.';
COMMENT ON COLUMN public.webhooks.old_secret IS 'The one before, which signs, too, until old_until. NULL: none.';
COMMENT ON COLUMN public.webhooks.older_secret IS 'The one before that, likewise, if old_secret was new for less than a day: perhaps no receiver ever got to know it. NULL: none.';
COMMENT ON COLUMN public.webhooks.old_until IS 'Until when old_secret and older_secret sign.';
COMMENT ON COLUMN public.webhooks.created_at IS 'When it was created.';
COMMENT ON COLUMN public.webhooks.revision IS 'Greater after each change by an operator. The server that delivers then begins anew, and writes nothing by what it knew before.';
COMMENT ON COLUMN public.webhooks.holder IS 'Which work of which server delivers, by a random number. NULL: none. Each write of progress names it, so a server that was held up and lost its place writes nothing.';
COMMENT ON COLUMN public.webhooks.held_until IS 'When another server may take over, unless the holder says before that it is still there.';
COMMENT ON COLUMN public.webhooks."position" IS 'As events.id: every event up to it is delivered, of no type that the endpoint gets, or in webhook_deliveries.';
COMMENT ON COLUMN public.webhooks.failures IS 'How many events failed at the first attempt since a delivery succeeded.';
COMMENT ON COLUMN public.webhooks.failing_since IS 'Since when nothing but a probe now and then is sent, because too many events failed in a row. NULL: it does not fail.';
COMMENT ON COLUMN public.webhooks.probe_at IS 'When it is tried the next time while it fails.';
COMMENT ON COLUMN public.webhooks.paused_at IS 'Since when nothing is sent: an operator paused it, it failed for three days, or it answered 410. NULL: not paused.';
COMMENT ON COLUMN public.webhooks.last_error IS 'Why the last delivery that failed did, without anything of the answer but its status. NULL: none did.';
COMMENT ON COLUMN public.webhooks.last_error_at IS 'When that was.';
COMMENT ON COLUMN public.webhooks.missed IS 'How many events were too old, and gone, when they could have been delivered again.';
COMMENT ON COLUMN public.webhooks.missed_until IS 'All events from before that may be missed: they were too old, and gone, when the endpoint came back. NULL: none.';

-- Name: acceptances acceptances_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.acceptances
    ADD CONSTRAINT acceptances_pkey PRIMARY KEY (invitee_id);

-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

-- Name: applied_files applied_files_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.applied_files
    ADD CONSTRAINT applied_files_pkey PRIMARY KEY (section);

-- Name: appstore_notifications appstore_notifications_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.appstore_notifications
    ADD CONSTRAINT appstore_notifications_pkey PRIMARY KEY (subject, id);

-- Name: audit audit_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (id);

-- Name: clicks clicks_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.clicks
    ADD CONSTRAINT clicks_pkey PRIMARY KEY (link, seq);

-- Name: client_versions client_versions_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.client_versions
    ADD CONSTRAINT client_versions_pkey PRIMARY KEY (app, day, platform, version, action);

-- Name: config_drafts config_drafts_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.config_drafts
    ADD CONSTRAINT config_drafts_pkey PRIMARY KEY (name);

-- Name: conversions conversions_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.conversions
    ADD CONSTRAINT conversions_pkey PRIMARY KEY (unit, experiment, phase, goal, id);

-- Name: count_positions count_positions_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.count_positions
    ADD CONSTRAINT count_positions_pkey PRIMARY KEY (source);

-- Name: counts counts_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.counts
    ADD CONSTRAINT counts_pkey PRIMARY KEY (subject, measure, day);

-- Name: dismissals dismissals_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.dismissals
    ADD CONSTRAINT dismissals_pkey PRIMARY KEY (user_id, other_id);

-- Name: event_numbers event_numbers_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.event_numbers
    ADD CONSTRAINT event_numbers_pkey PRIMARY KEY (scope);

-- Name: events events_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (user_id, id);

-- Name: experiment_days experiment_days_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.experiment_days
    ADD CONSTRAINT experiment_days_pkey PRIMARY KEY (experiment, phase, day, variation);

-- Name: experiment_goal_days experiment_goal_days_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.experiment_goal_days
    ADD CONSTRAINT experiment_goal_days_pkey PRIMARY KEY (experiment, phase, day, variation, goal);

-- Name: exposures exposures_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.exposures
    ADD CONSTRAINT exposures_pkey PRIMARY KEY (unit, experiment, phase);

-- Name: installs installs_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.installs
    ADD CONSTRAINT installs_pkey PRIMARY KEY (inviter_id, id);

-- Name: invite_uses invite_uses_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.invite_uses
    ADD CONSTRAINT invite_uses_pkey PRIMARY KEY (code, user_id);

-- Name: invites_by_owner invites_by_owner_idempotency; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.invites_by_owner
    ADD CONSTRAINT invites_by_owner_idempotency UNIQUE (owner_id, idempotency_key);

-- Name: invites_by_owner invites_by_owner_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.invites_by_owner
    ADD CONSTRAINT invites_by_owner_pkey PRIMARY KEY (owner_id, code);

-- Name: invites invites_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.invites
    ADD CONSTRAINT invites_pkey PRIMARY KEY (code);

-- Name: left_out_visits left_out_visits_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.left_out_visits
    ADD CONSTRAINT left_out_visits_pkey PRIMARY KEY (experiment, phase);

-- Name: link_claims link_claims_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.link_claims
    ADD CONSTRAINT link_claims_pkey PRIMARY KEY (link, installation);

-- Name: links links_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.links
    ADD CONSTRAINT links_pkey PRIMARY KEY (code, domain);

-- Name: offer_campaigns offer_campaigns_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.offer_campaigns
    ADD CONSTRAINT offer_campaigns_pkey PRIMARY KEY (key);

-- Name: offer_codes offer_codes_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.offer_codes
    ADD CONSTRAINT offer_codes_pkey PRIMARY KEY (campaign, id);

-- Name: outbox outbox_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (user_id, seq);

-- Name: people people_email_key; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.people
    ADD CONSTRAINT people_email_key UNIQUE (email);

-- Name: people people_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.people
    ADD CONSTRAINT people_pkey PRIMARY KEY (id);

-- Name: publications publications_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.publications
    ADD CONSTRAINT publications_pkey PRIMARY KEY (number);

-- Name: purchase_periods purchase_periods_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.purchase_periods
    ADD CONSTRAINT purchase_periods_pkey PRIMARY KEY (original_transaction_id, environment, transaction_id);

-- Name: purchases purchases_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.purchases
    ADD CONSTRAINT purchases_pkey PRIMARY KEY (original_transaction_id, environment);

-- Name: rate_limits rate_limits_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (key);

-- Name: referrals referrals_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.referrals
    ADD CONSTRAINT referrals_pkey PRIMARY KEY (invitee_id, program);

-- Name: relationships relationships_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.relationships
    ADD CONSTRAINT relationships_pkey PRIMARY KEY (user_id, other_id);

-- Name: reward_actions reward_actions_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.reward_actions
    ADD CONSTRAINT reward_actions_pkey PRIMARY KEY (user_id, action, id);

-- Name: reward_budgets reward_budgets_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.reward_budgets
    ADD CONSTRAINT reward_budgets_pkey PRIMARY KEY (program, side, unit, period);

-- Name: reward_positions reward_positions_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.reward_positions
    ADD CONSTRAINT reward_positions_pkey PRIMARY KEY (scope);

-- Name: reward_postings reward_postings_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.reward_postings
    ADD CONSTRAINT reward_postings_pkey PRIMARY KEY (user_id, id);

-- Name: reward_signals reward_signals_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.reward_signals
    ADD CONSTRAINT reward_signals_pkey PRIMARY KEY (user_id, kind, mark);

-- Name: rewards rewards_once; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.rewards
    ADD CONSTRAINT rewards_once UNIQUE (user_id, program, invitee_id, side);

-- Name: rewards rewards_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.rewards
    ADD CONSTRAINT rewards_pkey PRIMARY KEY (user_id, id);

-- Name: schema_migrations schema_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);

-- Name: secrets secrets_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.secrets
    ADD CONSTRAINT secrets_pkey PRIMARY KEY (name);

-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);

-- Name: sessions sessions_sha256_key; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_sha256_key UNIQUE (sha256);

-- Name: sign_in_links sign_in_links_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.sign_in_links
    ADD CONSTRAINT sign_in_links_pkey PRIMARY KEY (sha256);

-- Name: signups signups_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.signups
    ADD CONSTRAINT signups_pkey PRIMARY KEY (user_id);

-- Name: test_devices test_devices_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.test_devices
    ADD CONSTRAINT test_devices_pkey PRIMARY KEY (name);

-- Name: test_devices test_devices_unit; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.test_devices
    ADD CONSTRAINT test_devices_unit UNIQUE (unit);

COMMENT ON CONSTRAINT test_devices_unit ON public.test_devices IS 'A unit sees one draft.';

-- Name: username_periods username_periods_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.username_periods
    ADD CONSTRAINT username_periods_pkey PRIMARY KEY (user_id, name_key, valid_from);

-- Name: usernames usernames_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.usernames
    ADD CONSTRAINT usernames_pkey PRIMARY KEY (name_key);

-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

-- Name: visitor_salts visitor_salts_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.visitor_salts
    ADD CONSTRAINT visitor_salts_pkey PRIMARY KEY (day, span);

-- Name: webhook_deliveries webhook_deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (webhook_id, event_id);

-- Name: webhooks webhooks_pkey; Type: CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);

-- Name: acceptances_inviter; Type: INDEX; Schema: public; Owner: -

CREATE INDEX acceptances_inviter ON public.acceptances USING btree (inviter_id, accepted_at DESC, invitee_id);

COMMENT ON INDEX public.acceptances_inviter IS 'Whom a user invited, newest first.';

-- Name: acceptances_newest; Type: INDEX; Schema: public; Owner: -

CREATE INDEX acceptances_newest ON public.acceptances USING brin (accepted_at) WITH (pages_per_range='32', autosummarize='on');

COMMENT ON INDEX public.acceptances_newest IS 'Who joined lately.';

-- Name: audit_act; Type: INDEX; Schema: public; Owner: -

CREATE INDEX audit_act ON public.audit USING btree (act, at DESC, id);

COMMENT ON INDEX public.audit_act IS 'Acts of a kind, newest first.';

-- Name: audit_actor; Type: INDEX; Schema: public; Owner: -

CREATE INDEX audit_actor ON public.audit USING btree (actor, at DESC, id);

COMMENT ON INDEX public.audit_actor IS 'What one of them did, newest first.';

-- Name: audit_code; Type: INDEX; Schema: public; Owner: -

CREATE INDEX audit_code ON public.audit USING btree ((((details)::jsonb ->> 'code'::text)), at DESC, id);

COMMENT ON INDEX public.audit_code IS 'What was done to a link or an invite, newest first.';

-- Name: audit_newest; Type: INDEX; Schema: public; Owner: -

CREATE INDEX audit_newest ON public.audit USING btree (at DESC, id);

COMMENT ON INDEX public.audit_newest IS 'All acts, newest first.';

-- Name: audit_user; Type: INDEX; Schema: public; Owner: -

CREATE INDEX audit_user ON public.audit USING btree (user_id, at DESC, id);

COMMENT ON INDEX public.audit_user IS 'What was done to a user, newest first.';

-- Name: clicks_seq; Type: INDEX; Schema: public; Owner: -

CREATE INDEX clicks_seq ON public.clicks USING btree (seq);

COMMENT ON INDEX public.clicks_seq IS 'The oldest clicks, which are counted next.';

-- Name: client_versions_day; Type: INDEX; Schema: public; Owner: -

CREATE INDEX client_versions_day ON public.client_versions USING btree (day);

COMMENT ON INDEX public.client_versions_day IS 'The days that a picture shows, and those that are too old.';

-- Name: conversions_of_experiment; Type: INDEX; Schema: public; Owner: -

CREATE INDEX conversions_of_experiment ON public.conversions USING btree (experiment, phase, goal);

COMMENT ON INDEX public.conversions_of_experiment IS 'Counts the goals of an experiment.';

-- Name: counts_days; Type: INDEX; Schema: public; Owner: -

CREATE INDEX counts_days ON public.counts USING btree (day) WHERE (EXTRACT(day FROM day) <> (1)::numeric);

COMMENT ON INDEX public.counts_days IS 'Days that are to become months. Those that begin one stay, and take in the others.';

-- Name: counts_most; Type: INDEX; Schema: public; Owner: -

CREATE INDEX counts_most ON public.counts USING btree (measure, count, subject) WHERE (day = 'infinity'::date);

COMMENT ON INDEX public.counts_most IS 'Of which subjects there were most ever.';

-- Name: counts_ranked; Type: INDEX; Schema: public; Owner: -

CREATE INDEX counts_ranked ON public.counts USING btree (measure, day) WHERE (measure = ANY (ARRAY['invites.sign_ups'::text, 'versions.installations'::text]));

COMMENT ON INDEX public.counts_ranked IS 'Of which subjects there were most on some days.';

-- Name: events_id; Type: INDEX; Schema: public; Owner: -

CREATE INDEX events_id ON ONLY public.events USING btree (id);

COMMENT ON INDEX public.events_id IS 'All events in their order.';

-- Name: events_type; Type: INDEX; Schema: public; Owner: -

CREATE INDEX events_type ON ONLY public.events USING btree (type, id);

COMMENT ON INDEX public.events_type IS 'Those of a type in their order.';

-- Name: experiment_days_last; Type: INDEX; Schema: public; Owner: -

CREATE INDEX experiment_days_last ON public.experiment_days USING btree (day);

COMMENT ON INDEX public.experiment_days_last IS 'Finds the last day that was summed.';

-- Name: exposures_of_experiment; Type: INDEX; Schema: public; Owner: -

CREATE INDEX exposures_of_experiment ON public.exposures USING btree (experiment, phase, exposed_at) INCLUDE (variation, crossed_at);

COMMENT ON INDEX public.exposures_of_experiment IS 'Counts the units of an experiment of the days that are not summed yet.';

-- Name: exposures_old; Type: INDEX; Schema: public; Owner: -

CREATE INDEX exposures_old ON public.exposures USING btree (exposed_at);

COMMENT ON INDEX public.exposures_old IS 'Finds what may be deleted.';

-- Name: installs_claimed; Type: INDEX; Schema: public; Owner: -

CREATE UNIQUE INDEX installs_claimed ON public.installs USING btree (inviter_id, claim_id) WHERE (claim_id IS NOT NULL);

COMMENT ON INDEX public.installs_claimed IS 'Finds a claim.';

-- Name: installs_expired; Type: INDEX; Schema: public; Owner: -

CREATE INDEX installs_expired ON public.installs USING btree (expires_at);

COMMENT ON INDEX public.installs_expired IS 'Finds what may be deleted.';

-- Name: installs_facts; Type: INDEX; Schema: public; Owner: -

CREATE INDEX installs_facts ON public.installs USING btree (facts, tapped_at) WHERE (facts IS NOT NULL);

COMMENT ON INDEX public.installs_facts IS 'Finds the taps that a first start may come from.';

-- Name: invite_uses_recent; Type: INDEX; Schema: public; Owner: -

CREATE INDEX invite_uses_recent ON public.invite_uses USING btree (code, used_at DESC, user_id);

COMMENT ON INDEX public.invite_uses_recent IS 'Who used an invite, newest first, for its owner.';

-- Name: invite_uses_user; Type: INDEX; Schema: public; Owner: -

CREATE INDEX invite_uses_user ON public.invite_uses USING btree (user_id, used_at);

COMMENT ON INDEX public.invite_uses_user IS 'Which invites a user used, for their export.';

-- Name: invites_by_owner_custom; Type: INDEX; Schema: public; Owner: -

CREATE INDEX invites_by_owner_custom ON public.invites_by_owner USING btree (owner_id, created_at DESC, code) WHERE (kind = 'custom'::text);

COMMENT ON INDEX public.invites_by_owner_custom IS 'The list of custom invites, newest first, and how many they are.';

-- Name: link_claims_expired; Type: INDEX; Schema: public; Owner: -

CREATE INDEX link_claims_expired ON public.link_claims USING btree (expires_at);

COMMENT ON INDEX public.link_claims_expired IS 'Finds what may be deleted.';

-- Name: links_lapsed; Type: INDEX; Schema: public; Owner: -

CREATE INDEX links_lapsed ON public.links USING btree (expires_at) WHERE lapses;

COMMENT ON INDEX public.links_lapsed IS 'Finds what may be deleted.';

-- Name: links_named; Type: INDEX; Schema: public; Owner: -

CREATE INDEX links_named ON public.links USING btree (domain, sort_name, code) WHERE (kind <> 'deleted'::text);

COMMENT ON INDEX public.links_named IS 'The links of a domain by their names.';

-- Name: links_newest; Type: INDEX; Schema: public; Owner: -

CREATE INDEX links_newest ON public.links USING btree (domain, created_at DESC, code DESC) WHERE (kind <> 'deleted'::text);

COMMENT ON INDEX public.links_newest IS 'The links of a domain, newest or oldest first.';

-- Name: links_tagged; Type: INDEX; Schema: public; Owner: -

CREATE INDEX links_tagged ON public.links USING gin (tags) WHERE (tags IS NOT NULL);

COMMENT ON INDEX public.links_tagged IS 'The links that have a tag.';

-- Name: offer_campaigns_offer; Type: INDEX; Schema: public; Owner: -

CREATE INDEX offer_campaigns_offer ON public.offer_campaigns USING btree (offer);

COMMENT ON INDEX public.offer_campaigns_offer IS 'The campaigns of an offer that somebody redeemed.';

-- Name: offer_codes_id; Type: INDEX; Schema: public; Owner: -

CREATE INDEX offer_codes_id ON public.offer_codes USING btree (id);

COMMENT ON INDEX public.offer_codes_id IS 'A code in any campaign.';

-- Name: offer_codes_left; Type: INDEX; Schema: public; Owner: -

CREATE INDEX offer_codes_left ON public.offer_codes USING btree (campaign, expires_at, id) WHERE (dealt_at IS NULL);

COMMENT ON INDEX public.offer_codes_left IS 'What may be dealt, and what expires next first.';

-- Name: offer_codes_of_user; Type: INDEX; Schema: public; Owner: -

CREATE INDEX offer_codes_of_user ON public.offer_codes USING btree (user_id) WHERE (user_id IS NOT NULL);

COMMENT ON INDEX public.offer_codes_of_user IS 'All codes of a user, to delete and to export.';

-- Name: offer_codes_user; Type: INDEX; Schema: public; Owner: -

CREATE UNIQUE INDEX offer_codes_user ON public.offer_codes USING btree (campaign, user_id) WHERE (user_id IS NOT NULL);

COMMENT ON INDEX public.offer_codes_user IS 'A user gets one code of a campaign.';

-- Name: outbox_seq; Type: INDEX; Schema: public; Owner: -

CREATE INDEX outbox_seq ON public.outbox USING btree (seq);

COMMENT ON INDEX public.outbox_seq IS 'The oldest events, which get their numbers next.';

-- Name: publications_marked_items; Type: INDEX; Schema: public; Owner: -

CREATE INDEX publications_marked_items ON public.publications USING gin (marked_items);

COMMENT ON INDEX public.publications_marked_items IS 'The history of an item.';

-- Name: purchase_periods_redemptions; Type: INDEX; Schema: public; Owner: -

CREATE INDEX purchase_periods_redemptions ON public.purchase_periods USING btree (environment, purchased_at DESC, transaction_id) WHERE (offer_type = 3);

COMMENT ON INDEX public.purchase_periods_redemptions IS 'What came by offer codes, newest first.';

-- Name: purchases_user; Type: INDEX; Schema: public; Owner: -

CREATE INDEX purchases_user ON public.purchases USING btree (user_id, started_at DESC) WHERE (user_id IS NOT NULL);

COMMENT ON INDEX public.purchases_user IS 'The purchases of a user.';

-- Name: referrals_due; Type: INDEX; Schema: public; Owner: -

CREATE INDEX referrals_due ON public.referrals USING btree (qualified_at) WHERE ((qualified_at IS NOT NULL) AND (made_at IS NULL) AND (refunded_at IS NULL) AND (left_at IS NULL));

COMMENT ON INDEX public.referrals_due IS 'Those whose rewards are to be made.';

-- Name: referrals_left; Type: INDEX; Schema: public; Owner: -

CREATE INDEX referrals_left ON public.referrals USING btree (left_at) WHERE ((left_at IS NOT NULL) AND (purchase IS NOT NULL));

COMMENT ON INDEX public.referrals_left IS 'Purchases of those who deleted their account.';

-- Name: referrals_open; Type: INDEX; Schema: public; Owner: -

CREATE INDEX referrals_open ON public.referrals USING btree (program, signed_up_at) WHERE ((qualified_at IS NULL) AND (ended_at IS NULL) AND (left_at IS NULL));

COMMENT ON INDEX public.referrals_open IS 'Those that may get too late.';

-- Name: referrals_purchase; Type: INDEX; Schema: public; Owner: -

CREATE INDEX referrals_purchase ON public.referrals USING btree (purchase) WHERE (purchase IS NOT NULL);

COMMENT ON INDEX public.referrals_purchase IS 'Whom a purchase qualified, once for each program, and for whom its refund counts.';

-- Name: relationships_away; Type: INDEX; Schema: public; Owner: -

CREATE INDEX relationships_away ON public.relationships USING btree (user_id) WHERE ((since IS NOT NULL) AND they_away);

COMMENT ON INDEX public.relationships_away IS 'Friends who are away: they count against KITH_MAX_FRIENDS.';

-- Name: relationships_blocks; Type: INDEX; Schema: public; Owner: -

CREATE INDEX relationships_blocks ON public.relationships USING btree (user_id, blocked_at DESC, other_id) WHERE (blocked_at IS NOT NULL);

COMMENT ON INDEX public.relationships_blocks IS 'The list of blocks, newest first, and how many they are.';

-- Name: relationships_changes; Type: INDEX; Schema: public; Owner: -

CREATE INDEX relationships_changes ON public.relationships USING btree (user_id, change, other_id);

COMMENT ON INDEX public.relationships_changes IS 'Delta sync: what changed, in the order of the numbers, and what has none yet.';

-- Name: relationships_ended; Type: INDEX; Schema: public; Owner: -

CREATE INDEX relationships_ended ON public.relationships USING btree (user_id, change DESC, other_id) WHERE ((NOT i_want) AND (NOT i_block) AND (heard_at IS NULL) AND (change IS DISTINCT FROM 0));

COMMENT ON INDEX public.relationships_ended IS 'Rows that show nothing any more and that phones may still have to be told of: the newest KITH_MAX_ENDED stay.';

-- Name: relationships_friends; Type: INDEX; Schema: public; Owner: -

CREATE INDEX relationships_friends ON public.relationships USING btree (user_id, since DESC, other_id) INCLUDE (other_uid, other_username, other_display_name, other_avatar_url, other_metadata) WHERE ((since IS NOT NULL) AND (NOT they_away));

COMMENT ON INDEX public.relationships_friends IS 'The list of friends, newest first, and how many they are. A row of an index has at most 2,704 bytes; the longest uid, names, avatar and metadata need 2,672.';

-- Name: relationships_incoming; Type: INDEX; Schema: public; Owner: -

CREATE INDEX relationships_incoming ON public.relationships USING btree (user_id, heard_at DESC, other_id) INCLUDE (they_away) WHERE (heard_at IS NOT NULL);

COMMENT ON INDEX public.relationships_incoming IS 'The list of requests received, newest first, and how many they are; users who are away keep their place.';

-- Name: relationships_names; Type: INDEX; Schema: public; Owner: -

CREATE INDEX relationships_names ON public.relationships USING btree (user_id, other_sort_key, other_id) INCLUDE (other_username) WHERE ((since IS NOT NULL) AND (NOT they_away));

COMMENT ON INDEX public.relationships_names IS 'Friends by name, and the search among them.';

-- Name: relationships_outgoing; Type: INDEX; Schema: public; Owner: -

CREATE INDEX relationships_outgoing ON public.relationships USING btree (user_id, asked_at DESC, other_id) WHERE (asked_at IS NOT NULL);

COMMENT ON INDEX public.relationships_outgoing IS 'The list of requests sent, newest first, and how many they are.';

-- Name: relationships_over; Type: INDEX; Schema: public; Owner: -

CREATE INDEX relationships_over ON public.relationships USING btree (user_id, touched_at) WHERE ((NOT i_want) AND (NOT they_want) AND (NOT i_block) AND (NOT they_block));

COMMENT ON INDEX public.relationships_over IS 'Rows of pairs where nobody wants or blocks anything: declines, which are forgotten in time, and ends.';

-- Name: relationships_refused; Type: INDEX; Schema: public; Owner: -

CREATE INDEX relationships_refused ON public.relationships USING btree (user_id, other_id) WHERE ((declines > 0) OR (ended_at IS NOT NULL));

COMMENT ON INDEX public.relationships_refused IS 'Whom the owner declined or parted from, for their export and when they delete their account.';

-- Name: reward_actions_old; Type: INDEX; Schema: public; Owner: -

CREATE INDEX reward_actions_old ON public.reward_actions USING btree (at);

COMMENT ON INDEX public.reward_actions_old IS 'The oldest, which count for nothing any more.';

-- Name: reward_postings_balance; Type: INDEX; Schema: public; Owner: -

CREATE INDEX reward_postings_balance ON public.reward_postings USING btree (user_id, unit);

COMMENT ON INDEX public.reward_postings_balance IS 'The balances of a user.';

-- Name: reward_postings_once; Type: INDEX; Schema: public; Owner: -

CREATE UNIQUE INDEX reward_postings_once ON public.reward_postings USING btree (user_id, reward_id) WHERE (kind = 'reward'::text);

COMMENT ON INDEX public.reward_postings_once IS 'A reward is given once.';

-- Name: reward_postings_program; Type: INDEX; Schema: public; Owner: -

CREATE INDEX reward_postings_program ON public.reward_postings USING btree (program) WHERE (program IS NOT NULL);

COMMENT ON INDEX public.reward_postings_program IS 'The ledger of a program.';

-- Name: reward_postings_reversed; Type: INDEX; Schema: public; Owner: -

CREATE UNIQUE INDEX reward_postings_reversed ON public.reward_postings USING btree (user_id, reverses) WHERE (reverses IS NOT NULL);

COMMENT ON INDEX public.reward_postings_reversed IS 'A row is reversed once.';

-- Name: reward_signals_mark; Type: INDEX; Schema: public; Owner: -

CREATE INDEX reward_signals_mark ON public.reward_signals USING btree (mark, kind) WHERE (mark <> '00000000-0000-0000-0000-000000000000'::uuid);

COMMENT ON INDEX public.reward_signals_mark IS 'Who shares a mark.';

-- Name: reward_signals_old; Type: INDEX; Schema: public; Owner: -

CREATE INDEX reward_signals_old ON public.reward_signals USING btree (told_at);

COMMENT ON INDEX public.reward_signals_old IS 'What is to be forgotten.';

-- Name: rewards_due; Type: INDEX; Schema: public; Owner: -

CREATE INDEX rewards_due ON public.rewards USING btree (due_at) WHERE (state = 'pending'::text);

COMMENT ON INDEX public.rewards_due IS 'What may be given.';

-- Name: rewards_id; Type: INDEX; Schema: public; Owner: -

CREATE INDEX rewards_id ON public.rewards USING btree (id);

COMMENT ON INDEX public.rewards_id IS 'A reward by its id alone.';

-- Name: rewards_newest; Type: INDEX; Schema: public; Owner: -

CREATE INDEX rewards_newest ON public.rewards USING btree (created_at DESC, id);

COMMENT ON INDEX public.rewards_newest IS 'All, newest first.';

-- Name: rewards_of_user; Type: INDEX; Schema: public; Owner: -

CREATE INDEX rewards_of_user ON public.rewards USING btree (user_id, created_at DESC, id);

COMMENT ON INDEX public.rewards_of_user IS 'The rewards of a user, newest first.';

-- Name: rewards_offers; Type: INDEX; Schema: public; Owner: -

CREATE UNIQUE INDEX rewards_offers ON public.rewards USING btree (user_id, unit) WHERE ((kind = 'offer'::text) AND (state = ANY (ARRAY['approved'::text, 'assigned'::text, 'settled'::text])));

COMMENT ON INDEX public.rewards_offers IS 'A user gets one code of a campaign.';

-- Name: rewards_program; Type: INDEX; Schema: public; Owner: -

CREATE INDEX rewards_program ON public.rewards USING btree (program, side);

COMMENT ON INDEX public.rewards_program IS 'Those of a program, for its report and budget.';

-- Name: rewards_state; Type: INDEX; Schema: public; Owner: -

CREATE INDEX rewards_state ON public.rewards USING btree (state, created_at DESC, id);

COMMENT ON INDEX public.rewards_state IS 'Those in a state, newest first.';

-- Name: sessions_person; Type: INDEX; Schema: public; Owner: -

CREATE INDEX sessions_person ON public.sessions USING btree (person);

COMMENT ON INDEX public.sessions_person IS 'The sessions of a person.';

-- Name: username_periods_current; Type: INDEX; Schema: public; Owner: -

CREATE UNIQUE INDEX username_periods_current ON public.username_periods USING btree (user_id) WHERE (valid_to IS NULL);

COMMENT ON INDEX public.username_periods_current IS 'A user has one current username.';

-- Name: username_periods_left; Type: INDEX; Schema: public; Owner: -

CREATE INDEX username_periods_left ON public.username_periods USING btree (name_key, valid_from) WHERE (valid_to IS NOT NULL);

COMMENT ON INDEX public.username_periods_left IS '`kith verify` asks by the name whether two users had it at the same time.';

-- Name: webhook_deliveries_dead; Type: INDEX; Schema: public; Owner: -

CREATE INDEX webhook_deliveries_dead ON public.webhook_deliveries USING btree (webhook_id, event_id) WHERE (dead_at IS NOT NULL);

COMMENT ON INDEX public.webhook_deliveries_dead IS 'Dead letters.';

-- Name: webhook_deliveries_due; Type: INDEX; Schema: public; Owner: -

CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (webhook_id, due_at) WHERE (due_at IS NOT NULL);

COMMENT ON INDEX public.webhook_deliveries_due IS 'What is due next.';

-- Name: webhook_deliveries_user; Type: INDEX; Schema: public; Owner: -

CREATE INDEX webhook_deliveries_user ON public.webhook_deliveries USING btree (webhook_id, user_id, event_id) WHERE (dead_at IS NULL);

COMMENT ON INDEX public.webhook_deliveries_user IS 'What waits of a user, in order.';

-- Name: acceptances acceptances_user; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.acceptances
    ADD CONSTRAINT acceptances_user FOREIGN KEY (invitee_id) REFERENCES public.users(id);

-- Name: conversions conversions_exposure; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.conversions
    ADD CONSTRAINT conversions_exposure FOREIGN KEY (unit, experiment, phase) REFERENCES public.exposures(unit, experiment, phase) ON DELETE CASCADE;

-- Name: dismissals dismissals_user; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.dismissals
    ADD CONSTRAINT dismissals_user FOREIGN KEY (user_id) REFERENCES public.users(id);

-- Name: experiment_goal_days experiment_goal_days_day; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.experiment_goal_days
    ADD CONSTRAINT experiment_goal_days_day FOREIGN KEY (experiment, phase, day, variation) REFERENCES public.experiment_days(experiment, phase, day, variation);

-- Name: invite_uses invite_uses_invite; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.invite_uses
    ADD CONSTRAINT invite_uses_invite FOREIGN KEY (code) REFERENCES public.invites(code);

-- Name: invites_by_owner invites_by_owner_user; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.invites_by_owner
    ADD CONSTRAINT invites_by_owner_user FOREIGN KEY (owner_id) REFERENCES public.users(id);

-- Name: offer_codes offer_codes_campaign; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.offer_codes
    ADD CONSTRAINT offer_codes_campaign FOREIGN KEY (campaign) REFERENCES public.offer_campaigns(key);

-- Name: purchase_periods purchase_periods_purchase; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.purchase_periods
    ADD CONSTRAINT purchase_periods_purchase FOREIGN KEY (original_transaction_id, environment) REFERENCES public.purchases(original_transaction_id, environment);

-- Name: referrals referrals_user; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.referrals
    ADD CONSTRAINT referrals_user FOREIGN KEY (invitee_id) REFERENCES public.users(id);

-- Name: reward_actions reward_actions_user; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.reward_actions
    ADD CONSTRAINT reward_actions_user FOREIGN KEY (user_id) REFERENCES public.users(id);

-- Name: reward_postings reward_postings_reverses; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.reward_postings
    ADD CONSTRAINT reward_postings_reverses FOREIGN KEY (user_id, reverses) REFERENCES public.reward_postings(user_id, id);

-- Name: reward_postings reward_postings_reward; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.reward_postings
    ADD CONSTRAINT reward_postings_reward FOREIGN KEY (user_id, reward_id) REFERENCES public.rewards(user_id, id);

-- Name: reward_postings reward_postings_user; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.reward_postings
    ADD CONSTRAINT reward_postings_user FOREIGN KEY (user_id) REFERENCES public.users(id);

-- Name: reward_signals reward_signals_user; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.reward_signals
    ADD CONSTRAINT reward_signals_user FOREIGN KEY (user_id) REFERENCES public.users(id);

-- Name: rewards rewards_user; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.rewards
    ADD CONSTRAINT rewards_user FOREIGN KEY (user_id) REFERENCES public.users(id);

-- Name: signups signups_user; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.signups
    ADD CONSTRAINT signups_user FOREIGN KEY (user_id) REFERENCES public.users(id);

-- Name: test_devices test_devices_draft; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.test_devices
    ADD CONSTRAINT test_devices_draft FOREIGN KEY (draft) REFERENCES public.config_drafts(name);

-- Name: username_periods username_periods_user; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.username_periods
    ADD CONSTRAINT username_periods_user FOREIGN KEY (user_id) REFERENCES public.users(id);

-- Name: webhook_deliveries webhook_deliveries_webhook; Type: FK CONSTRAINT; Schema: public; Owner: -

ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_webhook FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON DELETE CASCADE;

-- PostgreSQL database dump complete

