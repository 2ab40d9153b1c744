package import Counts
import Kernel
package import Postgres

/// Every statement on `client_versions`.
package struct VersionCountStore: Sendable {
    package var db: Database
    /// Whose days are counted.
    package var numbers: CountPolicy

    package init(db: Database, numbers: CountPolicy = CountPolicy()) {
        (self.db, self.numbers) = (db, numbers)
    }

    /// What apps are answered.
    package static let answers = UpdatePolicy.Action.allCases.map(\.rawValue)

    /// How long counts are kept.
    static let days = 400

    /// Returns which versions are already counted in these places, and perhaps in others.
    func versions(in places: Set<VersionCount.Place>) async throws -> [VersionCount.Place: Set<String>] {
        let (apps, days) = (Set(places.map(\.app)), Set(places.map(\.day)))
        let rows = try await db.read.with(deadline: .seconds(5)).query(
            """
            SELECT DISTINCT day::text, app, platform, version FROM client_versions
            WHERE app = ANY(\(apps.sorted())) AND day = ANY(\(days.sorted())::text[]::date[])
            """
        ) { row in
            try (
                place: VersionCount.Place(
                    day: row.next(), app: row.next(),
                    platform: AppPlatform(rawValue: row.next()) ?? .ios),
                version: row.next(as: String.self)
            )
        }
        return rows.reduce(into: [:]) { $0[$1.place, default: []].insert($1.version) }
    }

    /// Returns the most frequent versions of the apps of some places, in the week before the last day.
    func usual(before places: Set<VersionCount.Place>) async throws -> Set<VersionCount.Release> {
        guard let day = places.map(\.day).max() else { return [] }
        let found = try await db.read.with(deadline: .seconds(5)).query(
            """
            WITH sums AS MATERIALIZED (
                SELECT app, platform, version, sum(count) AS count FROM client_versions
                WHERE app = ANY(\(Set(places.map(\.app)).sorted()))
                  AND day BETWEEN \(day)::text::date - 7 AND \(day)::text::date - 1
                GROUP BY app, platform, version),
            ranked AS (
                SELECT app, platform, version,
                       row_number() OVER (PARTITION BY app, platform ORDER BY count DESC, version) AS rank
                FROM sums)
            SELECT app, platform, version FROM ranked WHERE rank <= \(Int64(VersionCount.mostUsual))
            """
        ) { row in
            try VersionCount.Release(
                app: row.next(), platform: AppPlatform(rawValue: row.next()) ?? .ios, version: row.next())
        }
        return Set(found)
    }

    /// Adds all counts or none. Other servers may add at the same time.
    package func add(_ counts: [VersionCount: Int]) async throws {
        let all = Array(counts)
        // Rows are written in one order, so that two servers never wait for each other in a circle.
        try await db.write.with(deadline: .seconds(5)).run(
            """
            INSERT INTO client_versions (app, day, platform, version, action, count)
            SELECT t.app, t.day::date, t.platform, t.version, t.action, t.count
            FROM unnest(\(all.map(\.key.app)), \(all.map(\.key.day)), \(all.map(\.key.platform.rawValue)),
                        \(all.map(\.key.version)), \(all.map(\.key.action.rawValue)), \(all.map { Int64($0.value) }))
                 AS t (app, day, platform, version, action, count)
            ORDER BY t.app, t.day, t.platform, t.version, t.action
            ON CONFLICT (app, day, platform, version, action)
                DO UPDATE SET count = client_versions.count + excluded.count
            """)
    }

    /// Returns the counts of some days, for all apps or for one.
    func counts(
        from first: String, to last: String, app: String?, platform: AppPlatform?
    ) async throws -> [(count: VersionCount, number: Int)] {
        let query: Statement = """
            SELECT day::text, app, platform, version, action, count FROM client_versions
            WHERE day BETWEEN \(first)::text::date AND \(last)::text::date
              AND (\(app)::text IS NULL OR app = \(app))
              AND (\(platform?.rawValue)::text IS NULL OR platform = \(platform?.rawValue))
            ORDER BY day, app, platform, version, action
            """
        return try await db.answers(to: query) { row in
            let count = VersionCount(
                day: try row.next(), app: try row.next(),
                platform: AppPlatform(rawValue: try row.next()) ?? .ios, version: try row.next(),
                action: UpdatePolicy.Action(rawValue: try row.next()) ?? .none)
            return (count, Int(try row.next(as: Int64.self)))
        }
    }

    /// Returns yesterday and how many calls came by apps of each version.
    func yesterday() async throws -> CountedDay {
        let day =
            try await db.bulk.first("SELECT (\(numbers.today) - 1)::text") {
                try $0.next(as: String.self)
            } ?? ""
        let found = try await counts(from: day, to: day, app: nil, platform: nil)
        return CountedDay(
            day: day, counts: found.reduce(into: [:]) { $0[$1.count.release, default: 0] += $1.number })
    }

    /// Deletes the counts that are too old.
    func forgetOld() async throws {
        try await db.write.run(
            "DELETE FROM client_versions WHERE day < \(numbers.today) - \(Int64(Self.days))::int"
        )
    }
}
