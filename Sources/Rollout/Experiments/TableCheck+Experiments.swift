import Kernel
import Postgres

/// The checks of experiments.
extension TableCheck {
    static let exposures = TableCheck(
        table: "exposures", home: .user,
        invariants: [
            Invariant(
                "exposure_of_deleted", "what a deleted user saw of an experiment is still there", .repair),
            Invariant(
                "conversion_before_exposure", "a unit reached a goal before it saw the experiment",
                .person("find out whose clock was wrong; results count it")),
            Invariant(
                "conversion_late", "a unit reached a goal more than 30 days after it saw the experiment",
                .person("find out whose clock was wrong; results count it")),
            Invariant(
                "exposure_of_no_variation",
                "a unit is in a variation that the phase of its experiment does not have",
                .person(
                    "give the experiment a new phase in the file of `kith apply`: this one counts units of another"
                )),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT unit AS home, experiment, phase, variation, exposed_at FROM exposures WHERE \(within("unit"))),
            reached AS MATERIALIZED (
                SELECT c.unit, c.experiment, c.phase, c.reached_at - mine.exposed_at AS after
                FROM conversions c
                JOIN mine ON \(found("c.unit", "mine.home")) AND c.experiment = mine.experiment AND c.phase = mine.phase),
            -- Once it is stopped, variations may go.
            running AS MATERIALIZED (
                SELECT e.key AS experiment, coalesce(e.value->>'phase', '1') AS phase, e.value AS fields
                FROM applied_files f CROSS JOIN LATERAL jsonb_each(f.content->'entries') e
                WHERE f.section = 'experiments' AND e.value->>'winner' IS NULL
                  AND coalesce(e.value->>'state', 'running') = 'running'),
            deleted AS MATERIALIZED (
                SELECT u.id FROM users u JOIN mine ON \(found("u.id", "mine.home")) WHERE u.status = 'deleted')
            SELECT home, concat_ws(' ', home, experiment, phase) AS key,
                   home IN (SELECT id FROM deleted) AS exposure_of_deleted,
                   (home, experiment, phase) IN (SELECT unit, experiment, phase FROM reached WHERE after < interval '0')
                       AS conversion_before_exposure,
                   (home, experiment, phase) IN (SELECT unit, experiment, phase FROM reached WHERE after > interval '30 days')
                       AS conversion_late,
                   EXISTS (SELECT FROM running r WHERE r.experiment = mine.experiment AND r.phase = mine.phase::text
                           AND NOT r.fields ? ('variations.' || mine.variation || '.weight')) AS exposure_of_no_variation
            FROM mine
            """
        },
        repairs: { homes in
            [
                """
                WITH deleted AS MATERIALIZED (
                    SELECT id FROM users WHERE id = ANY(\(homes)::uuid[]) AND status = 'deleted')
                DELETE FROM exposures e USING deleted WHERE e.unit = ANY(\(homes)::uuid[]) AND e.unit = deleted.id
                """
            ]
        })
}
