CREATE TABLE webhooks (
    id            uuid NOT NULL,
    url           text NOT NULL,
    types         text[] NOT NULL,
    secret        bytea NOT NULL,
    old_secret    bytea,
    older_secret  bytea,
    old_until     timestamptz,
    created_at    timestamptz NOT NULL DEFAULT now(),
    revision      bigint NOT NULL DEFAULT 1,
    holder        uuid,
    held_until    timestamptz,
    position      bigint NOT NULL,
    failures      bigint NOT NULL DEFAULT 0,
    failing_since timestamptz,
    probe_at      timestamptz,
    paused_at     timestamptz,
    last_error    text,
    last_error_at timestamptz,
    missed        bigint NOT NULL DEFAULT 0,
    missed_until  timestamptz,
    CONSTRAINT webhooks_pkey PRIMARY KEY (id),
    CONSTRAINT webhooks_types CHECK (cardinality(types) > 0),
    CONSTRAINT webhooks_old_secret CHECK (
        (old_secret IS NULL) = (old_until IS NULL) AND (old_secret IS NOT NULL OR older_secret IS NULL)),
    CONSTRAINT webhooks_holder CHECK ((holder IS NULL) = (held_until IS NULL)),
    CONSTRAINT webhooks_failing CHECK ((failing_since IS NULL) = (probe_at IS NULL)),
    CONSTRAINT webhooks_last_error CHECK ((last_error IS NULL) = (last_error_at IS NULL))
);
COMMENT ON TABLE webhooks IS
    'Endpoints of backends that are told what happens. One server at a time delivers to one endpoint. Written by Webhooks. Home key: id.';
COMMENT ON COLUMN webhooks.id IS 'Random.';
COMMENT ON COLUMN webhooks.url IS 'Where events are posted to.';
COMMENT ON COLUMN webhooks.types IS 'The types of events that it gets, as in docs/events.md.';
COMMENT ON COLUMN webhooks.secret IS 'What signs, encrypted with KITH_SECRETS_KEY.';
COMMENT ON COLUMN webhooks.old_secret IS 'The one before, which signs, too, until old_until. NULL: none.';
COMMENT ON COLUMN webhooks.older_secret IS
    'The one before that, likewise, if old_secret was new for less than a day: perhaps no receiver ever got to know it. NULL: none.';
COMMENT ON COLUMN webhooks.old_until IS 'Until when old_secret and older_secret sign.';
COMMENT ON COLUMN webhooks.created_at IS 'When it was created.';
COMMENT ON COLUMN webhooks.revision IS
    'Greater after each change by an operator. The server that delivers then begins anew, and writes nothing by what it knew before.';
COMMENT ON COLUMN webhooks.holder IS
    'Which work of which server delivers, by a random number. NULL: none. Each write of progress names it, so a server that was held up and '
    'lost its place writes nothing.';
COMMENT ON COLUMN webhooks.held_until IS 'When another server may take over, unless the holder says before that it is still there.';
COMMENT ON COLUMN webhooks.position IS
    'As events.id: every event up to it is delivered, of no type that the endpoint gets, or in webhook_deliveries.';
COMMENT ON COLUMN webhooks.failures IS 'How many events failed at the first attempt since a delivery succeeded.';
COMMENT ON COLUMN webhooks.failing_since IS
    'Since when nothing but a probe now and then is sent, because too many events failed in a row. NULL: it does not fail.';
COMMENT ON COLUMN webhooks.probe_at IS 'When it is tried the next time while it fails.';
COMMENT ON COLUMN webhooks.paused_at IS
    'Since when nothing is sent: an operator paused it, it failed for three days, or it answered 410. NULL: not paused.';
COMMENT ON COLUMN webhooks.last_error IS 'Why the last delivery that failed did, without anything of the answer but its status. NULL: none did.';
COMMENT ON COLUMN webhooks.last_error_at IS 'When that was.';
COMMENT ON COLUMN webhooks.missed IS 'How many events were too old, and gone, when they could have been delivered again.';
COMMENT ON COLUMN webhooks.missed_until IS
    'All events from before that may be missed: they were too old, and gone, when the endpoint came back. NULL: none.';

CREATE TABLE webhook_deliveries (
    webhook_id      uuid NOT NULL,
    event_id        bigint NOT NULL,
    user_id         uuid NOT NULL,
    attempts        bigint NOT NULL DEFAULT 0,
    due_at          timestamptz,
    first_failed_at timestamptz,
    last_error      text,
    dead_at         timestamptz,
    CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (webhook_id, event_id),
    CONSTRAINT webhook_deliveries_webhook FOREIGN KEY (webhook_id) REFERENCES webhooks (id) ON DELETE CASCADE,
    CONSTRAINT webhook_deliveries_dead CHECK (dead_at IS NULL OR due_at IS NULL)
);
COMMENT ON TABLE webhook_deliveries IS
    'Events that an endpoint did not take yet, and those of the same user behind them. Written by Webhooks. Home key: webhook_id.';
COMMENT ON COLUMN webhook_deliveries.webhook_id IS 'The endpoint.';
COMMENT ON COLUMN webhook_deliveries.event_id IS 'As events.id.';
COMMENT ON COLUMN webhook_deliveries.user_id IS 'As events.user_id.';
COMMENT ON COLUMN webhook_deliveries.attempts IS 'How often it was sent in vain. 0: it waits behind an earlier event of the user, or an operator wants it sent again.';
COMMENT ON COLUMN webhook_deliveries.due_at IS
    'When to send it. NULL: not before an earlier event of the user, or never again. The first one of a user that is not dead has a time.';
COMMENT ON COLUMN webhook_deliveries.first_failed_at IS 'When it failed first. NULL: it was not sent yet.';
COMMENT ON COLUMN webhook_deliveries.last_error IS 'As webhooks.last_error.';
COMMENT ON COLUMN webhook_deliveries.dead_at IS 'Since when Kith does not try any more: a dead letter, which an operator may send again. NULL: it tries.';

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at) WHERE due_at IS NOT NULL;
COMMENT ON INDEX webhook_deliveries_due IS 'What is due next.';
CREATE INDEX webhook_deliveries_user ON webhook_deliveries (webhook_id, user_id, event_id) WHERE dead_at IS NULL;
COMMENT ON INDEX webhook_deliveries_user IS 'What waits of a user, in order.';
CREATE INDEX webhook_deliveries_dead ON webhook_deliveries (webhook_id, event_id) WHERE dead_at IS NOT NULL;
COMMENT ON INDEX webhook_deliveries_dead IS 'Dead letters.';

INSERT INTO schema_migrations (version, name) VALUES (16, 'webhooks');
