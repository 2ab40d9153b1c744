-- A use of a link knows its user by the id only, so that nothing readable of a deleted account stays here;
-- and it is found by the user, for his export.
ALTER TABLE link_uses DROP COLUMN uid;
CREATE INDEX link_uses_user ON link_uses (user_id, at);

INSERT INTO schema_migrations (version, name) VALUES (10, 'link_uses_by_user');
