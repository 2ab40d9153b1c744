--
-- PostgreSQL database dump
--

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

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: relationships; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.relationships (
    user_id uuid NOT NULL,
    other_id uuid NOT NULL,
    other_uid text NOT NULL,
    i_want boolean DEFAULT false NOT NULL,
    they_want boolean DEFAULT false NOT NULL,
    i_block boolean DEFAULT false NOT NULL,
    they_block boolean DEFAULT false NOT NULL,
    since timestamp with time zone,
    touched_at timestamp with time zone DEFAULT now() NOT NULL,
    seq bigint DEFAULT 1 NOT NULL,
    asked_at timestamp with time zone,
    heard_at timestamp with time zone,
    blocked_at timestamp with time zone,
    quiet_until timestamp with time zone,
    declines smallint DEFAULT 0 NOT NULL,
    they_away boolean DEFAULT false NOT NULL,
    changed_in xid8 DEFAULT pg_current_xact_id() NOT NULL,
    other_username text,
    other_display_name text,
    CONSTRAINT relationships_asked CHECK (
CASE
    WHEN (asked_at IS NULL) THEN ((NOT i_want) OR (since IS NOT NULL))
    ELSE i_want
END),
    CONSTRAINT relationships_away_wants CHECK ((they_want OR (NOT they_away))),
    CONSTRAINT relationships_blocked CHECK (((i_block = (blocked_at IS NOT NULL)) AND (NOT (i_block AND i_want)))),
    CONSTRAINT relationships_declines CHECK (((declines >= 0) AND ((quiet_until IS NULL) OR (declines > 0)))),
    CONSTRAINT relationships_heard CHECK (((heard_at IS NULL) OR (they_want AND (NOT i_want) AND (NOT i_block) AND (NOT they_block)))),
    CONSTRAINT relationships_names CHECK ((((other_username IS NOT NULL) = (since IS NOT NULL)) AND ((other_display_name IS NULL) OR (since IS NOT NULL)))),
    CONSTRAINT relationships_self CHECK ((user_id <> other_id)),
    CONSTRAINT relationships_since CHECK (((since IS NOT NULL) = (i_want AND they_want AND (NOT i_block) AND (NOT they_block))))
);

--
-- Name: COLUMN relationships.other_uid; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.relationships.other_uid IS 'A uid never changes; stored so that a list reads one home.';

--
-- Name: COLUMN relationships.since; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.relationships.since IS 'Friends since; set exactly while both want and none blocks.';

--
-- Name: COLUMN relationships.asked_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.relationships.asked_at IS 'My request shows as outgoing since; NULL where friends, unless they are away.';

--
-- Name: COLUMN relationships.heard_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.relationships.heard_at IS 'Their request shows as incoming since; NULL where I declined or one blocks.';

--
-- Name: COLUMN relationships.quiet_until; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.relationships.quiet_until IS 'I declined: until then a request of theirs is not shown.';

--
-- Name: COLUMN relationships.declines; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.relationships.declines IS 'How often I declined since we were last friends.';

--
-- Name: COLUMN relationships.they_away; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.relationships.they_away IS 'They want me and are suspended: all is kept and nothing shows.';

--
-- Name: COLUMN relationships.changed_in; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.relationships.changed_in IS 'The transaction that last changed what the owner sees of the row; 0: none has. Orders delta sync.';

--
-- Name: COLUMN relationships.other_username; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.relationships.other_username IS 'users.username of a friend; NULL where they are none.';

--
-- Name: COLUMN relationships.other_display_name; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.relationships.other_display_name IS 'users.display_name of a friend; NULL where they are none.';

--
-- Name: relationship_after(public.relationships, boolean, boolean, boolean, boolean, timestamp with time zone, xid8, bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.relationship_after(before public.relationships, i_now_want boolean, i_now_block boolean, they_now_want boolean, they_now_block boolean, at timestamp with time zone, transaction xid8, quiet_days bigint[]) RETURNS public.relationships
    LANGUAGE plpgsql IMMUTABLE
    AS $$
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

--
-- Name: require(boolean, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.require(met boolean, outcome text) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF met THEN RETURN true; END IF;
    RAISE EXCEPTION USING ERRCODE = 'KT001', MESSAGE = outcome;
END $$;

--
-- Name: acceptances; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.acceptances (
    invitee_id uuid NOT NULL,
    inviter_id uuid NOT NULL,
    code text,
    accepted_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT acceptances_self CHECK ((invitee_id <> inviter_id))
);

--
-- Name: COLUMN acceptances.code; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.acceptances.code IS 'NULL: through the permanent link itself.';

--
-- Name: api_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_keys (
    id text NOT NULL,
    name text NOT NULL,
    scope text NOT NULL,
    sha256 bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    revoked_at timestamp with time zone,
    CONSTRAINT api_keys_name_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
    CONSTRAINT api_keys_scope CHECK ((scope = ANY (ARRAY['client'::text, 'server'::text, 'admin'::text])))
);

--
-- Name: COLUMN api_keys.sha256; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.api_keys.sha256 IS 'Of the whole key; the key itself was shown once and is kept nowhere.';

--
-- Name: dismissals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.dismissals (
    user_id uuid NOT NULL,
    other_id uuid NOT NULL,
    other_uid text NOT NULL,
    dismissed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT dismissals_self CHECK ((user_id <> other_id))
);

--
-- Name: TABLE dismissals; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.dismissals IS 'Whom a user no longer wants to be suggested.';

--
-- Name: link_uses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.link_uses (
    code text NOT NULL,
    user_id uuid NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: TABLE link_uses; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.link_uses IS 'Who came through a link, once each; links.uses is their number.';

--
-- Name: links; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.links (
    code text NOT NULL,
    owner_id uuid NOT NULL,
    kind text NOT NULL,
    friendship text DEFAULT 'auto'::text NOT NULL,
    label text,
    uses integer DEFAULT 0 NOT NULL,
    max_uses integer,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT links_friendship CHECK ((friendship = ANY (ARRAY['auto'::text, 'ask'::text]))),
    CONSTRAINT links_kind CHECK ((kind = ANY (ARRAY['personal'::text, 'extra'::text]))),
    CONSTRAINT links_label_length CHECK (((char_length(label) >= 1) AND (char_length(label) <= 100))),
    CONSTRAINT links_uses CHECK (((uses >= 0) AND ((max_uses IS NULL) OR ((max_uses > 0) AND (uses <= max_uses)))))
);

--
-- Name: COLUMN links.kind; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.links.kind IS 'personal: the short form of a user''s permanent link; extra: made on purpose.';

--
-- Name: links_by_owner; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.links_by_owner (
    owner_id uuid NOT NULL,
    code text NOT NULL,
    kind text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    idempotency_key text,
    request_sha256 bytea
);

--
-- Name: rate_limits; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rate_limits (
    key uuid NOT NULL,
    full_at timestamp with time zone NOT NULL
);

--
-- Name: TABLE rate_limits; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.rate_limits IS 'Of limits that servers share: what was let through, by a keyed hash of limit and caller.';

--
-- Name: COLUMN rate_limits.full_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.rate_limits.full_at IS 'When the whole quota is there again; from then on the row says nothing.';

--
-- Name: schema_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.schema_migrations (
    version integer NOT NULL,
    name text NOT NULL,
    sha256 text,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: COLUMN schema_migrations.sha256; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.schema_migrations.sha256 IS 'Of the file, in hex. NULL: applied by hand with psql; `kith migrate` fills it in.';

--
-- Name: secrets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.secrets (
    name text NOT NULL,
    bytes bytea NOT NULL
);

--
-- Name: signups; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.signups (
    user_id uuid NOT NULL,
    name_key text NOT NULL,
    username text NOT NULL,
    display_name text,
    outcome text NOT NULL,
    reason text,
    friendship text NOT NULL,
    inviter_uid text,
    inviter_username text,
    inviter_display_name text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT signups_friendship CHECK ((friendship = ANY (ARRAY['friends'::text, 'requested'::text, 'none'::text]))),
    CONSTRAINT signups_inviter CHECK (((inviter_uid IS NOT NULL) = (outcome = 'accepted'::text))),
    CONSTRAINT signups_outcome CHECK ((outcome = ANY (ARRAY['accepted'::text, 'ignored'::text, 'none'::text]))),
    CONSTRAINT signups_reason CHECK (((reason IS NOT NULL) = (outcome = 'ignored'::text)))
);

--
-- Name: TABLE signups; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.signups IS 'What each sign-up was answered, word for word, so that a replay gets the same.';

--
-- Name: username_periods; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.username_periods (
    user_id uuid NOT NULL,
    name_key text NOT NULL,
    username text NOT NULL,
    valid_from timestamp with time zone DEFAULT now() NOT NULL,
    valid_to timestamp with time zone,
    severed boolean DEFAULT false NOT NULL,
    CONSTRAINT username_periods_order CHECK ((valid_to >= valid_from))
);

--
-- Name: COLUMN username_periods.severed; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.username_periods.severed IS 'The owner chose that links with this name lead nowhere.';

--
-- Name: usernames; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.usernames (
    name_key text NOT NULL,
    user_id uuid,
    state text NOT NULL,
    held_until timestamp with time zone,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT usernames_folded CHECK ((name_key = lower((name_key COLLATE "C")))),
    CONSTRAINT usernames_held_until CHECK (((state = 'reserved'::text) OR ((held_until IS NOT NULL) = (state = 'held'::text)))),
    CONSTRAINT usernames_owner CHECK (((state = 'released'::text) OR ((user_id IS NULL) = (state = 'reserved'::text)))),
    CONSTRAINT usernames_state CHECK ((state = ANY (ARRAY['active'::text, 'held'::text, 'released'::text, 'reserved'::text])))
);

--
-- Name: COLUMN usernames.user_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.usernames.user_id IS 'The last owner, also while the name is held or released. NULL: they deleted their account.';

--
-- Name: COLUMN usernames.held_until; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.usernames.held_until IS 'Until then nobody else gets the name. Of a reserved one NULL: for ever.';

--
-- Name: users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.users (
    id uuid NOT NULL,
    uid text NOT NULL,
    username text NOT NULL,
    display_name text,
    status text DEFAULT 'active'::text NOT NULL,
    history_complete boolean DEFAULT true NOT NULL,
    invite_code text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    status_reason text,
    frozen_at timestamp with time zone,
    frozen_reason text,
    changed_in xid8 DEFAULT pg_current_xact_id() NOT NULL,
    ends_forgotten_in xid8 DEFAULT '0'::xid8 NOT NULL,
    display_names_at timestamp with time zone[],
    spellings_at timestamp with time zone[],
    CONSTRAINT users_display_name_length CHECK (((char_length(display_name) >= 1) AND (char_length(display_name) <= 100))),
    CONSTRAINT users_frozen CHECK ((((frozen_at IS NULL) = (frozen_reason IS NULL)) AND ((char_length(frozen_reason) >= 1) AND (char_length(frozen_reason) <= 500)))),
    CONSTRAINT users_id_of_uid CHECK ((id = (substr((sha256(convert_to(uid, 'UTF8'::name)))::text, 3, 32))::uuid)),
    CONSTRAINT users_status CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'deleted'::text]))),
    CONSTRAINT users_status_reason CHECK (((char_length(status_reason) >= 1) AND (char_length(status_reason) <= 500))),
    CONSTRAINT users_uid_length CHECK (((char_length(uid) >= 1) AND (char_length(uid) <= 128))),
    CONSTRAINT users_username_length CHECK (((char_length(username) >= 1) AND (char_length(username) <= 64)))
);

--
-- Name: COLUMN users.id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.users.id IS 'The first 16 bytes of SHA-256(uid): a token gives the key without a look-up.';

--
-- Name: COLUMN users.username; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.users.username IS 'As typed; usernames.name_key is its lower-case form.';

--
-- Name: COLUMN users.history_complete; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.users.history_complete IS 'False: imported without the names had before, so an unknown old name may have been this user''s.';

--
-- Name: COLUMN users.invite_code; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.users.invite_code IS 'The code in force of the permanent link; made on first use.';

--
-- Name: COLUMN users.status_reason; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.users.status_reason IS 'Why an operator suspended the account.';

--
-- Name: COLUMN users.frozen_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.users.frozen_at IS 'Since then nobody can join or befriend by this user''s links.';

--
-- Name: COLUMN users.changed_in; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.users.changed_in IS 'The transaction that last changed what others see of this user; orders delta sync.';

--
-- Name: COLUMN users.ends_forgotten_in; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.users.ends_forgotten_in IS 'The latest change among ended relationships that are no longer kept: a phone that did not see it reloads.';

--
-- Name: COLUMN users.display_names_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.users.display_names_at IS 'The last changes of the display name, newest first, as many as a day allows.';

--
-- Name: COLUMN users.spellings_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.users.spellings_at IS 'The same of the spelling of the username.';

--
-- Name: acceptances acceptances_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.acceptances
    ADD CONSTRAINT acceptances_pkey PRIMARY KEY (invitee_id);

--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

--
-- Name: dismissals dismissals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.dismissals
    ADD CONSTRAINT dismissals_pkey PRIMARY KEY (user_id, other_id);

--
-- Name: link_uses link_uses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.link_uses
    ADD CONSTRAINT link_uses_pkey PRIMARY KEY (code, user_id);

--
-- Name: links_by_owner links_by_owner_idempotency; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.links_by_owner
    ADD CONSTRAINT links_by_owner_idempotency UNIQUE (owner_id, idempotency_key);

--
-- Name: links_by_owner links_by_owner_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.links_by_owner
    ADD CONSTRAINT links_by_owner_pkey PRIMARY KEY (owner_id, code);

--
-- Name: links links_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.links
    ADD CONSTRAINT links_pkey PRIMARY KEY (code);

--
-- Name: rate_limits rate_limits_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (key);

--
-- Name: relationships relationships_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.relationships
    ADD CONSTRAINT relationships_pkey PRIMARY KEY (user_id, other_id);

--
-- Name: schema_migrations schema_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);

--
-- Name: secrets secrets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.secrets
    ADD CONSTRAINT secrets_pkey PRIMARY KEY (name);

--
-- Name: signups signups_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signups
    ADD CONSTRAINT signups_pkey PRIMARY KEY (user_id);

--
-- Name: username_periods username_periods_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.username_periods
    ADD CONSTRAINT username_periods_pkey PRIMARY KEY (user_id, name_key, valid_from);

--
-- Name: usernames usernames_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.usernames
    ADD CONSTRAINT usernames_pkey PRIMARY KEY (name_key);

--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

--
-- Name: acceptances_inviter; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX acceptances_inviter ON public.acceptances USING btree (inviter_id, accepted_at DESC, invitee_id);

--
-- Name: link_uses_recent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX link_uses_recent ON public.link_uses USING btree (code, at DESC, user_id);

--
-- Name: link_uses_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX link_uses_user ON public.link_uses USING btree (user_id, at);

--
-- Name: links_by_owner_extra; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX links_by_owner_extra ON public.links_by_owner USING btree (owner_id, created_at DESC, code) WHERE (kind = 'extra'::text);

--
-- Name: relationships_away; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX relationships_away ON public.relationships USING btree (user_id) WHERE ((since IS NOT NULL) AND they_away);

--
-- Name: relationships_blocks; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX relationships_blocks ON public.relationships USING btree (user_id, blocked_at DESC, other_id) WHERE (blocked_at IS NOT NULL);

--
-- Name: relationships_changes; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX relationships_changes ON public.relationships USING btree (user_id, changed_in, other_id);

--
-- Name: relationships_declined; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX relationships_declined ON public.relationships USING btree (user_id, other_id) WHERE (declines > 0);

--
-- Name: relationships_ended; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX relationships_ended ON public.relationships USING btree (user_id, changed_in DESC, other_id) WHERE ((NOT i_want) AND (NOT i_block) AND (heard_at IS NULL) AND (changed_in <> '0'::xid8));

--
-- Name: relationships_friends; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX relationships_friends ON public.relationships USING btree (user_id, since DESC, other_id) INCLUDE (other_uid, other_username, other_display_name) WHERE ((since IS NOT NULL) AND (NOT they_away));

--
-- Name: relationships_incoming; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX relationships_incoming ON public.relationships USING btree (user_id, heard_at DESC, other_id) WHERE (heard_at IS NOT NULL);

--
-- Name: relationships_outgoing; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX relationships_outgoing ON public.relationships USING btree (user_id, asked_at DESC, other_id) WHERE (asked_at IS NOT NULL);

--
-- Name: relationships_over; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX relationships_over ON public.relationships USING btree (user_id, touched_at) WHERE ((NOT i_want) AND (NOT they_want) AND (NOT i_block) AND (NOT they_block));

--
-- Name: username_periods_current; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX username_periods_current ON public.username_periods USING btree (user_id) WHERE (valid_to IS NULL);

--
-- Name: username_periods_left; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX username_periods_left ON public.username_periods USING btree (name_key, valid_from) WHERE (valid_to IS NOT NULL);

--
-- Name: acceptances acceptances_user; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.acceptances
    ADD CONSTRAINT acceptances_user FOREIGN KEY (invitee_id) REFERENCES public.users(id);

--
-- Name: dismissals dismissals_user; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.dismissals
    ADD CONSTRAINT dismissals_user FOREIGN KEY (user_id) REFERENCES public.users(id);

--
-- Name: link_uses link_uses_link; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.link_uses
    ADD CONSTRAINT link_uses_link FOREIGN KEY (code) REFERENCES public.links(code);

--
-- Name: links_by_owner links_by_owner_user; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.links_by_owner
    ADD CONSTRAINT links_by_owner_user FOREIGN KEY (owner_id) REFERENCES public.users(id);

--
-- Name: signups signups_user; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signups
    ADD CONSTRAINT signups_user FOREIGN KEY (user_id) REFERENCES public.users(id);

--
-- Name: username_periods username_periods_user; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.username_periods
    ADD CONSTRAINT username_periods_user FOREIGN KEY (user_id) REFERENCES public.users(id);

--
-- PostgreSQL database dump complete
--

