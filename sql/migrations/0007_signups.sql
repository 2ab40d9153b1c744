CREATE TABLE signups (
    user_id              uuid CONSTRAINT signups_pkey PRIMARY KEY,
    name_key             text NOT NULL,
    username             text NOT NULL,
    display_name         text,
    avatar_url           text,
    metadata             text,
    outcome              text NOT NULL,
    reason               text,
    result               text NOT NULL,
    inviter_uid          text,
    inviter_username     text,
    inviter_display_name text,
    inviter_avatar_url   text,
    inviter_metadata     text,
    link                 text,
    created_at           timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT signups_user FOREIGN KEY (user_id) REFERENCES users (id),
    CONSTRAINT signups_outcome CHECK (outcome IN ('accepted', 'ignored', 'none')),
    CONSTRAINT signups_reason CHECK ((reason IS NOT NULL) = (outcome = 'ignored')),
    CONSTRAINT signups_result CHECK (result IN ('friends', 'requested', 'incoming', 'none')),
    CONSTRAINT signups_inviter CHECK ((inviter_uid IS NOT NULL) = (outcome = 'accepted'))
);
COMMENT ON TABLE signups IS
    'What each sign-up was answered, word for word, so that the same call again gets the same answer, also after '
    'a rename. Imported users have no row; deleting an account deletes it. Written by Signup. Home key: user_id.';
COMMENT ON COLUMN signups.user_id IS 'Who signed up.';
COMMENT ON COLUMN signups.name_key IS 'fold(username): a call with another name is refused.';
COMMENT ON COLUMN signups.username IS 'The username they got, as answered.';
COMMENT ON COLUMN signups.display_name IS 'The display name they gave. NULL: none.';
COMMENT ON COLUMN signups.avatar_url IS 'The avatar they gave. NULL: none.';
COMMENT ON COLUMN signups.metadata IS 'The metadata they gave. NULL: none.';
COMMENT ON COLUMN signups.outcome IS
    'What became of the invite. accepted: acceptances has it. ignored: it did not hold. none: there was none.';
COMMENT ON COLUMN signups.reason IS
    'Why the invite was ignored, as answered; not_found after its inviter deleted their account. NULL: it was not.';
COMMENT ON COLUMN signups.result IS
    'What the invite made of the user and the inviter: friends, requested (the user asks), incoming (the inviter asks), or none.';
COMMENT ON COLUMN signups.inviter_uid IS 'The inviter, as answered. NULL: no invite was accepted.';
COMMENT ON COLUMN signups.inviter_username IS 'The inviter''s username, as answered. NULL likewise.';
COMMENT ON COLUMN signups.inviter_display_name IS 'The inviter''s display name, as answered. NULL likewise, or none.';
COMMENT ON COLUMN signups.inviter_avatar_url IS 'The inviter''s avatar, as answered. NULL likewise, or none.';
COMMENT ON COLUMN signups.inviter_metadata IS 'The inviter''s metadata, as answered. NULL likewise, or none.';
COMMENT ON COLUMN signups.link IS 'The deep link that brought them, as in clicks. NULL: none did.';
COMMENT ON COLUMN signups.created_at IS 'When they signed up; never before the inviter, whatever the clock says.';

CREATE TABLE acceptances (
    invitee_id  uuid CONSTRAINT acceptances_pkey PRIMARY KEY,
    inviter_id  uuid NOT NULL,
    code        text,
    accepted_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT acceptances_user FOREIGN KEY (invitee_id) REFERENCES users (id),
    CONSTRAINT acceptances_self CHECK (invitee_id <> inviter_id)
);
COMMENT ON TABLE acceptances IS
    'Who joined by whose invite. A sign-up writes the row, and nothing changes or deletes it. An invite that is '
    'accepted later, by somebody who has an account, has none. Written by Invites. Home key: invitee_id.';
COMMENT ON COLUMN acceptances.invitee_id IS 'Who joined.';
COMMENT ON COLUMN acceptances.inviter_id IS 'By whose invite.';
COMMENT ON COLUMN acceptances.code IS
    'By which link; it may have been deleted since. NULL: by the permanent link.';
COMMENT ON COLUMN acceptances.accepted_at IS 'When they joined.';

CREATE INDEX acceptances_inviter ON acceptances (inviter_id, accepted_at DESC, invitee_id);
COMMENT ON INDEX acceptances_inviter IS 'Whom a user invited, newest first.';

-- Rows come in the order of time, so a range of pages tells where the newest are, at hardly any cost.
CREATE INDEX acceptances_newest ON acceptances USING brin (accepted_at) WITH (pages_per_range = 32, autosummarize = on);
COMMENT ON INDEX acceptances_newest IS 'Who joined lately.';

INSERT INTO schema_migrations (version, name) VALUES (7, 'signups');
