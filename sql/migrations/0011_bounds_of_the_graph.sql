-- A bound for what one user can make: ends that phones can still learn of.
ALTER TABLE users ADD ends_forgotten_in xid8 NOT NULL DEFAULT '0';
COMMENT ON COLUMN users.ends_forgotten_in IS
    'The latest change among ended relationships that are no longer kept: a phone that did not see it reloads.';

-- What shows nothing any more, and a phone may still have to be told.
CREATE INDEX relationships_ended ON relationships (user_id, changed_in DESC, other_id)
    WHERE NOT i_want AND NOT i_block AND heard_at IS NULL AND changed_in <> '0'::xid8;

INSERT INTO schema_migrations (version, name) VALUES (11, 'bounds_of_the_graph');
