import Kernel
package import Postgres

/// What a call changes in a profile. A nil value stays as it is, and `.some(nil)` is removed.
struct ProfileChange: Sendable {
    var displayName: String??
    var avatarUrl: String??
    var metadata: User.Metadata??
}

/// Changes profiles, a limited number of times a day.
package struct ProfileStore: Sendable {
    package var db: Database
    package var timesADay: Int

    package init(db: Database, timesADay: Int) {
        self.db = db
        self.timesADay = timesADay
    }

    /// Sets the given values at once. Setting the current profile is not a change. Throws a
    /// `DailyLimitError`, or `AccountError.inactive`.
    func set(_ change: ProfileChange, of id: User.ID) async throws {
        var values: [DailyChangeStore.Value] = []
        if let name = change.displayName { values.append(.init(column: "display_name", text: name)) }
        if let url = change.avatarUrl { values.append(.init(column: "avatar_url", text: url)) }
        if let metadata = change.metadata { values.append(.init(column: "metadata", text: metadata?.json)) }
        guard !values.isEmpty else { return }
        let store = DailyChangeStore(db: db, times: "profiles_at", limit: Int32(timesADay))
        try await store.set(values, of: id, then: [FriendStore.copy(id)])
    }
}
