import Postgres

/// The checks of experiments.
extension Sweep {
    static let exposures = Sweep(
        table: "exposures", home: .user,
        invariants: [
            Invariant(
                "exposure_of_deleted", "what a deleted user saw of an experiment is still there", .repair),
            Invariant(
                "conversion_before_exposure", "a unit reached a goal before it saw the experiment",
                .person("find out whose clock was wrong; results count it")),
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT unit AS home, experiment, phase, exposed_at FROM exposures WHERE \(within("unit"))),
            early AS MATERIALIZED (
                SELECT DISTINCT c.unit, c.experiment, c.phase
                FROM conversions c
                JOIN mine ON \(found("c.unit", "mine.home")) AND c.experiment = mine.experiment AND c.phase = mine.phase
                WHERE c.reached_at < mine.exposed_at),
            deleted AS MATERIALIZED (
                SELECT u.id FROM users u JOIN mine ON \(found("u.id", "mine.home")) WHERE u.status = 'deleted')
            SELECT home, concat_ws(' ', home, experiment, phase) AS key,
                   home IN (SELECT id FROM deleted) AS exposure_of_deleted,
                   (home, experiment, phase) IN (SELECT unit, experiment, phase FROM early) AS conversion_before_exposure
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
