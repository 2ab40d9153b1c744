CREATE TABLE installs (
    inviter_id   uuid NOT NULL,
    id           uuid NOT NULL,
    app          text NOT NULL,
    platform     text NOT NULL,
    name_key     text NOT NULL,
    has_uid      boolean NOT NULL,
    code         text,
    facts        uuid,
    unit         uuid,
    parts        text,
    tapped_at    timestamptz NOT NULL DEFAULT now(),
    installation uuid,
    claim_id     uuid,
    confidence   text,
    claimed_at   timestamptz,
    invitee_id   uuid,
    expires_at   timestamptz NOT NULL,
    CONSTRAINT installs_pkey PRIMARY KEY (inviter_id, id),
    CONSTRAINT installs_platform CHECK (platform IN ('ios', 'android')),
    CONSTRAINT installs_code CHECK (code IS NULL OR has_uid),
    CONSTRAINT installs_confidence CHECK (confidence IN ('exact', 'likely')),
    CONSTRAINT installs_claim CHECK (num_nulls(installation, claim_id, confidence, claimed_at) IN (0, 4)),
    CONSTRAINT installs_invitee CHECK (invitee_id IS NULL OR (claim_id IS NOT NULL AND invitee_id <> inviter_id))
) WITH (autovacuum_vacuum_scale_factor = 0.02);
COMMENT ON TABLE installs IS
    'Invites on their way through a store: a tap on a store''s button leaves a row, and the app claims it at its first '
    'start. Rows are deleted when they expire, and with the inviter''s account. No foreign key: it would take as long as the '
    'rest of the insert, rows of users are never deleted, and `kith verify` looks. Written by Installs. Home key: inviter_id.';
COMMENT ON COLUMN installs.inviter_id IS 'Whose link was opened.';
COMMENT ON COLUMN installs.id IS 'Random. With inviter_id it is the token that travels through the store.';
COMMENT ON COLUMN installs.app IS 'The app whose link was opened. No other app can claim the row.';
COMMENT ON COLUMN installs.platform IS 'The store: ios or android.';
COMMENT ON COLUMN installs.name_key IS 'The name in the link, folded.';
COMMENT ON COLUMN installs.has_uid IS 'Whether the link had the uid of the inviter. Without it, it is worth a name.';
COMMENT ON COLUMN installs.code IS 'The code in the link. NULL: it had none.';
COMMENT ON COLUMN installs.facts IS
    'Address, system and language of the visitor, hashed with a salt of visitor_salts. NULL: not kept.';
COMMENT ON COLUMN installs.unit IS
    'The visitor, if they are in an experiment: exposures.unit. NULL: they are in none, or they signed up, so that nothing says which '
    'visitor a user was.';
COMMENT ON COLUMN installs.parts IS 'The campaign of the visit, as in clicks. NULL: it had none.';
COMMENT ON COLUMN installs.tapped_at IS 'When the visitor went to the store.';
COMMENT ON COLUMN installs.installation IS 'The first 16 bytes of SHA-256 of the installation''s id. NULL until the app has claimed the row, as the next three.';
COMMENT ON COLUMN installs.claim_id IS 'Random. With inviter_id it is the claim by which the user signs up.';
COMMENT ON COLUMN installs.confidence IS 'exact: the app had the token or the link. likely: only the facts agreed.';
COMMENT ON COLUMN installs.claimed_at IS 'When the app claimed it.';
COMMENT ON COLUMN installs.invitee_id IS 'Who signed up by the claim. NULL: nobody so far.';
COMMENT ON COLUMN installs.expires_at IS 'When it stops working and may be deleted.';

CREATE UNIQUE INDEX installs_claimed ON installs (inviter_id, claim_id) WHERE claim_id IS NOT NULL;
COMMENT ON INDEX installs_claimed IS 'Finds a claim.';
CREATE INDEX installs_facts ON installs (facts, tapped_at) WHERE facts IS NOT NULL;
COMMENT ON INDEX installs_facts IS 'Finds the taps that a first start may come from.';
CREATE INDEX installs_expired ON installs (expires_at);
COMMENT ON INDEX installs_expired IS 'Finds what may be deleted.';

CREATE TABLE link_claims (
    link         text NOT NULL,
    installation uuid NOT NULL,
    expires_at   timestamptz NOT NULL,
    CONSTRAINT link_claims_pkey PRIMARY KEY (link, installation)
);
COMMENT ON TABLE link_claims IS
    'Which installations came by which deep links, so that each counts once. Deleted when they expire. Written by Installs. Home key: link.';
COMMENT ON COLUMN link_claims.link IS 'As in clicks.';
COMMENT ON COLUMN link_claims.installation IS 'As in installs.';
COMMENT ON COLUMN link_claims.expires_at IS 'When it may be deleted.';
CREATE INDEX link_claims_expired ON link_claims (expires_at);
COMMENT ON INDEX link_claims_expired IS 'Finds what may be deleted.';

CREATE TABLE visitor_salts (
    day  date NOT NULL,
    span text NOT NULL,
    salt bytea NOT NULL,
    CONSTRAINT visitor_salts_pkey PRIMARY KEY (day, span),
    CONSTRAINT visitor_salts_span CHECK (span IN ('day', 'month'))
);
COMMENT ON TABLE visitor_salts IS
    'A salt a day for installs.facts, clicks.trace and who called that day, and one a month for who called in it. Deleted within the hour '
    'after the next day has ended; then nobody can tell what was hashed. Written by Counts. Home key: day.';
COMMENT ON COLUMN visitor_salts.day IS 'The day in KITH_TIME_ZONE, or the first of the month.';
COMMENT ON COLUMN visitor_salts.span IS 'day or month.';
COMMENT ON COLUMN visitor_salts.salt IS '32 random bytes.';

INSERT INTO schema_migrations (version, name) VALUES (11, 'installs');
