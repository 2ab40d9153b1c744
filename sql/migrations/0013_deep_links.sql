CREATE TABLE deep_links (
    code        text NOT NULL,
    domain      text NOT NULL,
    kind        text NOT NULL,
    parameters  jsonb NOT NULL,
    name        text,
    created_at  timestamptz NOT NULL DEFAULT now(),
    archived_at timestamptz,
    expires_at  timestamptz,
    CONSTRAINT deep_links_pkey PRIMARY KEY (code, domain),
    CONSTRAINT deep_links_kind CHECK (kind IN ('unguessable', 'short', 'custom')),
    CONSTRAINT deep_links_target CHECK (jsonb_typeof(parameters -> 'link') = 'string'),
    CONSTRAINT deep_links_name_length CHECK (char_length(name) BETWEEN 1 AND 100)
);
COMMENT ON TABLE deep_links IS 'Short links that lead by parameters. A domain has codes of its own. Home key: code.';
COMMENT ON COLUMN deep_links.code IS 'What the URL holds behind its domain; imported ones may have slashes.';
COMMENT ON COLUMN deep_links.domain IS 'Where it stands, as in https://go.example.com or https://example.com/l.';
COMMENT ON COLUMN deep_links.kind IS
    'unguessable: 17 characters, the same for the same parameters. short: as few as are safe. custom: chosen or imported.';
COMMENT ON COLUMN deep_links.parameters IS 'The parameters of the long link by their names, link among them.';
COMMENT ON COLUMN deep_links.name IS 'What operators call it. NULL: nothing.';
COMMENT ON COLUMN deep_links.created_at IS 'When it was made.';
COMMENT ON COLUMN deep_links.archived_at IS 'When an operator put it away; it still leads on. NULL: nobody did.';
COMMENT ON COLUMN deep_links.expires_at IS 'When it stops working. NULL: never.';

CREATE INDEX deep_links_newest ON deep_links (domain, created_at DESC, code DESC);
COMMENT ON INDEX deep_links_newest IS 'The links of a domain, newest first.';

INSERT INTO schema_migrations (version, name) VALUES (13, 'deep_links');
