CREATE TABLE dismissals (
    user_id      uuid NOT NULL,
    other_id     uuid NOT NULL,
    other_uid    text NOT NULL,
    dismissed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT dismissals_pkey PRIMARY KEY (user_id, other_id),
    CONSTRAINT dismissals_user FOREIGN KEY (user_id) REFERENCES users (id),
    CONSTRAINT dismissals_self CHECK (user_id <> other_id)
);
COMMENT ON TABLE dismissals IS
    'Whom a user does not want to be suggested again. The oldest rows of a user go when there are too '
    'many (FriendLimits.dismissals). Written by Friends. Home key: user_id.';
COMMENT ON COLUMN dismissals.user_id IS 'Who dismissed the suggestion.';
COMMENT ON COLUMN dismissals.other_id IS 'Who was suggested.';
COMMENT ON COLUMN dismissals.other_uid IS 'The uid that other_id is made of; a uid never changes.';
COMMENT ON COLUMN dismissals.dismissed_at IS 'When it was dismissed first.';

INSERT INTO schema_migrations (version, name) VALUES (5, 'dismissals');
