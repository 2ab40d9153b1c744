-- Suspension, and the freezing of invites below a user.
ALTER TABLE users
    ADD status_reason text,
    ADD frozen_at     timestamptz,
    ADD frozen_reason text,
    ADD changed_in    xid8 NOT NULL DEFAULT pg_current_xact_id(),
    ADD CONSTRAINT users_status_reason CHECK (char_length(status_reason) BETWEEN 1 AND 500),
    ADD CONSTRAINT users_frozen CHECK (
        (frozen_at IS NULL) = (frozen_reason IS NULL) AND char_length(frozen_reason) BETWEEN 1 AND 500);
COMMENT ON COLUMN users.status_reason IS 'Why an operator suspended the account.';
COMMENT ON COLUMN users.frozen_at IS 'Since then nobody can join or befriend by this user''s links.';
COMMENT ON COLUMN users.changed_in IS
    'The transaction that last changed what others see of this user; orders delta sync.';

INSERT INTO schema_migrations (version, name) VALUES (8, 'account_life');
