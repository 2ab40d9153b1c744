CREATE FUNCTION link_search_text(code text, name text, target text, tags text[], created_by text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN concat_ws(E'\n', sort_key(code), sort_key(name), sort_key(target), sort_key(created_by),
        (SELECT string_agg(sort_key(tag), E'\n') FROM unnest(tags) AS given (tag)));
COMMENT ON FUNCTION link_search_text IS
    'In what a search of short links looks: sort_key of each part, a line each, since no text that is searched for has line breaks.';

CREATE TABLE links (
    code        text NOT NULL,
    domain      text NOT NULL,
    kind        text NOT NULL,
    parameters  jsonb NOT NULL,
    name        text,
    note        text,
    tags        text[],
    created_at  timestamptz NOT NULL DEFAULT now(),
    archived_at timestamptz,
    expires_at  timestamptz,
    lapses      boolean NOT NULL DEFAULT false,
    created_by  text,
    clicks      bigint NOT NULL DEFAULT 0,
    sort_name   text COLLATE "C" GENERATED ALWAYS AS (sort_key(coalesce(name, code))) STORED,
    search_text text COLLATE "C" GENERATED ALWAYS AS (
        link_search_text(code, name, parameters ->> 'link', tags, created_by)) STORED,
    CONSTRAINT links_pkey PRIMARY KEY (code, domain),
    CONSTRAINT links_kind CHECK (kind IN ('unguessable', 'short', 'custom', 'deleted')),
    CONSTRAINT links_target CHECK (kind = 'deleted' OR jsonb_typeof(parameters -> 'link') = 'string'),
    CONSTRAINT links_name_length CHECK (char_length(name) BETWEEN 1 AND 100),
    CONSTRAINT links_note_length CHECK (char_length(note) BETWEEN 1 AND 500),
    CONSTRAINT links_tags_count CHECK (cardinality(tags) BETWEEN 1 AND 10),
    CONSTRAINT links_lapses CHECK (NOT lapses OR expires_at IS NOT NULL)
    -- Visits change clicks alone: with room on its page, that touches no index.
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
COMMENT ON TABLE links IS 'Short links that lead by parameters. A domain has codes of its own. Written by DeepLinks. Home key: code.';
COMMENT ON COLUMN links.code IS 'What the URL holds behind its domain; imported ones may have slashes.';
COMMENT ON COLUMN links.domain IS 'Where it stands, as in https://go.example.com or https://example.com/l.';
COMMENT ON COLUMN links.kind IS
    'unguessable: 17 characters, the same for the same parameters. short: as few as are safe. custom: chosen or imported. '
    'deleted: it was unguessable, and nothing is left but its code, which the same parameters would get again.';
COMMENT ON COLUMN links.parameters IS 'The parameters of the long link by their names, link among them.';
COMMENT ON COLUMN links.name IS 'What operators call it. NULL: nothing.';
COMMENT ON COLUMN links.note IS 'What operators wrote down about it. NULL: nothing. No visitor sees it.';
COMMENT ON COLUMN links.tags IS 'The words by which operators find it, as LinkTag.swift folds them. NULL: none.';
COMMENT ON COLUMN links.created_at IS 'When it was made.';
COMMENT ON COLUMN links.archived_at IS 'When an operator put it away; it still leads on. NULL: nobody did.';
COMMENT ON COLUMN links.expires_at IS 'When it stops working. NULL: never.';
COMMENT ON COLUMN links.lapses IS
    'Whether an app made it and nobody else asked for it: then each day on which it is opened moves expires_at, and it is deleted after that.';
COMMENT ON COLUMN links.created_by IS 'Who made it: api_keys.id, or person: and people.email. NULL: a file, as an import reads it.';
COMMENT ON COLUMN links.clicks IS
    'How often it was opened, as lists sort by it: it grows in the transaction that adds the visits to counts. It has no index, which '
    'each visit would have to change.';
COMMENT ON COLUMN links.sort_name IS 'By which lists sort names: sort_key of the name, or else of the code.';
COMMENT ON COLUMN links.search_text IS 'In what a search looks.';

CREATE INDEX links_newest ON links (domain, created_at DESC, code DESC) WHERE kind <> 'deleted';
COMMENT ON INDEX links_newest IS 'The links of a domain, newest or oldest first.';
CREATE INDEX links_named ON links (domain, sort_name, code) WHERE kind <> 'deleted';
COMMENT ON INDEX links_named IS 'The links of a domain by their names.';
CREATE INDEX links_tagged ON links USING gin (tags) WHERE tags IS NOT NULL;
COMMENT ON INDEX links_tagged IS 'The links that have a tag.';
CREATE INDEX links_lapsed ON links (expires_at) WHERE lapses;
COMMENT ON INDEX links_lapsed IS 'Finds what may be deleted.';

INSERT INTO schema_migrations (version, name) VALUES (13, 'links');
