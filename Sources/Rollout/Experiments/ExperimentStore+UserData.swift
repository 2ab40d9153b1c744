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
            try await reader.part(
                """
                SELECT e.exposed_at, concat_ws(' ', e.experiment, lpad(e.phase::text, 7, '0')), e.experiment, e.phase, e.variation,
                       ARRAY(SELECT c.goal FROM conversions c
                             WHERE c.unit = \(reader.user) AND c.unit = e.unit AND c.experiment = e.experiment AND c.phase = e.phase
                             ORDER BY c.goal)
                FROM exposures e
                WHERE e.unit = \(reader.user) AND e.exposed_at >= \(cursor?.at ?? .distantPast)
                  AND (e.exposed_at > \(cursor?.at ?? .distantPast)
                       OR concat_ws(' ', e.experiment, lpad(e.phase::text, 7, '0')) > \(cursor?.key ?? ""))
                ORDER BY 1, 2 LIMIT \(reader.rows)
                """
            ) { row, cursor in
                try Exported(
                    experiment: row.next(), phase: Int(row.next(as: Int64.self)), variation: row.next(),
                    at: cursor.at, goals: row.next())
            }
        }
    }

    private struct Exported: Encodable, Sendable {
        var experiment: String
        var phase: Int
        var variation: String
        var at: Date
        var goals: [String]
    }
}
