CREATE TABLE audit (
    id      uuid CONSTRAINT audit_pkey PRIMARY KEY DEFAULT gen_random_uuid(),
    at      timestamptz NOT NULL DEFAULT now(),
    actor   text NOT NULL,
    act     text NOT NULL,
    user_id uuid,
    reason  text,
    details text,
    CONSTRAINT audit_actor_form CHECK (actor ~ '^(key|person|command):.'),
    CONSTRAINT audit_reason_length CHECK (char_length(reason) BETWEEN 1 AND 500)
);
COMMENT ON TABLE audit IS
    'What operators did to users, links, webhooks, keys and people, and how people signed in, written by the transaction that did it, or, of a call as a user or as a backend, '
    'before the call. Kith never changes or deletes a row. '
    'Written by Audit. Home key: id.';
COMMENT ON COLUMN audit.id IS 'Random.';
COMMENT ON COLUMN audit.at IS 'When.';
COMMENT ON COLUMN audit.actor IS
    'Who did it: key: and api_keys.id; person: and people.email, or unknown; or command: and the user and host that ran `kith`.';
COMMENT ON COLUMN audit.act IS 'What was done: OperatorAct.swift has the words.';
COMMENT ON COLUMN audit.user_id IS 'To whom. NULL: to nobody, it was done to something else, which details name.';
COMMENT ON COLUMN audit.reason IS 'Why, as the operator wrote it. NULL: the call did not ask for it, and none was given.';
COMMENT ON COLUMN audit.details IS
    'JSON: what else belongs to the act, such as a code; never the name of a user, which would outlive the account. NULL: nothing.';

CREATE INDEX audit_newest ON audit (at DESC, id);
COMMENT ON INDEX audit_newest IS 'All acts, newest first.';
CREATE INDEX audit_user ON audit (user_id, at DESC, id);
COMMENT ON INDEX audit_user IS 'What was done to a user, newest first.';
CREATE INDEX audit_actor ON audit (actor, at DESC, id);
COMMENT ON INDEX audit_actor IS 'What one of them did, newest first.';
CREATE INDEX audit_act ON audit (act, at DESC, id);
COMMENT ON INDEX audit_act IS 'Acts of a kind, newest first.';
CREATE INDEX audit_code ON audit ((details::jsonb ->> 'code'), at DESC, id);
COMMENT ON INDEX audit_code IS 'What was done to a link or an invite, newest first.';

INSERT INTO schema_migrations (version, name) VALUES (17, 'audit');
