-- A friend's names stand beside the friendship: a page of friends is one stretch of one index, whatever the
-- number of users. Who changes his names changes them here, too (FriendStore.tellNames).
ALTER TABLE relationships
    ADD other_username     text,
    ADD other_display_name text;
COMMENT ON COLUMN relationships.other_username IS 'users.username of a friend; NULL where they are none.';
COMMENT ON COLUMN relationships.other_display_name IS 'users.display_name of a friend; NULL where they are none.';

UPDATE relationships r SET other_username = u.username, other_display_name = u.display_name
FROM users u WHERE u.id = r.other_id AND r.since IS NOT NULL;

ALTER TABLE relationships ADD CONSTRAINT relationships_names CHECK (
    (other_username IS NOT NULL) = (since IS NOT NULL) AND (other_display_name IS NULL OR since IS NOT NULL));

DROP INDEX relationships_friends;
CREATE INDEX relationships_friends ON relationships (user_id, since DESC, other_id)
    INCLUDE (other_uid, other_username, other_display_name)
    WHERE since IS NOT NULL AND NOT they_away;

INSERT INTO schema_migrations (version, name) VALUES (9, 'names_beside_friends');
