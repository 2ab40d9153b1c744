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

SET default_tablespace = '';

SET default_table_access_method = heap;

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
-- Name: link_uses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.link_uses (
    code text NOT NULL,
    user_id uuid NOT NULL,
    uid text NOT NULL,
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
    CONSTRAINT usernames_held_until CHECK (((held_until IS NOT NULL) = (state = 'held'::text))),
    CONSTRAINT usernames_owner CHECK (((user_id IS NULL) = (state = 'reserved'::text))),
    CONSTRAINT usernames_state CHECK ((state = ANY (ARRAY['active'::text, 'held'::text, 'released'::text, 'reserved'::text])))
);

--
-- Name: COLUMN usernames.user_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.usernames.user_id IS 'The last owner, also while the name is held or released.';

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
    CONSTRAINT users_display_name_length CHECK (((char_length(display_name) >= 1) AND (char_length(display_name) <= 100))),
    CONSTRAINT users_id_of_uid CHECK ((id = (substr((sha256(convert_to(uid, 'UTF8'::name)))::text, 3, 32))::uuid)),
    CONSTRAINT users_status CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'deleted'::text]))),
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
-- Name: links_by_owner_extra; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX links_by_owner_extra ON public.links_by_owner USING btree (owner_id, created_at DESC, code) WHERE (kind = 'extra'::text);

--
-- Name: relationships_friends; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX relationships_friends ON public.relationships USING btree (user_id, since DESC, other_id) WHERE (since IS NOT NULL);

--
-- Name: username_periods_current; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX username_periods_current ON public.username_periods USING btree (user_id) WHERE (valid_to IS NULL);

--
-- Name: acceptances acceptances_user; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.acceptances
    ADD CONSTRAINT acceptances_user FOREIGN KEY (invitee_id) REFERENCES public.users(id);

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
-- Name: relationships relationships_user; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.relationships
    ADD CONSTRAINT relationships_user FOREIGN KEY (user_id) REFERENCES public.users(id);

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

