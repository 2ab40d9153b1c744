-- Whoever is suspended is away only in rows that show or may show something of them: those of whom they want.
-- All others say nothing of them, however many block them or ask, so a suspension leaves these alone.
UPDATE relationships SET they_away = false WHERE they_away AND NOT they_want;
ALTER TABLE relationships ADD CONSTRAINT relationships_away_wants CHECK (they_want OR NOT they_away);
COMMENT ON COLUMN relationships.they_away IS 'They want me and are suspended: all is kept and nothing shows.';

-- One who asked and is away keeps their place among the requests.
DROP INDEX relationships_incoming;
CREATE INDEX relationships_incoming ON relationships (user_id, heard_at DESC, other_id) WHERE heard_at IS NOT NULL;

-- What a user declined, for the export and for who deletes their account.
CREATE INDEX relationships_declined ON relationships (user_id, other_id) WHERE declines > 0;
-- Where nobody wants or blocks: what phones are still told of, and declines until they are forgotten.
CREATE INDEX relationships_over ON relationships (user_id, touched_at)
    WHERE NOT i_want AND NOT they_want AND NOT i_block AND NOT they_block;

-- Whether two had one name at the same time is asked by the name.
CREATE INDEX username_periods_left ON username_periods (name_key, valid_from) WHERE valid_to IS NOT NULL;

INSERT INTO schema_migrations (version, name) VALUES (15, 'absence');
