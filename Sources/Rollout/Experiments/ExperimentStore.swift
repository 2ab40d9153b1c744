package import Foundation
import Kernel
package import Postgres

/// Every statement on `exposures`, `conversions`, `left_out_visits`, `experiment_days` and
/// `experiment_goal_days`.
package struct ExperimentStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// For how long after its exposure a unit's conversions count.
    static let window: Statement = "interval '30 days'"
    /// How long exposures and their conversions are kept.
    private static let kept: Statement = "interval '400 days'"

    /// Writes exposures, once for each unit, experiment and phase. A unit that saw another variation, before
    /// or among these, keeps the first, and is marked, so that it counts for neither. For those that are left
    /// out it writes only their number.
    func expose(_ exposures: [Exposure]) async throws {
        let (first, others) = Exposure.first(of: exposures.filter { !$0.isLeftOut })
        // A statement writes a row only once. The second statement waits for nobody, since the first has
        // locked its rows.
        try await db.write.with(deadline: .seconds(2)).batch(
            [Self.boundLocks] + Self.hold(exposures)
                + [first, others].filter { !$0.isEmpty }.map(Self.insert)
                + Self.count(leftOut: exposures.filter(\.isLeftOut)))
    }

    /// The limit for locks. It is low because visitors and apps wait.
    private static let boundLocks: Statement = "SET LOCAL lock_timeout = '500ms'"

    /// Returns statements that lock the units, which may be users who are just deleting their account. They
    /// use the order that everything uses that locks several.
    private static func hold(_ exposures: [Exposure]) -> [Statement] {
        Set(exposures.filter { !$0.isLeftOut }.map(\.unit)).sorted { $0.uuidString < $1.uuidString }.map {
            "SELECT 1 FROM users WHERE id = \($0) FOR SHARE"
        }
    }

    /// Returns the statement that inserts exposures. It uses one order, so that two groups never wait for
    /// each other. Nothing is kept about users who deleted their account.
    private static func insert(_ exposures: [Exposure]) -> Statement {
        let units = exposures.map(\.unit)
        return """
            INSERT INTO exposures (unit, experiment, phase, variation)
            SELECT t.unit, t.experiment, t.phase, t.variation
            FROM unnest(\(units), \(exposures.map(\.experiment)), \(exposures.map { Int64($0.phase) }),
                        \(exposures.map(\.variation))) AS t (unit, experiment, phase, variation)
            WHERE t.unit NOT IN (SELECT u.id FROM users u WHERE u.id = ANY(\(units)) AND u.status = 'deleted')
            ORDER BY t.unit, t.experiment, t.phase
            ON CONFLICT (unit, experiment, phase) DO UPDATE SET crossed_at = excluded.exposed_at
            WHERE exposures.variation <> excluded.variation AND exposures.crossed_at IS NULL
            """
    }

    private static func count(leftOut visits: [Exposure]) -> [Statement] {
        if visits.isEmpty { return [] }
        return [
            """
            INSERT INTO left_out_visits AS v (experiment, phase, count)
            SELECT t.experiment, t.phase, count(*)
            FROM unnest(\(visits.map(\.experiment)), \(visits.map { Int64($0.phase) })) AS t (experiment, phase)
            GROUP BY t.experiment, t.phase ORDER BY t.experiment, t.phase
            ON CONFLICT (experiment, phase) DO UPDATE
            SET count = v.count + excluded.count
            """
        ]
    }

    /// Returns a statement that counts each conversion once for each experiment to which its unit was exposed
    /// within `window`, and at most `Conversion.mostIDs` of a unit and goal. Those of a unit add up when they
    /// are read, so no statement changes a sum.
    private static func add(of exposed: Statement) -> Statement {
        """
        INSERT INTO conversions (unit, experiment, phase, goal, id, value, reached_at)
        SELECT e.unit, e.experiment, e.phase, t.goal, t.id, t.value, greatest(now(), e.exposed_at)
        FROM \(exposed) AND e.exposed_at > now() - \(window)
          AND (SELECT count(*) FROM conversions c
               WHERE c.unit = e.unit AND c.experiment = e.experiment AND c.phase = e.phase AND c.goal = t.goal)
              < \(Int64(Conversion.mostIDs))
        ORDER BY e.unit, e.experiment, e.phase, t.goal, t.id
        ON CONFLICT (unit, experiment, phase, goal, id) DO NOTHING
        """
    }

    /// Returns statements for a batch. Empty if the unit is in no experiment.
    package static func add(_ goals: [Goal], of unit: UUID?) -> [Statement] {
        guard let unit, !goals.isEmpty else { return [] }
        let conversions = goals.map { Conversion(unit: unit, goal: $0) }
        return [
            add(
                of: """
                    exposures e
                    CROSS JOIN unnest(\(conversions.map(\.goal.name)), \(conversions.map(\.id)),
                                      \(conversions.map { Int64($0.value) })) AS t (goal, id, value)
                    WHERE e.unit = \(unit)
                    """)
        ]
    }

    func add(_ conversions: [Conversion]) async throws {
        let units = conversions.map(\.unit)
        do {
            try await db.write.with(deadline: .seconds(2)).batch([
                Self.boundLocks,
                Self.add(
                    of: """
                        unnest(\(units), \(conversions.map(\.goal.name)), \(conversions.map(\.id)),
                               \(conversions.map { Int64($0.value) })) AS t (unit, goal, id, value)
                        JOIN exposures e ON e.unit = ANY (ARRAY[t.unit])
                        WHERE e.unit = ANY(\(units))
                        """),
            ])
        } catch let error as PostgresError where error.lacksExposure && Set(units).count == 1 {
            // The account of the unit was deleted meanwhile, and its exposures with it, so there is nothing
            // to count. If there are several units, the queue writes each separately.
        }
    }

    /// Whether the unit is a user, by their uid.
    func isUser(_ unit: ExperimentUnit) async throws -> Bool {
        try await db.read.ofPrimary.first("SELECT 1 FROM users WHERE id = \(unit.id)") {
            try $0.next(as: Int.self)
        } != nil
    }

    /// Returns the variations to which a unit was exposed, by experiment and phase.
    /// - Parameter mayBeUser: whether the caller may learn about it if the unit is a user.
    func exposed(
        _ unit: ExperimentUnit, mayBeUser: Bool
    ) async throws -> [(experiment: String, phase: Int, variation: String)] {
        let isNoUser: Statement = "NOT EXISTS (SELECT FROM users WHERE id = \(unit.id))"
        return try await db.read.ofPrimary.query(
            """
            SELECT experiment, phase, variation FROM exposures WHERE unit = \(unit.id) AND \(mayBeUser ? "true" : isNoUser)
            """
        ) { row in
            (try row.next(), Int(try row.next(as: Int64.self)), try row.next())
        }
    }

    /// What was counted: rows that are still there, and sums, which stay.
    private static let counted: [Statement] = ["exposures", "experiment_days"]

    /// Returns queries for the last phase that was counted, of each experiment whose own phase or a later one
    /// was.
    static func lastPhases(_ experiments: [Experiment]) -> [Statement] {
        counted.map { table in
            """
            SELECT e.experiment, max(e.phase)
            FROM unnest(\(experiments.map(\.key)), \(experiments.map { Int64($0.phase) })) AS t (experiment, phase)
            JOIN \(table) e ON e.experiment = t.experiment AND e.phase >= t.phase
            GROUP BY e.experiment
            """
        }
    }

    /// Returns statements that end the transaction if the experiment's phase, or a later one, was counted.
    static func requireUncounted(_ experiment: Experiment) -> [Statement] {
        counted.map { table in
            """
            SELECT require(max(phase) IS NULL, \(AppliedStore.Outcome.changedMeanwhile))
            FROM \(table) WHERE experiment = \(experiment.key) AND phase >= \(Int64(experiment.phase))
            """
        }
    }

    /// Deletes what is counted of a unit of apps on days that are not summed.
    package func forget(_ unit: ExperimentUnit) async throws {
        try await db.write.run("DELETE FROM exposures WHERE unit = \(unit.id)")
    }

    /// Sums days, and deletes old exposures with their conversions, in parts. If the sums fail, nothing is
    /// deleted.
    package func forgetOld(part: Int = 5000) async throws {
        try await sumDays()
        var count = part
        while count == part {
            count = try await db.bulk.run(
                """
                WITH old AS MATERIALIZED (
                    SELECT unit, experiment, phase FROM exposures
                    WHERE exposed_at < now() - \(Self.kept) ORDER BY exposed_at LIMIT \(part))
                -- By = alone the planner may read the whole table instead of its key.
                DELETE FROM exposures e USING old
                WHERE e.unit = ANY (ARRAY[old.unit]) AND e.experiment = old.experiment AND e.phase = old.phase
                """)
        }
    }
}

extension PostgresError {
    /// Whether an exposure is missing. Citus adds a number to the name of the constraint.
    fileprivate var lacksExposure: Bool {
        guard case .server(let refusal) = self else { return false }
        return refusal.sqlState == "23503" && refusal.message.contains("conversions_exposure")
    }
}
