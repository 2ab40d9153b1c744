import Postgres

/// Counts of days: of raw rows while goals can still count, and of sums from then on.
extension ExperimentStore {
    /// The first day that may not be summed yet: a unit of it may still reach a goal that counts. The hour is
    /// for goals that are just being written.
    private static let open: Statement = "((now() - \(window) - interval '1 hour') AT TIME ZONE 'UTC')::date"

    /// The day of an exposure.
    private static let day: Statement = "(e.exposed_at AT TIME ZONE 'UTC')::date"

    /// Returns a query for each goal that a unit reached, and its value.
    private static func reached(_ condition: Statement) -> Statement {
        """
        SELECT e.unit, e.experiment, e.phase, e.variation, \(day) AS day, c.goal, sum(c.value) AS value
        FROM exposures e
        JOIN conversions c ON c.unit = e.unit AND c.experiment = e.experiment AND c.phase = e.phase
        WHERE \(condition) AND e.crossed_at IS NULL
        GROUP BY e.unit, e.experiment, e.phase, e.variation, \(day), c.goal
        """
    }

    /// What is summed of `reached`.
    private static let sums: Statement = "count(*), sum(r.value), sum(r.value * r.value)"

    /// Sums the days of which no goal can count any more, each in a transaction. A day that another server
    /// sums at the same time is summed once.
    func sumDays() async throws {
        while let day = try await firstDay() {
            let ofDay: Statement = """
                e.exposed_at >= \(day)::text::date::timestamp AT TIME ZONE 'UTC'
                AND e.exposed_at < (\(day)::text::date + 1)::timestamp AT TIME ZONE 'UTC'
                """
            try await db.bulk.batch([
                """
                INSERT INTO experiment_days (experiment, phase, day, variation, units, crossed)
                SELECT e.experiment, e.phase, \(day)::text::date, e.variation, count(*) FILTER (WHERE e.crossed_at IS NULL),
                       count(*) FILTER (WHERE e.crossed_at IS NOT NULL)
                FROM exposures e WHERE \(ofDay)
                GROUP BY e.experiment, e.phase, e.variation ORDER BY e.experiment, e.phase, e.variation
                ON CONFLICT (experiment, phase, day, variation) DO NOTHING
                """,
                """
                INSERT INTO experiment_goal_days
                    (experiment, phase, day, variation, goal, units, sum_of_values, sum_of_squares)
                SELECT r.experiment, r.phase, \(day)::text::date, r.variation, r.goal, \(Self.sums)
                FROM (\(Self.reached(ofDay))) r
                GROUP BY r.experiment, r.phase, r.variation, r.goal ORDER BY r.experiment, r.phase, r.variation, r.goal
                ON CONFLICT (experiment, phase, day, variation, goal) DO NOTHING
                """,
            ])
        }
    }

    /// Returns the first day with exposures that is to be summed, as `2026-11-29`. Nil if there is none.
    private func firstDay() async throws -> String? {
        try await db.bulk.ofPrimary.first(
            """
            SELECT (min(e.exposed_at) AT TIME ZONE 'UTC')::date::text FROM exposures e
            WHERE e.exposed_at >= coalesce((SELECT max(d.day) + 1 FROM experiment_days d), '-infinity')::timestamp AT TIME ZONE 'UTC'
              AND e.exposed_at < \(Self.open)::timestamp AT TIME ZONE 'UTC'
            """
        ) { try $0.next(as: String?.self) } ?? nil
    }

    /// Returns what is counted of a phase.
    func counts(of experiment: String, phase: Int) async throws -> ExperimentCounts {
        let isPhase: (Statement) -> Statement = { table in
            "\(table).experiment = \(experiment) AND \(table).phase = \(Int64(phase))"
        }
        let isOpen: Statement = """
            e.exposed_at >= coalesce((SELECT max(d.day) + 1 FROM experiment_days d WHERE \(isPhase("d"))), '-infinity')::timestamp
                            AT TIME ZONE 'UTC'
            """
        let results = try await db.bulk.batch([
            // One statement, so that it sees a day either summed or not, and each goal with its exposure. On
            // Citus, whose nodes it asks one by one, that may be untrue for a moment.
            """
            SELECT d.day::text, d.variation, NULL, d.crossed, d.units, 0::float8, 0::float8 FROM experiment_days d WHERE \(isPhase("d"))
            UNION ALL
            SELECT g.day::text, g.variation, g.goal, 0, g.units, g.sum_of_values, g.sum_of_squares FROM experiment_goal_days g
            WHERE \(isPhase("g"))
            UNION ALL
            SELECT \(Self.day)::text, e.variation, NULL, count(*) FILTER (WHERE e.crossed_at IS NOT NULL),
                   count(*) FILTER (WHERE e.crossed_at IS NULL), 0, 0
            FROM exposures e WHERE \(isPhase("e")) AND \(isOpen) GROUP BY 1, 2
            UNION ALL
            SELECT r.day::text, r.variation, r.goal, 0, \(Self.sums)
            FROM (\(Self.reached("\(isPhase("e")) AND \(isOpen)"))) r GROUP BY 1, 2, 3
            """,
            "SELECT v.count FROM left_out_visits v WHERE \(isPhase("v"))",
        ])
        var counts = ExperimentCounts()
        for row in try results[0].map(DayRow.init(row:)) {
            counts.add(row.day, row.variation, row.counts)
        }
        counts.bound()
        counts.leftOut = Int(try results[1].first { try $0.next(as: Int64.self) } ?? 0)
        return counts
    }

    private struct DayRow {
        let day: String
        let variation: String
        let counts: ExperimentCounts.Day

        init(row: inout Row) throws {
            (day, variation) = try (row.next(), row.next())
            let goal = try row.next(as: String?.self)
            let (crossed, units) = (Int(try row.next(as: Int64.self)), Int(try row.next(as: Int64.self)))
            let (sum, sumOfSquares) = try (row.next(as: Double.self), row.next(as: Double.self))
            counts =
                goal.map { .init(goals: [$0: .init(units: units, sum: sum, sumOfSquares: sumOfSquares)]) }
                ?? .init(units: units, crossed: crossed)
        }
    }
}
