import Counts

@testable import Events
@testable import Kith

extension TestApp {
    /// Counts all that waits for it, as a server does within a second.
    func count() async throws {
        try await EventStore(db: db).number()
        try await app.counting.countAll()
    }
}
