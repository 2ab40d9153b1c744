import Foundation
import Postgres

/// What is kept of experiments.
extension ExportStore {
    /// Only if the app names the user by uid.
    func exposures(of user: User.ID, after cursor: Cursor?) async throws -> Part<Export.Exposure> {
        try await part(
            of: user,
            """
            SELECT e.exposed_at, concat_ws(' ', e.experiment, lpad(e.phase::text, 7, '0')), e.experiment, e.phase, e.variation,
                   ARRAY(SELECT c.goal FROM conversions c
                         WHERE c.unit = \(user) AND c.unit = e.unit AND c.experiment = e.experiment AND c.phase = e.phase
                         ORDER BY c.goal)
            FROM exposures e
            WHERE e.unit = \(user) AND e.exposed_at >= \(cursor?.at ?? .distantPast)
              AND (e.exposed_at > \(cursor?.at ?? .distantPast)
                   OR concat_ws(' ', e.experiment, lpad(e.phase::text, 7, '0')) > \(cursor?.key ?? ""))
            ORDER BY 1, 2 LIMIT \(rows)
            """
        ) { row, cursor in
            try Export.Exposure(
                experiment: row.next(), phase: Int(row.next(as: Int64.self)), variation: row.next(),
                at: cursor.at, goals: row.next())
        }
    }
}
