import Postgres

/// Changes display names, a limited number of times a day.
struct DisplayNameStore: Sendable {
    var db: Database
    var timesADay: Int

    /// Sets the display name; the current one is no change. Throws a `DailyLimitError`, or `AccountError.inactive`.
    func set(_ name: String?, of id: User.ID) async throws {
        let change = DailyChangeStore(
            db: db, column: "display_name", times: "display_names_at", limit: Int32(timesADay))
        try await change.set(name, of: id, then: [FriendStore.copy(id)])
    }
}
