import Foundation
import Kernel
import Postgres

/// How sums are written in place of former ones, which were read before the transaction began.
extension CountStore {
    /// Returns statements that write sums in place of former ones, and delete those that have none. They end
    /// the transaction with `overtaken` if a row is not what it was. Whatever changes a row makes its count
    /// larger, so its count says whether it is; whoever replaces one by an equal one of the same source moves
    /// the position of that source.
    /// - Parameter former: the counts of the rows that there were.
    static func replace(_ former: [Tally.Key: Int64], with sums: [Tally.Key: DaySum]) -> [Statement] {
        // Rows are written in one order, so that two writers seldom wait for each other.
        let ordered = sums.sorted { $0.key < $1.key }.map { key, sum in
            var sum = sum
            sum.parts.bound()
            return (key: key, sum: sum)
        }
        let gone = former.keys.filter { sums[$0] == nil }.sorted()
        let changed = ordered.filter { former[$0.key] != nil }
        let new = ordered.filter { former[$0.key] == nil }
        return (gone.isEmpty ? [] : [delete(gone, former)])
            + (changed.isEmpty ? [] : [update(changed, former)])
            + (new.isEmpty ? [] : requireAccounts(new.map(\.key.subject)) + [insert(new)])
    }

    private static func delete(_ keys: [Tally.Key], _ former: [Tally.Key: Int64]) -> Statement {
        """
        WITH given AS MATERIALIZED (
            SELECT t.subject, t.measure, t.day::date, t.former
            FROM unnest(\(keys.map(\.subject)), \(keys.map(\.measure)), \(keys.map(\.day)), \(keys.map { former[$0] ?? 0 }))
                AS t (subject, measure, day, former)),
        gone AS (
            DELETE FROM counts c USING given g WHERE \(isGiven) AND c.count = g.former RETURNING 1)
        SELECT require((SELECT count(*) FROM gone) = \(keys.count), \(Overtaken.overtaken))
        """
    }

    private static func update(
        _ sums: [(key: Tally.Key, sum: DaySum)], _ former: [Tally.Key: Int64]
    ) -> Statement {
        """
        WITH given AS MATERIALIZED (
            SELECT t.subject, t.measure, t.day::date, t.count, t.former, \(contents)
            FROM unnest(\(rows(sums)), \(sums.map { former[$0.key] ?? 0 }))
                AS t (subject, measure, day, count, parts, members, former)),
        changed AS (
            UPDATE counts c SET count = g.count, parts = g.parts, members = g.members FROM given g
            WHERE \(isGiven) AND c.count = g.former RETURNING 1)
        SELECT require((SELECT count(*) FROM changed) = \(sums.count), \(Overtaken.overtaken))
        """
    }

    private static func insert(_ sums: [(key: Tally.Key, sum: DaySum)]) -> Statement {
        """
        INSERT INTO counts (subject, measure, day, count, parts, members)
        SELECT t.subject, t.measure, t.day::date, t.count, \(contents)
        FROM unnest(\(rows(sums))) AS t (subject, measure, day, count, parts, members)
        """
    }

    /// Finds the sums `c` of the keys `g`.
    static let isGiven: Statement = "\(isOfGiven) AND c.day = ANY (ARRAY[g.day])"

    /// Finds those of any day. By = alone the planner may read the whole table instead of its key.
    static let isOfGiven: Statement = """
        c.subject = ANY (ARRAY[g.subject]) AND c.measure = ANY (ARRAY[g.measure])
        """

    private static let contents: Statement =
        "nullif(t.parts, '{}')::jsonb AS parts, nullif(decode(t.members, 'base64'), '') AS members"

    private static func rows(_ sums: [(key: Tally.Key, sum: DaySum)]) -> Statement {
        """
        \(sums.map(\.key.subject)), \(sums.map(\.key.measure)), \(sums.map(\.key.day)), \(sums.map(\.sum.count)),
        \(sums.map(\.sum.parts.json)), \(sums.map { Data($0.sum.members?.bytes ?? []).base64EncodedString() })
        """
    }

    /// A sum that was there is gone with its user's account. One that is new must not come after that.
    private static func requireAccounts(_ subjects: [String]) -> [Statement] {
        let people = Array(Set(subjects.compactMap { UUID(uuidString: $0) }))
        guard !people.isEmpty else { return [] }
        return [
            // Citus asks all nodes, and cannot ask them for rows without a column.
            """
            SELECT require(
                NOT EXISTS (SELECT 1 FROM users WHERE id = ANY(\(people)) AND status = 'deleted'),
                \(Overtaken.overtaken))
            """
        ]
    }

    enum Overtaken: String, GuardOutcome {
        case overtaken
    }
}

extension Lane {
    /// Runs statements of `replace` as one transaction. False if somebody else changed the sums meanwhile.
    func replacing(_ statements: [Statement]) async throws -> Bool {
        do {
            return try await batch(statements, unless: CountStore.Overtaken.overtaken) != nil
        } catch PostgresError.server(let refusal) where refusal.sqlState == "23505" {
            // Somebody else wrote a sum that there was not.
            return false
        }
    }
}
