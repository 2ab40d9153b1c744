import Foundation
package import Kernel
package import Postgres
import Web

/// What experiments store about a user, if the app names the user by uid.
extension ExperimentStore: UserDataStore {
    /// Removes the user's exposures. Their conversions are removed with them.
    package static func forget(_ user: User.ID) -> [Statement] {
        ["DELETE FROM exposures WHERE unit = \(user)"]
    }

    package static func export(into document: inout ExportDocument) async throws {
        try await document.list("experiments") { reader, cursor in
            let isOfExposure: Statement = """
                c.unit = \(reader.user) AND c.unit = e.unit AND c.experiment = e.experiment AND c.phase = e.phase
                """
            return try await reader.part(
                """
                SELECT e.exposed_at, concat_ws(' ', e.experiment, lpad(e.phase::text, 7, '0')), e.experiment, e.phase, e.variation,
                       ARRAY(SELECT c.goal FROM conversions c WHERE \(isOfExposure) GROUP BY c.goal ORDER BY c.goal),
                       ARRAY(SELECT sum(c.value)::bigint FROM conversions c WHERE \(isOfExposure) GROUP BY c.goal ORDER BY c.goal)
                FROM exposures e
                WHERE e.unit = \(reader.user) AND e.exposed_at >= \(cursor?.at ?? .distantPast)
                  AND (e.exposed_at > \(cursor?.at ?? .distantPast)
                       OR concat_ws(' ', e.experiment, lpad(e.phase::text, 7, '0')) > \(cursor?.key ?? ""))
                ORDER BY 1, 2 LIMIT \(reader.rows)
                """
            ) { row, cursor in
                try Exported(
                    experiment: row.next(), phase: Int(row.next(as: Int64.self)), variation: row.next(),
                    at: cursor.at,
                    goals: zip(row.next(as: [String].self), row.next(as: [Int64].self)).map {
                        Exported.Reached(goal: $0, value: $1)
                    })
            }
        }
    }

    private struct Exported: Encodable, Sendable {
        var experiment: String
        var phase: Int
        var variation: String
        var at: Date
        var goals: [Reached]

        struct Reached: Encodable, Sendable {
            var goal: String
            /// The sum of what the user did of it.
            var value: Int64
        }
    }
}
