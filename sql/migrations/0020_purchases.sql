CREATE TABLE purchases (
    original_transaction_id text NOT NULL,
    environment             text NOT NULL,
    change_id               uuid NOT NULL,
    bundle_id               text NOT NULL,
    app_store_id            text,
    type                    text NOT NULL,
    family_shared           boolean NOT NULL,
    started_at              timestamptz NOT NULL,
    user_id                 uuid,
    tied_at                 timestamptz,
    auto_renews             boolean,
    grace_until             timestamptz,
    renews_as               text,
    billing_failed          boolean NOT NULL DEFAULT false,
    renewal_signed_at       timestamptz,
    ended_at                timestamptz,
    consumed_at             timestamptz,
    consumption_id          text,
    created_at              timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT purchases_pkey PRIMARY KEY (original_transaction_id, environment),
    CONSTRAINT purchases_environment CHECK (environment IN ('production', 'sandbox')),
    CONSTRAINT purchases_simulated CHECK (environment = 'sandbox' OR original_transaction_id ~ '^[0-9A-Za-z]{1,64}$'),
    CONSTRAINT purchases_tied CHECK (user_id IS NULL OR tied_at IS NOT NULL),
    CONSTRAINT purchases_renewal CHECK (
        renewal_signed_at IS NOT NULL
        OR (auto_renews IS NULL AND grace_until IS NULL AND renews_as IS NULL AND NOT billing_failed)),
    CONSTRAINT purchases_consumption CHECK (consumption_id IS NULL OR consumed_at IS NOT NULL),
    CONSTRAINT purchases_consumable CHECK (consumed_at IS NULL OR type = 'Consumable')
);
COMMENT ON TABLE purchases IS
    'Purchases in the App Store, as Apple signed them; perhaps nobody knows yet whose. Written by Purchases. Home key: original_transaction_id.';
COMMENT ON COLUMN purchases.original_transaction_id IS
    'Apple''s originalTransactionId, the same through all renewals; one that an operator simulated begins with sim-.';
COMMENT ON COLUMN purchases.environment IS 'production or sandbox; what is simulated is always in the sandbox.';
COMMENT ON COLUMN purchases.change_id IS
    'Of the call that changed it last, by a random number: whoever read another one before writes nothing.';
COMMENT ON COLUMN purchases.bundle_id IS 'Of the app in which it was bought.';
COMMENT ON COLUMN purchases.app_store_id IS 'The number of that app in the App Store. NULL: the operator has not set it.';
COMMENT ON COLUMN purchases.type IS 'Apple''s type of the product, as in Auto-Renewable Subscription.';
COMMENT ON COLUMN purchases.family_shared IS 'Whether somebody else of the family bought it.';
COMMENT ON COLUMN purchases.started_at IS 'When it was bought for the first time.';
COMMENT ON COLUMN purchases.user_id IS 'Whose it is. NULL: nobody who is known, or they deleted their account.';
COMMENT ON COLUMN purchases.tied_at IS 'Since when it is theirs. NULL: it never was anybody''s.';
COMMENT ON COLUMN purchases.auto_renews IS 'Whether it renews at the end of its period. NULL: not known, or it cannot.';
COMMENT ON COLUMN purchases.grace_until IS 'Until when it goes on though a payment failed. NULL: no payment failed.';
COMMENT ON COLUMN purchases.renews_as IS 'Apple''s autoRenewProductId: the product at the next renewal. NULL: not known, or it cannot.';
COMMENT ON COLUMN purchases.billing_failed IS 'Whether its last payment failed, and Apple still tries.';
COMMENT ON COLUMN purchases.renewal_signed_at IS
    'When Apple signed what auto_renews, grace_until, renews_as and billing_failed say; what was signed before changes nothing. NULL: nothing was.';
COMMENT ON COLUMN purchases.ended_at IS 'When Apple last said that it has expired. NULL: never.';
COMMENT ON COLUMN purchases.consumed_at IS 'When a backend gave what was bought, once. NULL: it did not, or it is no consumable.';
COMMENT ON COLUMN purchases.consumption_id IS
    'Of the backend''s call that consumed it, by an id of its own. NULL: none did, or the user deleted their account since.';
COMMENT ON COLUMN purchases.created_at IS 'When Kith first heard of it.';

CREATE INDEX purchases_user ON purchases (user_id, started_at DESC) WHERE user_id IS NOT NULL;
COMMENT ON INDEX purchases_user IS 'The purchases of a user.';

CREATE TABLE purchase_periods (
    original_transaction_id text NOT NULL,
    environment             text NOT NULL,
    transaction_id          text NOT NULL,
    product_id              text NOT NULL,
    purchased_at            timestamptz NOT NULL,
    expires_at              timestamptz,
    upgraded                boolean NOT NULL,
    quantity                bigint NOT NULL DEFAULT 1,
    offer_type              bigint,
    offer_id                text,
    revoked_at              timestamptz,
    revocation_reason       bigint,
    reversed_at             timestamptz,
    signed_at               timestamptz NOT NULL,
    CONSTRAINT purchase_periods_pkey PRIMARY KEY (original_transaction_id, environment, transaction_id),
    CONSTRAINT purchase_periods_purchase FOREIGN KEY (original_transaction_id, environment)
        REFERENCES purchases (original_transaction_id, environment),
    CONSTRAINT purchase_periods_quantity CHECK (quantity > 0),
    CONSTRAINT purchase_periods_revocation CHECK (revocation_reason IS NULL OR revoked_at IS NOT NULL)
);
COMMENT ON TABLE purchase_periods IS
    'The transactions of purchases: each was paid, or given by an offer, for a period. Written by Purchases. Home key: original_transaction_id.';
COMMENT ON COLUMN purchase_periods.original_transaction_id IS 'As in purchases.';
COMMENT ON COLUMN purchase_periods.environment IS 'As in purchases.';
COMMENT ON COLUMN purchase_periods.transaction_id IS 'Apple''s transactionId.';
COMMENT ON COLUMN purchase_periods.product_id IS 'Apple''s productId.';
COMMENT ON COLUMN purchase_periods.purchased_at IS 'When it began.';
COMMENT ON COLUMN purchase_periods.expires_at IS 'When it ends. NULL: never.';
COMMENT ON COLUMN purchase_periods.upgraded IS 'Whether another period took its place before it ended.';
COMMENT ON COLUMN purchase_periods.quantity IS 'How many were bought at once.';
COMMENT ON COLUMN purchase_periods.offer_type IS
    'By which offer: 1 introductory, 2 promotional, 3 an offer code, 4 win-back, or a later one of Apple''s. NULL: none.';
COMMENT ON COLUMN purchase_periods.offer_id IS
    'Apple''s offerIdentifier: of offer codes, the reference name. NULL: none, or the offer has none.';
COMMENT ON COLUMN purchase_periods.revoked_at IS 'When Apple took it back, as by a refund. NULL: it did not, or Apple says so no more.';
COMMENT ON COLUMN purchase_periods.revocation_reason IS 'Apple''s revocationReason: 1 for a fault of the app, 0 for others. NULL: none.';
COMMENT ON COLUMN purchase_periods.reversed_at IS 'When Apple took a refund back. NULL: never.';
COMMENT ON COLUMN purchase_periods.signed_at IS 'When Apple signed what the row says; what was signed before changes nothing.';

CREATE INDEX purchase_periods_redemptions ON purchase_periods (environment, purchased_at DESC, transaction_id) WHERE offer_type = 3;
COMMENT ON INDEX purchase_periods_redemptions IS 'What came by offer codes, newest first.';

CREATE TABLE appstore_notifications (
    subject     text NOT NULL,
    id          text NOT NULL,
    environment text NOT NULL,
    type        text NOT NULL,
    subtype     text,
    signed_at   timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    auto_renews boolean,
    grace_until timestamptz,
    renews_as   text,
    billing_retry boolean,
    renewal_signed_at timestamptz,
    CONSTRAINT appstore_notifications_pkey PRIMARY KEY (subject, id),
    CONSTRAINT appstore_notifications_environment CHECK (environment IN ('production', 'sandbox')),
    CONSTRAINT appstore_notifications_renewal CHECK (
        renewal_signed_at IS NOT NULL
        OR (auto_renews IS NULL AND grace_until IS NULL AND renews_as IS NULL AND billing_retry IS NULL))
);
COMMENT ON TABLE appstore_notifications IS
    'Notifications of the App Store that arrived, known types or not, each once. Written by Purchases. Home key: subject.';
COMMENT ON COLUMN appstore_notifications.subject IS
    'purchases.original_transaction_id; of a notification that is about no purchase, its own id.';
COMMENT ON COLUMN appstore_notifications.id IS 'Apple''s notificationUUID, by which one that comes again is known.';
COMMENT ON COLUMN appstore_notifications.environment IS 'As in purchases.';
COMMENT ON COLUMN appstore_notifications.type IS 'Apple''s notificationType.';
COMMENT ON COLUMN appstore_notifications.subtype IS 'Apple''s subtype. NULL: none.';
COMMENT ON COLUMN appstore_notifications.signed_at IS 'When Apple signed it.';
COMMENT ON COLUMN appstore_notifications.received_at IS 'When it arrived.';
COMMENT ON COLUMN appstore_notifications.auto_renews IS
    'As in purchases, for a purchase that was not known yet: it begins with what waits here.';
COMMENT ON COLUMN appstore_notifications.grace_until IS 'As auto_renews.';
COMMENT ON COLUMN appstore_notifications.renews_as IS 'As auto_renews.';
COMMENT ON COLUMN appstore_notifications.billing_retry IS
    'Apple''s isInBillingRetryPeriod, as auto_renews. NULL: nothing waits, or Apple did not say.';
COMMENT ON COLUMN appstore_notifications.renewal_signed_at IS
    'When Apple signed what auto_renews, grace_until, renews_as and billing_retry say. NULL: nothing waits.';

INSERT INTO schema_migrations (version, name) VALUES (20, 'purchases');
