-- When a user last changed how they are called, for the limits of a day: arrays, since they never grow beyond
-- the limit. A name that a deleted account leaves is reserved until a time, or free, and nobody's in both cases.
ALTER TABLE users ADD COLUMN display_names_at timestamptz[];
ALTER TABLE users ADD COLUMN spellings_at timestamptz[];
COMMENT ON COLUMN users.display_names_at IS 'The last changes of the display name, newest first, as many as a day allows.';
COMMENT ON COLUMN users.spellings_at IS 'The same of the spelling of the username.';

ALTER TABLE usernames DROP CONSTRAINT usernames_owner;
ALTER TABLE usernames ADD CONSTRAINT usernames_owner
    CHECK (state = 'released' OR (user_id IS NULL) = (state = 'reserved'));
ALTER TABLE usernames DROP CONSTRAINT usernames_held_until;
ALTER TABLE usernames ADD CONSTRAINT usernames_held_until
    CHECK (state = 'reserved' OR (held_until IS NOT NULL) = (state = 'held'));
COMMENT ON COLUMN usernames.user_id IS 'The last owner, also while the name is held or released. NULL: they deleted their account.';
COMMENT ON COLUMN usernames.held_until IS 'Until then nobody else gets the name. Of a reserved one NULL: for ever.';

INSERT INTO schema_migrations (version, name) VALUES (12, 'names_and_accounts');
