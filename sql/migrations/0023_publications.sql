CREATE TABLE publications (
    number  bigint CONSTRAINT publications_pkey PRIMARY KEY,
    at      timestamptz NOT NULL DEFAULT now(),
    actor   text NOT NULL,
    source  text NOT NULL,
    reason  text,
    marked_items text[] NOT NULL,
    items   jsonb NOT NULL,
    effects jsonb NOT NULL,
    CONSTRAINT publications_number CHECK (number > 0),
    CONSTRAINT publications_reason_length CHECK (char_length(reason) BETWEEN 1 AND 500)
);
COMMENT ON TABLE publications IS
    'Changes of what operators set: apps, policies, values, experiments, offers and rewards. Kith never changes or deletes a row. '
    'Written by Publications. Home key: number.';
COMMENT ON COLUMN publications.number IS 'Its place in the history: 1, 2, 3, without a gap. The newest is the revision of the state.';
COMMENT ON COLUMN publications.at IS 'When.';
COMMENT ON COLUMN publications.actor IS 'Who: `key:` and api_keys.id, `person:` and people.email, or `command:` and the user and host of the operating system.';
COMMENT ON COLUMN publications.source IS 'By what: call, console, file, revert or restore.';
COMMENT ON COLUMN publications.reason IS 'Why, as the operator wrote it. NULL: a command gave none.';
COMMENT ON COLUMN publications.marked_items IS
    'The names of the changed items behind + (new), - (removed) or ~ (changed), as ~policies.minimum: lists read no items, which may be large.';
COMMENT ON COLUMN publications.items IS 'The changed items: section, key, and the texts of the fields before and after. No before: it is new; no after: it was removed.';
COMMENT ON COLUMN publications.effects IS 'What it would do, in sentences, as it was seen when it was published.';

CREATE INDEX publications_marked_items ON publications USING gin (marked_items);
COMMENT ON INDEX publications_marked_items IS 'The history of an item.';

INSERT INTO schema_migrations (version, name) VALUES (23, 'publications');
