import Postgres

/// Changes display names, so many times a day.
struct DisplayNameStore: Sendable {
    var db: Database
    var timesADay: Int

    /// The name they have already is no change. Throws a `DailyLimitError`, or `AccountError.inactive`.
    func set(_ name: String?, of id: User.ID) async throws {
        let change = DailyChangeStore(
            db: db, column: "display_name", times: "display_names_at", limit: Int32(timesADay))
        try await change.set(name, of: id, then: [FriendStore.copyNames(of: id)])
    }
}
