CREATE TABLE exposures (
    unit       uuid NOT NULL,
    experiment text NOT NULL,
    phase      bigint NOT NULL,
    variation  text NOT NULL,
    exposed_at timestamptz NOT NULL DEFAULT now(),
    crossed_at timestamptz,
    CONSTRAINT exposures_pkey PRIMARY KEY (unit, experiment, phase),
    CONSTRAINT exposures_experiment CHECK (experiment ~ '^[A-Za-z][A-Za-z0-9_-]{0,31}$'),
    CONSTRAINT exposures_phase CHECK (phase > 0),
    CONSTRAINT exposures_variation CHECK (variation ~ '^[A-Za-z][A-Za-z0-9_-]{0,31}$')
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);
COMMENT ON TABLE exposures IS
    'Which unit saw or used which variation of an experiment, once each. A row goes after 400 days, and if the unit is a user, with '
    'their account. Written by Experiments. Home key: unit.';
COMMENT ON COLUMN exposures.unit IS
    'The first 16 bytes of SHA-256 of what the app calls it by; of a uid, users.id. Of a visitor of pages: of clicks.trace, so nobody '
    'can tell who it was once the salt of the day is gone.';
COMMENT ON COLUMN exposures.experiment IS 'Its key in the file of `kith apply`.';
COMMENT ON COLUMN exposures.phase IS 'Of the experiment; each begins anew.';
COMMENT ON COLUMN exposures.variation IS 'The first that the unit saw in this phase.';
COMMENT ON COLUMN exposures.exposed_at IS 'When it did.';
COMMENT ON COLUMN exposures.crossed_at IS
    'When it saw another variation of the phase: from then on it counts for none. NULL: never.';
CREATE INDEX exposures_of_experiment ON exposures (experiment, phase, exposed_at) INCLUDE (variation, crossed_at);
COMMENT ON INDEX exposures_of_experiment IS 'Counts the units of an experiment of the days that are not summed yet.';
CREATE INDEX exposures_old ON exposures (exposed_at);
COMMENT ON INDEX exposures_old IS 'Finds what may be deleted.';

CREATE TABLE conversions (
    unit       uuid NOT NULL,
    experiment text NOT NULL,
    phase      bigint NOT NULL,
    goal       text NOT NULL,
    id         text NOT NULL DEFAULT '',
    value      bigint NOT NULL DEFAULT 1,
    reached_at timestamptz NOT NULL,
    CONSTRAINT conversions_pkey PRIMARY KEY (unit, experiment, phase, goal, id),
    CONSTRAINT conversions_exposure FOREIGN KEY (unit, experiment, phase)
        REFERENCES exposures (unit, experiment, phase) ON DELETE CASCADE,
    CONSTRAINT conversions_goal CHECK (goal ~ '^[A-Za-z][A-Za-z0-9_-]{0,31}$'),
    CONSTRAINT conversions_id CHECK (length(id) <= 128),
    CONSTRAINT conversions_value CHECK (value BETWEEN 0 AND 1000000000)
);
COMMENT ON TABLE conversions IS
    'Which goals a unit reached within 30 days of its exposure, each id once. Written by Experiments. Home key: unit.';
COMMENT ON COLUMN conversions.unit IS 'As in exposures.';
COMMENT ON COLUMN conversions.experiment IS 'As in exposures.';
COMMENT ON COLUMN conversions.phase IS 'As in exposures.';
COMMENT ON COLUMN conversions.goal IS
    'tap, install, signup or friend, which Kith counts itself, or one that a backend names.';
COMMENT ON COLUMN conversions.id IS
    'What the backend calls this time by, so that a repeated call counts nothing. Empty: it named none.';
COMMENT ON COLUMN conversions.value IS
    'What this time adds to the unit''s value of the goal, such as cents. 1 if the backend named none.';
COMMENT ON COLUMN conversions.reached_at IS 'When Kith heard of it first, never before its exposure.';
CREATE INDEX conversions_of_experiment ON conversions (experiment, phase, goal);
COMMENT ON INDEX conversions_of_experiment IS 'Counts the goals of an experiment.';

CREATE TABLE left_out_visits (
    experiment text NOT NULL,
    phase      bigint NOT NULL,
    count      bigint NOT NULL,
    CONSTRAINT left_out_visits_pkey PRIMARY KEY (experiment, phase),
    CONSTRAINT left_out_visits_positive CHECK (count > 0)
) WITH (fillfactor = 70);
COMMENT ON TABLE left_out_visits IS
    'How many visits of pages an experiment counted for no variation, because their address was unknown or above the limit visitors. '
    'Written by Experiments. Home key: experiment.';
COMMENT ON COLUMN left_out_visits.experiment IS 'As in exposures.';
COMMENT ON COLUMN left_out_visits.phase IS 'As in exposures.';
COMMENT ON COLUMN left_out_visits.count IS 'How many visits, not visitors: nobody knows who they were.';

CREATE TABLE experiment_days (
    experiment text NOT NULL,
    phase      bigint NOT NULL,
    day        date NOT NULL,
    variation  text NOT NULL,
    units      bigint NOT NULL,
    crossed    bigint NOT NULL,
    CONSTRAINT experiment_days_pkey PRIMARY KEY (experiment, phase, day, variation),
    CONSTRAINT experiment_days_counts CHECK (units >= 0 AND crossed >= 0 AND units + crossed > 0)
);
COMMENT ON TABLE experiment_days IS
    'How many units were exposed on a day, summed once no goal of theirs can count any more. It stays when they go. '
    'Written by Experiments. Home key: experiment.';
COMMENT ON COLUMN experiment_days.experiment IS 'As in exposures.';
COMMENT ON COLUMN experiment_days.phase IS 'As in exposures.';
COMMENT ON COLUMN experiment_days.day IS 'The day of the exposure, UTC.';
COMMENT ON COLUMN experiment_days.variation IS 'As in exposures.';
COMMENT ON COLUMN experiment_days.units IS 'Those that saw no other variation until the day was summed.';
COMMENT ON COLUMN experiment_days.crossed IS 'Those that did, and count for none.';
CREATE INDEX experiment_days_last ON experiment_days (day);
COMMENT ON INDEX experiment_days_last IS 'Finds the last day that was summed.';

CREATE TABLE experiment_goal_days (
    experiment     text NOT NULL,
    phase          bigint NOT NULL,
    day            date NOT NULL,
    variation      text NOT NULL,
    goal           text NOT NULL,
    units          bigint NOT NULL,
    sum_of_values  numeric NOT NULL,
    sum_of_squares numeric NOT NULL,
    CONSTRAINT experiment_goal_days_pkey PRIMARY KEY (experiment, phase, day, variation, goal),
    CONSTRAINT experiment_goal_days_day FOREIGN KEY (experiment, phase, day, variation)
        REFERENCES experiment_days (experiment, phase, day, variation),
    CONSTRAINT experiment_goal_days_units CHECK (units > 0),
    CONSTRAINT experiment_goal_days_sums CHECK (sum_of_values >= 0 AND sum_of_squares * units >= sum_of_values * sum_of_values)
);
COMMENT ON TABLE experiment_goal_days IS
    'How many of the units of a row of experiment_days reached a goal, and what it was worth. Written by Experiments. Home key: experiment.';
COMMENT ON COLUMN experiment_goal_days.experiment IS 'As in exposures.';
COMMENT ON COLUMN experiment_goal_days.phase IS 'As in exposures.';
COMMENT ON COLUMN experiment_goal_days.day IS 'The day of the exposure, UTC, not that of the goal.';
COMMENT ON COLUMN experiment_goal_days.variation IS 'As in exposures.';
COMMENT ON COLUMN experiment_goal_days.goal IS 'As in conversions.';
COMMENT ON COLUMN experiment_goal_days.units IS 'Within 30 days of their exposure.';
COMMENT ON COLUMN experiment_goal_days.sum_of_values IS 'Of the values of the units; that of a unit is the sum of its conversions.';
COMMENT ON COLUMN experiment_goal_days.sum_of_squares IS 'Of the squares of the values of the units, for the variance.';

INSERT INTO schema_migrations (version, name) VALUES (21, 'experiments');
