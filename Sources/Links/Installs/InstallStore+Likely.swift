import Foundation
import Graph
import Kernel

extension InstallStore {
    /// Claims the tap that only facts suggest. Nil if the operator does not want that, or nobody can tell
    /// which tap it is.
    func claim(
        by facts: VisitorFacts?, _ matching: InstallMatching, of app: String, on platform: AppPlatform,
        for installation: InstallationID, as claim: UUID
    ) async throws -> Claim? {
        guard matching.isOn, let facts,
            let token = try await likely(matching.traces(facts), of: app, for: installation)
        else { return nil }
        return try await self.claim(token, of: app, on: platform, for: installation, as: claim, .likely)
    }
}
