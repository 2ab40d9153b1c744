import Foundation
import Graph
import Kernel
import Postgres

extension InstallStore {
    /// Claims the tap that only facts suggest. Nil if the operator does not want that, or nobody can tell
    /// which tap it is.
    func claim(
        by facts: VisitorFacts?, _ traces: VisitorTraces, of app: String, on platform: AppPlatform,
        for installation: InstallationID, as claim: UUID
    ) async throws -> Claim? {
        guard traces.isOn, let facts,
            let token = try await likely(traces.ofRecentTaps(facts), of: app, for: installation)
        else { return nil }
        return try await self.claim(token, of: app, on: platform, for: installation, as: claim, .likely)
    }

    /// Returns the tap that the facts alone suggest: one within an hour that nobody else claimed. Nil if
    /// there is none. Also nil if today or yesterday any tap with these facts led to another inviter, since
    /// then nobody can tell whose this is.
    func likely(_ facts: [UUID], of app: String, for installation: InstallationID) async throws
        -> InstallToken?
    {
        let taps = try await db.read.query(
            """
            SELECT inviter_id, id, claim_id IS NULL, coalesce(installation = \(installation.hash), false),
                   tapped_at > now() - interval '1 hour'
            FROM installs
            WHERE facts = ANY(\(facts)) AND app = \(app) AND tapped_at > now() - interval '2 days'
            ORDER BY tapped_at DESC LIMIT 100
            """
        ) { row in
            try (
                token: InstallToken(inviter: User.ID(row.next()), id: row.next()),
                isFree: row.next(as: Bool.self), isOwn: row.next(as: Bool.self),
                isRecent: row.next(as: Bool.self)
            )
        }
        if let own = taps.first(where: \.isOwn) { return own.token }
        guard taps.count < 100, Set(taps.map(\.token.inviter)).count == 1 else { return nil }
        return taps.first { $0.isFree && $0.isRecent }?.token
    }
}
