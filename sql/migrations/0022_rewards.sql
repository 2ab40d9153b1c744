CREATE TABLE referrals (
    invitee_id   uuid NOT NULL,
    program      text NOT NULL,
    inviter_id   uuid NOT NULL,
    signed_up_at timestamptz NOT NULL,
    qualified_at timestamptz,
    purchase     text,
    refunded_at  timestamptz,
    ended_at     timestamptz,
    made_at      timestamptz,
    left_at      timestamptz,
    CONSTRAINT referrals_pkey PRIMARY KEY (invitee_id, program),
    CONSTRAINT referrals_user FOREIGN KEY (invitee_id) REFERENCES users (id),
    CONSTRAINT referrals_self CHECK (invitee_id <> inviter_id),
    CONSTRAINT referrals_purchase CHECK (purchase IS NULL OR qualified_at IS NOT NULL),
    CONSTRAINT referrals_refunded CHECK (refunded_at IS NULL OR purchase IS NOT NULL),
    CONSTRAINT referrals_ended CHECK (ended_at IS NULL OR qualified_at IS NULL),
    CONSTRAINT referrals_made CHECK (made_at IS NULL OR qualified_at IS NOT NULL)
);
COMMENT ON TABLE referrals IS
    'Who joined by an invite while a program of rewards ran, and whether they have done what it asks for. Written by Rewards. Home key: invitee_id.';
COMMENT ON COLUMN referrals.invitee_id IS 'Who joined.';
COMMENT ON COLUMN referrals.program IS 'The key of the program in the file of `kith apply`.';
COMMENT ON COLUMN referrals.inviter_id IS 'By whose invite, as in acceptances.';
COMMENT ON COLUMN referrals.signed_up_at IS 'When they joined.';
COMMENT ON COLUMN referrals.qualified_at IS 'When they had done what the program asks for. NULL: not yet.';
COMMENT ON COLUMN referrals.purchase IS
    'Environment and purchases.original_transaction_id, if a purchase did it. It stays when the invitee deletes their account: it pays '
    'once, and a refund takes back. NULL: none did.';
COMMENT ON COLUMN referrals.refunded_at IS 'When Kith heard that Apple refunded that purchase. NULL: it did not, or took the refund back.';
COMMENT ON COLUMN referrals.ended_at IS 'Since when it is too late to do it. NULL: it is not, or it is done.';
COMMENT ON COLUMN referrals.made_at IS 'When the rewards were made. NULL: not yet.';
COMMENT ON COLUMN referrals.left_at IS
    'When the invitee deleted their account: nothing more comes of it, and Kith looks for refunds of the purchase by itself. NULL: they '
    'did not.';

CREATE INDEX referrals_open ON referrals (program, signed_up_at) WHERE qualified_at IS NULL AND ended_at IS NULL AND left_at IS NULL;
COMMENT ON INDEX referrals_open IS 'Those that may get too late.';
CREATE INDEX referrals_purchase ON referrals (purchase) WHERE purchase IS NOT NULL;
COMMENT ON INDEX referrals_purchase IS 'Whom a purchase qualified, once for each program, and for whom its refund counts.';
CREATE INDEX referrals_left ON referrals (left_at) WHERE left_at IS NOT NULL AND purchase IS NOT NULL;
COMMENT ON INDEX referrals_left IS 'Purchases of those who deleted their account.';
CREATE INDEX referrals_due ON referrals (qualified_at)
    WHERE qualified_at IS NOT NULL AND made_at IS NULL AND refunded_at IS NULL AND left_at IS NULL;
COMMENT ON INDEX referrals_due IS 'Those whose rewards are to be made.';

CREATE TABLE reward_actions (
    user_id uuid NOT NULL,
    action  text NOT NULL,
    id      text NOT NULL,
    at      timestamptz NOT NULL,
    CONSTRAINT reward_actions_pkey PRIMARY KEY (user_id, action, id),
    CONSTRAINT reward_actions_user FOREIGN KEY (user_id) REFERENCES users (id)
);
COMMENT ON TABLE reward_actions IS
    'What invitees did, as the backend told, while a program asks for actions or active days. Written by Rewards. Home key: user_id.';
COMMENT ON COLUMN reward_actions.user_id IS 'Who did it.';
COMMENT ON COLUMN reward_actions.action IS 'What, by the backend''s name of it.';
COMMENT ON COLUMN reward_actions.id IS 'Of the act, by the backend: the same act told again counts once.';
COMMENT ON COLUMN reward_actions.at IS 'When they did it.';

CREATE INDEX reward_actions_old ON reward_actions (at);
COMMENT ON INDEX reward_actions_old IS 'The oldest, which count for nothing any more.';

CREATE TABLE reward_signals (
    user_id uuid NOT NULL,
    kind    text NOT NULL,
    mark    uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    time    timestamptz,
    told_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT reward_signals_pkey PRIMARY KEY (user_id, kind, mark),
    CONSTRAINT reward_signals_user FOREIGN KEY (user_id) REFERENCES users (id),
    CONSTRAINT reward_signals_kind CHECK (kind IN ('email', 'phone', 'device', 'address', 'app_account', 'disposable',
                                                   'device_check', 'account_created', 'clicked')),
    CONSTRAINT reward_signals_mark CHECK (
        (mark <> '00000000-0000-0000-0000-000000000000') = (kind IN ('email', 'phone', 'device', 'address', 'app_account'))),
    CONSTRAINT reward_signals_time CHECK ((time IS NOT NULL) = (kind IN ('account_created', 'clicked')))
);
COMMENT ON TABLE reward_signals IS
    'By what fraud is recognized: keyed hashes and times that the backend told, for 90 days, and none after the deletion of the account. '
    'Written by Rewards. Home key: user_id.';
COMMENT ON COLUMN reward_signals.user_id IS 'Whose.';
COMMENT ON COLUMN reward_signals.kind IS
    'email, phone, device, address (a /32 or /64) and app_account (Apple''s appAccountToken) have a mark, and all but the address perhaps several; account_created and clicked a time; '
    'disposable and device_check are true by being there.';
COMMENT ON COLUMN reward_signals.mark IS 'Of the canonical form, by a hash with KITH_SECRETS_KEY. Zeros: the kind has none.';
COMMENT ON COLUMN reward_signals.time IS 'When the account was created elsewhere, or the link clicked. NULL: the kind has none.';
COMMENT ON COLUMN reward_signals.told_at IS 'When the backend told it.';

CREATE INDEX reward_signals_mark ON reward_signals (mark, kind) WHERE mark <> '00000000-0000-0000-0000-000000000000';
COMMENT ON INDEX reward_signals_mark IS 'Who shares a mark.';
CREATE INDEX reward_signals_old ON reward_signals (told_at);
COMMENT ON INDEX reward_signals_old IS 'What is to be forgotten.';

CREATE TABLE rewards (
    user_id     uuid NOT NULL,
    id          uuid NOT NULL,
    program     text NOT NULL,
    invitee_id  uuid NOT NULL,
    side        text NOT NULL,
    other_id    uuid NOT NULL,
    kind        text NOT NULL,
    unit        text NOT NULL,
    amount      bigint NOT NULL,
    state       text NOT NULL,
    cause       text,
    reasons     text,
    change_id   uuid NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    due_at      timestamptz NOT NULL,
    approved_at timestamptz,
    settled_at  timestamptz,
    decided_at  timestamptz,
    changed_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT rewards_pkey PRIMARY KEY (user_id, id),
    CONSTRAINT rewards_once UNIQUE (user_id, program, invitee_id, side),
    CONSTRAINT rewards_user FOREIGN KEY (user_id) REFERENCES users (id),
    CONSTRAINT rewards_side CHECK (side IN ('inviter', 'invitee')),
    CONSTRAINT rewards_sides CHECK ((side = 'invitee') = (user_id = invitee_id) AND other_id <> user_id),
    CONSTRAINT rewards_kind CHECK (kind IN ('credit', 'offer', 'event')),
    CONSTRAINT rewards_amount CHECK (amount > 0 AND (kind = 'credit' OR amount = 1)),
    CONSTRAINT rewards_state CHECK (state IN ('pending', 'flagged', 'approved', 'assigned', 'settled', 'rejected', 'voided',
                                              'clawed_back', 'expired')),
    CONSTRAINT rewards_cause CHECK (
        CASE WHEN state IN ('rejected', 'voided', 'clawed_back', 'expired')
             THEN cause IS NOT NULL AND cause IN ('rule', 'cap', 'refund', 'operator', 'deleted', 'unused')
             ELSE cause IS NULL OR cause = 'operator' AND state IN ('approved', 'assigned', 'settled') END),
    CONSTRAINT rewards_approved CHECK (approved_at IS NOT NULL OR state NOT IN ('approved', 'assigned', 'settled', 'clawed_back', 'expired')),
    CONSTRAINT rewards_offer CHECK (kind = 'offer' OR state NOT IN ('assigned', 'settled', 'expired')),
    CONSTRAINT rewards_settled CHECK (
        CASE WHEN settled_at IS NULL THEN state <> 'settled' ELSE state IN ('settled', 'clawed_back') END),
    CONSTRAINT rewards_decided CHECK (decided_at IS NULL OR approved_at IS NOT NULL)
);
COMMENT ON TABLE rewards IS
    'What each side gets for an invite, once for each program, invitee and side. Written by Rewards. Home key: user_id.';
COMMENT ON COLUMN rewards.user_id IS 'Who gets it: the inviter or the invitee.';
COMMENT ON COLUMN rewards.id IS 'A hash of program, invitee and side, so that making it again finds it.';
COMMENT ON COLUMN rewards.program IS 'As in referrals.';
COMMENT ON COLUMN rewards.invitee_id IS 'Who joined, whichever side gets it.';
COMMENT ON COLUMN rewards.side IS 'Who gets it: inviter or invitee.';
COMMENT ON COLUMN rewards.other_id IS 'The other one of the two.';
COMMENT ON COLUMN rewards.kind IS 'credit, offer (a code of a campaign) or event (the backend does it).';
COMMENT ON COLUMN rewards.unit IS 'Of a credit its unit, of an offer the key of its campaign, of an event the program.';
COMMENT ON COLUMN rewards.amount IS 'How much, in the unit: 1 of an offer or event.';
COMMENT ON COLUMN rewards.state IS
    'pending or flagged: not given yet. approved: given. assigned: the code is dealt. settled: the code was redeemed. rejected, voided: '
    'never given. clawed_back: taken back. expired: the code expired unused.';
COMMENT ON COLUMN rewards.cause IS
    'What ended it: rule, cap, refund, operator, deleted or unused; or operator if one gave it. NULL: it waits, or Kith gave it.';
COMMENT ON COLUMN rewards.reasons IS 'JSON: the rules that held, with fact, threshold and verdict, for operators. NULL: none did, or the user deleted their account.';
COMMENT ON COLUMN rewards.change_id IS 'Of the call that changed it last, by a random number: so the call knows what it did itself.';
COMMENT ON COLUMN rewards.created_at IS 'When it was made.';
COMMENT ON COLUMN rewards.due_at IS 'When Kith looks whether to give it.';
COMMENT ON COLUMN rewards.approved_at IS 'When it was given first; the budget counts it once. NULL: never.';
COMMENT ON COLUMN rewards.settled_at IS
    'When Kith heard that its code was redeemed; also if it had been taken back by then. NULL: it was not.';
COMMENT ON COLUMN rewards.decided_at IS
    'When an operator gave it, so that only a later refund takes it back. NULL: none did, or not the last time.';
COMMENT ON COLUMN rewards.changed_at IS 'Since when it has its state.';

CREATE UNIQUE INDEX rewards_offers ON rewards (user_id, unit) WHERE kind = 'offer' AND state IN ('approved', 'assigned', 'settled');
COMMENT ON INDEX rewards_offers IS 'A user gets one code of a campaign.';
CREATE INDEX rewards_of_user ON rewards (user_id, created_at DESC, id);
COMMENT ON INDEX rewards_of_user IS 'The rewards of a user, newest first.';
CREATE INDEX rewards_due ON rewards (due_at) WHERE state = 'pending';
COMMENT ON INDEX rewards_due IS 'What may be given.';
CREATE INDEX rewards_newest ON rewards (created_at DESC, id);
COMMENT ON INDEX rewards_newest IS 'All, newest first.';
CREATE INDEX rewards_program ON rewards (program, side);
COMMENT ON INDEX rewards_program IS 'Those of a program, for its report and budget.';
CREATE INDEX rewards_state ON rewards (state, created_at DESC, id);
COMMENT ON INDEX rewards_state IS 'Those in a state, newest first.';
CREATE INDEX rewards_id ON rewards (id);
COMMENT ON INDEX rewards_id IS 'A reward by its id alone.';

CREATE TABLE reward_postings (
    user_id   uuid NOT NULL,
    id        uuid NOT NULL,
    kind      text NOT NULL,
    debit     text NOT NULL,
    credit    text NOT NULL,
    program   text,
    unit      text NOT NULL,
    amount    bigint NOT NULL,
    reward_id uuid,
    reverses  uuid,
    at        timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT reward_postings_pkey PRIMARY KEY (user_id, id),
    CONSTRAINT reward_postings_user FOREIGN KEY (user_id) REFERENCES users (id),
    CONSTRAINT reward_postings_reward FOREIGN KEY (user_id, reward_id) REFERENCES rewards (user_id, id),
    CONSTRAINT reward_postings_reverses FOREIGN KEY (user_id, reverses) REFERENCES reward_postings (user_id, id),
    CONSTRAINT reward_postings_amount CHECK (amount > 0),
    CONSTRAINT reward_postings_accounts CHECK (
        debit IN ('user', 'program', 'loss', 'spent', 'forfeited') AND credit IN ('user', 'program', 'loss', 'spent', 'forfeited')
        AND (debit = 'user') <> (credit = 'user')),
    CONSTRAINT reward_postings_kind CHECK (
        kind = 'reward' AND debit = 'program' AND reverses IS NULL OR kind = 'reversal' AND reverses IS NOT NULL
        OR kind = 'loss' AND debit = 'loss' AND reverses IS NULL OR kind = 'spend' AND credit = 'spent' AND reverses IS NULL
        OR kind = 'forfeit' AND credit = 'forfeited' AND reverses IS NULL),
    CONSTRAINT reward_postings_program CHECK ((program IS NOT NULL) = (reward_id IS NOT NULL))
);
COMMENT ON TABLE reward_postings IS
    'The ledger, by double entry: a row takes an amount from one account and gives it to another, so the sum of all accounts is always '
    'zero. Rows are never changed or deleted. Written by Rewards. Home key: user_id.';
COMMENT ON COLUMN reward_postings.user_id IS 'Whose account is one of the two.';
COMMENT ON COLUMN reward_postings.id IS 'Random; of a spend by the backend a hash of its own id.';
COMMENT ON COLUMN reward_postings.kind IS
    'reward: given. reversal: the opposite of another row. loss: what was spent before it was taken back. spend: the user used it. '
    'forfeit: the user deleted their account.';
COMMENT ON COLUMN reward_postings.debit IS 'The account that gives: user, or program, loss, spent or forfeited, which are the operator''s.';
COMMENT ON COLUMN reward_postings.credit IS 'The account that gets.';
COMMENT ON COLUMN reward_postings.program IS 'Of the reward. NULL as reward_id.';
COMMENT ON COLUMN reward_postings.unit IS 'Of a credit its unit, of an offer offer: and the key of its campaign.';
COMMENT ON COLUMN reward_postings.amount IS 'How much.';
COMMENT ON COLUMN reward_postings.reward_id IS 'For which reward. NULL: for none, as credit is spent or forfeited.';
COMMENT ON COLUMN reward_postings.reverses IS 'Which row it takes back. NULL: none.';
COMMENT ON COLUMN reward_postings.at IS 'When.';

CREATE UNIQUE INDEX reward_postings_once ON reward_postings (user_id, reward_id) WHERE kind = 'reward';
COMMENT ON INDEX reward_postings_once IS 'A reward is given once.';
CREATE UNIQUE INDEX reward_postings_reversed ON reward_postings (user_id, reverses) WHERE reverses IS NOT NULL;
COMMENT ON INDEX reward_postings_reversed IS 'A row is reversed once.';
CREATE INDEX reward_postings_balance ON reward_postings (user_id, unit);
COMMENT ON INDEX reward_postings_balance IS 'The balances of a user.';
CREATE INDEX reward_postings_program ON reward_postings (program) WHERE program IS NOT NULL;
COMMENT ON INDEX reward_postings_program IS 'The ledger of a program.';

CREATE TABLE reward_budgets (
    program text NOT NULL,
    side    text NOT NULL,
    unit    text NOT NULL,
    period  text NOT NULL,
    rewards bigint NOT NULL,
    amount  bigint NOT NULL,
    CONSTRAINT reward_budgets_pkey PRIMARY KEY (program, side, unit, period),
    CONSTRAINT reward_budgets_side CHECK (side IN ('inviter', 'invitee')),
    CONSTRAINT reward_budgets_period CHECK (period = 'all' OR period ~ '^\d{4}-\d\d-\d\d$'),
    CONSTRAINT reward_budgets_counts CHECK (rewards >= 0 AND amount >= 0)
);
COMMENT ON TABLE reward_budgets IS
    'How much each program has given, ever and on each day, so that the row''s lock decides who gets the last of it. Written by Rewards. Home key: program.';
COMMENT ON COLUMN reward_budgets.program IS 'As in referrals.';
COMMENT ON COLUMN reward_budgets.side IS 'As in rewards.';
COMMENT ON COLUMN reward_budgets.unit IS 'Of what: of a credit its unit; else offer: or event:, and what rewards.unit says.';
COMMENT ON COLUMN reward_budgets.period IS 'all, or a day in UTC.';
COMMENT ON COLUMN reward_budgets.rewards IS 'How many rewards were given for the first time; what is taken back is not subtracted.';
COMMENT ON COLUMN reward_budgets.amount IS 'The sum of their amounts, in the unit.';

CREATE TABLE reward_positions (
    scope      text NOT NULL,
    position   bigint NOT NULL,
    holder     uuid,
    held_until timestamptz,
    CONSTRAINT reward_positions_pkey PRIMARY KEY (scope),
    CONSTRAINT reward_positions_scope CHECK (scope = 'all'),
    CONSTRAINT reward_positions_holder CHECK ((holder IS NULL) = (held_until IS NULL))
);
COMMENT ON TABLE reward_positions IS
    'How far rewards have followed the events, in one row. One server at a time does so. Written by Rewards. Home key: scope.';
COMMENT ON COLUMN reward_positions.scope IS 'all.';
COMMENT ON COLUMN reward_positions.position IS 'As in events.id: what all events up to it mean for rewards is written.';
COMMENT ON COLUMN reward_positions.holder IS 'Which work of which server follows, by a random number. NULL: none.';
COMMENT ON COLUMN reward_positions.held_until IS 'When another server may take over. NULL as holder.';

INSERT INTO reward_positions (scope, position) SELECT 'all', last FROM event_numbers WHERE scope = 'all';

INSERT INTO schema_migrations (version, name) VALUES (22, 'rewards');
