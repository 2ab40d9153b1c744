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
    'How many units were exposed on a day, summed once no goal of theirs can count any more. It stays when they go. Written by '
    'Experiments. Home key: experiment.';
COMMENT ON COLUMN experiment_days.experiment IS 'As in exposures.';
COMMENT ON COLUMN experiment_days.phase IS 'As in exposures.';
COMMENT ON COLUMN experiment_days.day IS 'The day of the exposure, UTC.';
COMMENT ON COLUMN experiment_days.variation IS 'As in exposures.';
COMMENT ON COLUMN experiment_days.units IS 'Those that saw no other variation until the day was summed.';
COMMENT ON COLUMN experiment_days.crossed IS 'Those that did, and count for none.';
CREATE INDEX experiment_days_last ON experiment_days (day);
COMMENT ON INDEX experiment_days_last IS 'Finds the last day that was summed.';

CREATE TABLE experiment_goal_days (
    experiment text NOT NULL,
    phase      bigint NOT NULL,
    day        date NOT NULL,
    variation  text NOT NULL,
    goal       text NOT NULL,
    units      bigint NOT NULL,
    CONSTRAINT experiment_goal_days_pkey PRIMARY KEY (experiment, phase, day, variation, goal),
    CONSTRAINT experiment_goal_days_day FOREIGN KEY (experiment, phase, day, variation)
        REFERENCES experiment_days (experiment, phase, day, variation),
    CONSTRAINT experiment_goal_days_units CHECK (units > 0)
);
COMMENT ON TABLE experiment_goal_days IS
    'How many of the units of a row of experiment_days reached a goal. Written by Experiments. Home key: experiment.';
COMMENT ON COLUMN experiment_goal_days.experiment IS 'As in exposures.';
COMMENT ON COLUMN experiment_goal_days.phase IS 'As in exposures.';
COMMENT ON COLUMN experiment_goal_days.day IS 'The day of the exposure, UTC, not that of the goal.';
COMMENT ON COLUMN experiment_goal_days.variation IS 'As in exposures.';
COMMENT ON COLUMN experiment_goal_days.goal IS 'As in conversions.';
COMMENT ON COLUMN experiment_goal_days.units IS 'Within 30 days of their exposure.';

-- Results read only the exposures of days that are not summed yet.
DROP INDEX exposures_of_experiment;
CREATE INDEX exposures_of_experiment ON exposures (experiment, phase, exposed_at) INCLUDE (variation, crossed_at);
COMMENT ON INDEX exposures_of_experiment IS 'Counts the units of an experiment by day.';

-- A row an experiment and phase may stay, as their days do.
DROP INDEX left_out_visits_old;
COMMENT ON TABLE left_out_visits IS
    'How many visits of pages an experiment counted for no variation, because their address was unknown or above the limit visitors. '
    'Written by Experiments. Home key: experiment.';

INSERT INTO schema_migrations (version, name) VALUES (24, 'experiment_days');
