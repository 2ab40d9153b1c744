import Postgres
import Testing

@testable import Kith
@testable import Operations

extension TestApp {
    /// Expects that every invariant holds.
    func verify(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let report = try await VerifyStore(db: db, checks: App.checks).verify()
        #expect(report.breaches.isEmpty, "\(report)", sourceLocation: sourceLocation)
    }
}
