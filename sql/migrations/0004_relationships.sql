CREATE FUNCTION sort_key(name text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN CASE WHEN octet_length(name) = char_length(name) THEN lower(name COLLATE "C") ELSE left(translate(
        lower(normalize(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g'), NFKC) COLLATE "C"),
        'ÆÐØÞĐĦŁŊŒŦΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩςАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐ'
        'ァアィイゥウェエォオカガキギクグケゲコゴサザシジスズセゼソゾタダチヂッツヅテデトドナニヌネノハバパヒビピフブプヘベペホボポマミムメモャヤュユョヨラリルレロヮワヰヱヲンヴヵヶヽヾ',
        'æðøþđħłŋœŧαβγδεζηθικλμνξοπρστυφχψωσабвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґ'
        'ぁあぃいぅうぇえぉおかがきぎくぐけげこごさざしじすずせぜそぞただちぢっつづてでとどなにぬねのはばぱひびぴふぶぷへべぺほぼぽまみむめもゃやゅゆょよらりるれろゎわゐゑをんゔゕゖゝゞ'
        ), 100) END;
END $$;
COMMENT ON FUNCTION sort_key IS
    'A name as friends and short links are sorted and searched by it: compatibility forms made plain, without accents, in lower case, '
    'katakana as hiragana, up to 100 characters. It depends on no locale and no library. In PL/pgSQL, because '
    'PostgreSQL would inline SQL, and would then plan this text anew in each statement that writes relationships.';

CREATE TABLE relationships (
    user_id            uuid NOT NULL,
    other_id           uuid NOT NULL,
    i_want             boolean NOT NULL DEFAULT false,
    they_want          boolean NOT NULL DEFAULT false,
    i_block            boolean NOT NULL DEFAULT false,
    they_block         boolean NOT NULL DEFAULT false,
    they_away          boolean NOT NULL DEFAULT false,
    declines           smallint NOT NULL DEFAULT 0,
    since              timestamptz,
    asked_at           timestamptz,
    heard_at           timestamptz,
    blocked_at         timestamptz,
    quiet_until        timestamptz,
    ended_at           timestamptz,
    touched_at         timestamptz NOT NULL DEFAULT now(),
    change             bigint,
    other_uid          text NOT NULL,
    other_username     text,
    other_display_name text,
    other_avatar_url   text,
    other_metadata     text,
    other_revision     bigint,
    other_sort_key     text COLLATE "C" GENERATED ALWAYS AS (
        sort_key(coalesce(other_display_name, other_username))) STORED,
    CONSTRAINT relationships_pkey PRIMARY KEY (user_id, other_id),
    CONSTRAINT relationships_self CHECK (user_id <> other_id),
    CONSTRAINT relationships_since CHECK (
        (since IS NOT NULL) = (i_want AND they_want AND NOT i_block AND NOT they_block)),
    CONSTRAINT relationships_asked CHECK (
        CASE WHEN asked_at IS NULL THEN NOT i_want OR since IS NOT NULL ELSE i_want END),
    CONSTRAINT relationships_heard CHECK (
        heard_at IS NULL OR (they_want AND NOT i_want AND NOT i_block AND NOT they_block)),
    CONSTRAINT relationships_blocked CHECK (i_block = (blocked_at IS NOT NULL) AND NOT (i_block AND i_want)),
    CONSTRAINT relationships_away_wants CHECK (they_want OR NOT they_away),
    CONSTRAINT relationships_declines CHECK (declines >= 0 AND (quiet_until IS NULL OR declines > 0)),
    CONSTRAINT relationships_ended CHECK (ended_at IS NULL OR since IS NULL),
    CONSTRAINT relationships_profile CHECK (
        (other_username IS NOT NULL) = (since IS NOT NULL) AND (
            since IS NOT NULL OR coalesce(other_display_name, other_avatar_url, other_metadata) IS NULL))
    -- The list of friends reads an index alone, as long as VACUUM has marked the pages of the table.
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.01);
COMMENT ON TABLE relationships IS
    'How two users stand to each other: two rows a pair, each owned by one of them. A transaction that changes a '
    'pair writes both, the row with the smaller user_id first; of a pair that is over one row may be left. '
    'relationship_after decides what they become. In a row, "i" is its owner and "they" is the other one. '
    'Written by Friends. Home key: user_id.';
COMMENT ON COLUMN relationships.user_id IS 'The owner of the row.';
COMMENT ON COLUMN relationships.other_id IS
    'The other one. There may be no such user: a uid can be asked or blocked before it signs up.';
COMMENT ON COLUMN relationships.i_want IS 'The owner wants to be friends: they asked, or they are friends.';
COMMENT ON COLUMN relationships.they_want IS 'The other one wants to be friends: i_want of the other row.';
COMMENT ON COLUMN relationships.i_block IS 'The owner blocks the other one.';
COMMENT ON COLUMN relationships.they_block IS 'The other one blocks the owner: i_block of the other row.';
COMMENT ON COLUMN relationships.they_away IS
    'The other one wants to be friends and is suspended. Everything is kept, and the owner sees nothing of it.';
COMMENT ON COLUMN relationships.declines IS
    'How often the owner declined the other one since they were last friends.';
COMMENT ON COLUMN relationships.since IS
    'Since when they are friends. NULL: they are not; set exactly while both want and neither blocks.';
COMMENT ON COLUMN relationships.asked_at IS
    'Since when the owner''s request shows as outgoing. NULL: none shows. Of friends it is set only if the owner '
    'asked again while the friend was away.';
COMMENT ON COLUMN relationships.heard_at IS
    'Since when the other one''s request shows as incoming, unless they are away. NULL: there is none, or the '
    'owner declined it, or one of them blocks the other.';
COMMENT ON COLUMN relationships.blocked_at IS 'Since when the owner blocks. NULL: the owner does not.';
COMMENT ON COLUMN relationships.quiet_until IS
    'A request that the other one makes before this time does not show, because the owner declined them, and does '
    'not show by itself later: an act after it, such as asking again, makes it show. NULL: requests show.';
COMMENT ON COLUMN relationships.ended_at IS
    'When the owner ended their last friendship, by an end or a block. Then no invite of the owner makes them friends '
    'again; it leaves a request. NULL: the owner did not, or it was more than a year ago, or they are friends again.';
COMMENT ON COLUMN relationships.touched_at IS
    'When an act last changed the row. Old declines are forgotten by it, and `kith verify --repair` takes a lost '
    'time from it.';
COMMENT ON COLUMN relationships.change IS
    'The number of the last change of what the owner sees of the row; delta sync lists rows by it. NULL: it has no '
    'number yet; the owner''s next sync gives it one, of users.changes. So numbers are in the order in which changes '
    'became visible, whoever made them. 0: phones need not be told of the row.';
COMMENT ON COLUMN relationships.other_uid IS
    'The uid that other_id is made of, so that a list need not look it up. A uid never changes.';
COMMENT ON COLUMN relationships.other_username IS
    'users.username of a friend, copied so that the list of friends reads one index. Whoever changes the name '
    'changes the copies. NULL: they are not friends.';
COMMENT ON COLUMN relationships.other_display_name IS
    'users.display_name of a friend, likewise. NULL: they are not friends, or the friend has none.';
COMMENT ON COLUMN relationships.other_avatar_url IS 'users.avatar_url of a friend, likewise.';
COMMENT ON COLUMN relationships.other_metadata IS 'users.metadata of a friend, likewise.';
COMMENT ON COLUMN relationships.other_revision IS
    'Which users.revision of the other one the owner''s phones were told, while a request waits: its profile is not '
    'copied. NULL: none.';
COMMENT ON COLUMN relationships.other_sort_key IS
    'By which a friend is sorted and searched: sort_key of the display name, or else of the username.';

CREATE INDEX relationships_friends ON relationships (user_id, since DESC, other_id)
    INCLUDE (other_uid, other_username, other_display_name, other_avatar_url, other_metadata)
    WHERE since IS NOT NULL AND NOT they_away;
COMMENT ON INDEX relationships_friends IS
    'The list of friends, newest first, and how many they are. A row of an index has at most 2,704 bytes; the longest '
    'uid, names, avatar and metadata need 2,672.';
CREATE INDEX relationships_names ON relationships (user_id, other_sort_key, other_id) INCLUDE (other_username)
    WHERE since IS NOT NULL AND NOT they_away;
COMMENT ON INDEX relationships_names IS 'Friends by name, and the search among them.';
CREATE INDEX relationships_away ON relationships (user_id) WHERE since IS NOT NULL AND they_away;
COMMENT ON INDEX relationships_away IS 'Friends who are away: they count against KITH_MAX_FRIENDS.';
CREATE INDEX relationships_outgoing ON relationships (user_id, asked_at DESC, other_id) WHERE asked_at IS NOT NULL;
COMMENT ON INDEX relationships_outgoing IS 'The list of requests sent, newest first, and how many they are.';
CREATE INDEX relationships_incoming ON relationships (user_id, heard_at DESC, other_id) INCLUDE (they_away)
    WHERE heard_at IS NOT NULL;
COMMENT ON INDEX relationships_incoming IS
    'The list of requests received, newest first, and how many they are; users who are away keep their place.';
CREATE INDEX relationships_blocks ON relationships (user_id, blocked_at DESC, other_id) WHERE blocked_at IS NOT NULL;
COMMENT ON INDEX relationships_blocks IS 'The list of blocks, newest first, and how many they are.';
CREATE INDEX relationships_refused ON relationships (user_id, other_id) WHERE declines > 0 OR ended_at IS NOT NULL;
COMMENT ON INDEX relationships_refused IS
    'Whom the owner declined or parted from, for their export and when they delete their account.';
CREATE INDEX relationships_changes ON relationships (user_id, change, other_id);
COMMENT ON INDEX relationships_changes IS 'Delta sync: what changed, in the order of the numbers, and what has none yet.';
CREATE INDEX relationships_ended ON relationships (user_id, change DESC, other_id)
    WHERE NOT i_want AND NOT i_block AND heard_at IS NULL AND change IS DISTINCT FROM 0;
COMMENT ON INDEX relationships_ended IS
    'Rows that show nothing any more and that phones may still have to be told of: the newest KITH_MAX_ENDED stay.';
CREATE INDEX relationships_over ON relationships (user_id, touched_at)
    WHERE NOT i_want AND NOT they_want AND NOT i_block AND NOT they_block;
COMMENT ON INDEX relationships_over IS
    'Rows of pairs where nobody wants or blocks anything: declines, which are forgotten in time, and ends.';

CREATE FUNCTION relationship_after(
    before relationships, i_now_want boolean, i_now_block boolean, they_now_want boolean, they_now_block boolean,
    at timestamptz, quiet_days bigint[]
) RETURNS relationships LANGUAGE plpgsql IMMUTABLE AS $$
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
COMMENT ON FUNCTION relationship_after IS
    'What one act makes of a row: the table of transitions between friends, and the only place that decides them. '
    'The same act is applied to both rows of a pair. A wish or block given as NULL stays as it is. quiet_days[n] is '
    'for how many days requests stay hidden after the nth decline; the last value holds for all further ones. The '
    'profile of a new friend is the caller''s to fill in.';

CREATE FUNCTION relationship_event(before relationships, after relationships) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE
        WHEN after.since IS NOT NULL AND NOT after.they_away AND (before.since IS NULL OR before.they_away) THEN 'friend.created'
        WHEN before.since IS NOT NULL AND NOT before.they_away AND (after.since IS NULL OR after.they_away) THEN 'friend.ended'
        WHEN after.heard_at IS NOT NULL AND NOT after.they_away AND (before.heard_at IS NULL OR before.they_away)
        THEN 'friend.requested'
        WHEN before.heard_at IS NOT NULL AND NOT before.they_away AND (after.heard_at IS NULL OR after.they_away)
        THEN 'friend.request_ended'
        WHEN after.since IS NOT NULL AND NOT after.they_away
            AND (before.other_username, before.other_display_name, before.other_avatar_url, before.other_metadata)
                IS DISTINCT FROM (after.other_username, after.other_display_name, after.other_avatar_url, after.other_metadata)
        THEN 'friend.updated' END;
COMMENT ON FUNCTION relationship_event IS
    'What the owner of a row is told of a change of it: only what they could see, so nothing of a block, a decline, a hidden '
    'request, or why somebody is gone. NULL: nothing.';

CREATE FUNCTION change_relationship(
    owner uuid, other uuid, uid text, i_now_want boolean, i_now_block boolean, they_now_want boolean,
    they_now_block boolean, at timestamptz, request_limit bigint, quiet_days bigint[], may_insert boolean
) RETURNS void LANGUAGE plpgsql AS $$
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
COMMENT ON FUNCTION change_relationship IS
    'Applies an act to the row of one owner, as relationship_after decides; the caller locked both users. It leaves '
    'a row alone that the act does not change, and inserts a missing one only if may_insert. A repeated request that '
    'is hidden, as after a decline, shows only if the owner has fewer than request_limit. What the owner sees of it goes into outbox, '
    'with what they did themselves about a request of the other one.';

CREATE FUNCTION require_mirror(owner uuid, other uuid) RETURNS void LANGUAGE plpgsql AS $$
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
COMMENT ON FUNCTION require_mirror IS
    'Ends the transaction, as require_row does, unless the two rows of a pair mirror each other: Citus has not committed '
    'on one node what one of the two did before, such as signing up or deleting their account. The caller locked the owner.';

CREATE FUNCTION require_mirrors(owner uuid, others uuid[]) RETURNS void LANGUAGE plpgsql AS $$
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
COMMENT ON FUNCTION require_mirrors IS
    'require_mirror for many others in one statement, which on Citus is dearer than two short reads for one. A caller that '
    'did not lock them needs it before it changes their rows.';

CREATE FUNCTION copy_user(them uuid, owners uuid[] DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
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
COMMENT ON FUNCTION copy_user IS
    'Copies what the rows of some owners repeat of a user: the profile, if they are friends, and whether the user is '
    'away. Owners are given in the order of their ids, so that two calls lock rows in one order; NULL: all whom the user '
    'wants, for a caller that locked the user before, so that none comes in between. What a friend asked while the user '
    'was away is over when the user is back: they are friends again.';

CREATE FUNCTION end_relationships(them uuid, request_limit bigint, quiet_days bigint[]) RETURNS uuid[]
LANGUAGE plpgsql AS $$
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
COMMENT ON FUNCTION end_relationships IS
    'Ends everything that a user wished, blocked or declined, deletes the rows that nobody has to be told of, and returns '
    'the others of these pairs. Others keep their own requests and blocks; of the user''s own rows those stay that mirror '
    'them. The caller locks the user before, so that no pair comes in between.';

CREATE FUNCTION forget_ends(owner uuid, kept bigint) RETURNS void LANGUAGE plpgsql AS $$
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
COMMENT ON FUNCTION forget_ends IS
    'Keeps the newest ended relationships of a user, and deletes older ones, up to 100. Phones that were not told of '
    'those must reload: users.ends_forgotten. The caller locked the user. Rows that others lock are left for the next '
    'time, so it waits for nobody. The other row goes, too, if nobody has to be told of it.';

INSERT INTO schema_migrations (version, name) VALUES (4, 'relationships');
