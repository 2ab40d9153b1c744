-- Short codes of permanent links stand in their owners' lists too: they are counted there.
INSERT INTO links_by_owner (owner_id, code, kind, created_at)
SELECT l.owner_id, l.code, l.kind, l.created_at
FROM links l JOIN users u ON u.id = l.owner_id WHERE l.kind = 'personal'
ON CONFLICT DO NOTHING;

INSERT INTO schema_migrations (version, name) VALUES (14, 'links_by_owner_all');
