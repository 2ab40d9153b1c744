CREATE TABLE offer_campaigns (
    key             text NOT NULL,
    app_store_id    text NOT NULL,
    offer           text NOT NULL,
    product_id      text,
    environment     text NOT NULL,
    low_water       bigint NOT NULL,
    quarter_budget  bigint,
    quarter         date,
    quarter_dealt   bigint NOT NULL DEFAULT 0,
    low_since       timestamptz,
    expiring_until  timestamptz,
    rewards_only    boolean NOT NULL DEFAULT false,
    shared_code     text,
    key_mark        bytea,
    created_at      timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT offer_campaigns_pkey PRIMARY KEY (key),
    CONSTRAINT offer_campaigns_key CHECK (key ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$'),
    CONSTRAINT offer_campaigns_app_store_id CHECK (app_store_id ~ '^[1-9][0-9]{0,19}$'),
    CONSTRAINT offer_campaigns_environment CHECK (environment IN ('production', 'sandbox')),
    CONSTRAINT offer_campaigns_low_water CHECK (low_water >= 0),
    CONSTRAINT offer_campaigns_quarter_budget CHECK (quarter_budget >= 0),
    CONSTRAINT offer_campaigns_shared CHECK (shared_code IS NULL OR (shared_code ~ '^[A-Z0-9]{4,64}$' AND NOT rewards_only)),
    CONSTRAINT offer_campaigns_quarter CHECK (quarter IS NOT NULL OR quarter_dealt = 0)
);
COMMENT ON TABLE offer_campaigns IS
    'Offers of the App Store whose codes Kith deals, each with a pool of its own. Written by Offers. Home key: key.';
COMMENT ON COLUMN offer_campaigns.key IS 'What apps call it by.';
COMMENT ON COLUMN offer_campaigns.app_store_id IS 'The number of the app in the App Store.';
COMMENT ON COLUMN offer_campaigns.offer IS
    'The reference name of the offer in App Store Connect, which transactions carry as offerIdentifier.';
COMMENT ON COLUMN offer_campaigns.product_id IS
    'The product of the offer: of redemptions of others, the campaign is not. NULL: of any.';
COMMENT ON COLUMN offer_campaigns.environment IS 'Where its codes can be redeemed: production or sandbox.';
COMMENT ON COLUMN offer_campaigns.low_water IS 'With fewer codes left to deal, operators are told.';
COMMENT ON COLUMN offer_campaigns.quarter_budget IS
    'How many codes may be dealt in a quarter of the calendar in UTC. NULL: as many as there are.';
COMMENT ON COLUMN offer_campaigns.quarter IS
    'The first day of the quarter that quarter_dealt counts. NULL: none was dealt under a budget.';
COMMENT ON COLUMN offer_campaigns.quarter_dealt IS 'How many were dealt in it; counted only under a budget.';
COMMENT ON COLUMN offer_campaigns.low_since IS
    'When operators were told that few codes are left. NULL: enough are left.';
COMMENT ON COLUMN offer_campaigns.expiring_until IS
    'Of the codes that expire up to then unused, operators were told. NULL: never yet.';
COMMENT ON COLUMN offer_campaigns.rewards_only IS 'Whether only those get a code whom a reward gives it.';
COMMENT ON COLUMN offer_campaigns.shared_code IS
    'A custom code of the offer, which everybody who asks gets. It is no secret. NULL: each user gets a code of their own.';
COMMENT ON COLUMN offer_campaigns.key_mark IS
    'Which KITH_SECRETS_KEY its codes are encrypted with, by a keyed hash: with another nothing is dealt or imported. NULL: it has no codes.';
COMMENT ON COLUMN offer_campaigns.created_at IS 'When it was created.';

CREATE INDEX offer_campaigns_offer ON offer_campaigns (offer);
COMMENT ON INDEX offer_campaigns_offer IS 'The campaigns of an offer that somebody redeemed.';

CREATE TABLE offer_codes (
    campaign    text NOT NULL,
    id          uuid NOT NULL,
    sealed      bytea NOT NULL,
    expires_at  timestamptz NOT NULL,
    imported_at timestamptz NOT NULL DEFAULT now(),
    dealt_at    timestamptz,
    deal_id     uuid,
    user_id     uuid,
    CONSTRAINT offer_codes_pkey PRIMARY KEY (campaign, id),
    CONSTRAINT offer_codes_campaign FOREIGN KEY (campaign) REFERENCES offer_campaigns (key),
    CONSTRAINT offer_codes_dealt CHECK (user_id IS NULL OR dealt_at IS NOT NULL),
    CONSTRAINT offer_codes_deal CHECK ((deal_id IS NULL) = (dealt_at IS NULL))
);
COMMENT ON TABLE offer_codes IS
    'One-time offer codes, each for one user. A row is never deleted, so that no code is dealt twice. Written by Offers. Home key: campaign.';
COMMENT ON COLUMN offer_codes.campaign IS 'offer_campaigns.key.';
COMMENT ON COLUMN offer_codes.id IS 'Of the code, by a keyed hash: so the same code is there once, and nobody learns it from here.';
COMMENT ON COLUMN offer_codes.sealed IS 'The code, encrypted with KITH_SECRETS_KEY.';
COMMENT ON COLUMN offer_codes.expires_at IS 'From when on the App Store refuses it.';
COMMENT ON COLUMN offer_codes.imported_at IS 'When it was imported.';
COMMENT ON COLUMN offer_codes.dealt_at IS 'When a user got it. NULL: nobody did, so it may be dealt.';
COMMENT ON COLUMN offer_codes.deal_id IS 'Of the call that dealt it, by a random number: so the call knows what it did itself. NULL as dealt_at.';
COMMENT ON COLUMN offer_codes.user_id IS 'Who got it. NULL: nobody, or they deleted their account; it stays dealt.';

CREATE UNIQUE INDEX offer_codes_user ON offer_codes (campaign, user_id) WHERE user_id IS NOT NULL;
COMMENT ON INDEX offer_codes_user IS 'A user gets one code of a campaign.';
CREATE INDEX offer_codes_left ON offer_codes (campaign, expires_at, id) WHERE dealt_at IS NULL;
COMMENT ON INDEX offer_codes_left IS 'What may be dealt, and what expires next first.';
CREATE INDEX offer_codes_id ON offer_codes (id);
COMMENT ON INDEX offer_codes_id IS 'A code in any campaign.';
CREATE INDEX offer_codes_of_user ON offer_codes (user_id) WHERE user_id IS NOT NULL;
COMMENT ON INDEX offer_codes_of_user IS 'All codes of a user, to delete and to export.';

INSERT INTO schema_migrations (version, name) VALUES (19, 'offers');
