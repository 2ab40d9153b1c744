/// Statements, by their text, of which one waited for a lock in vain or did not end in time within the last second.
struct SuspectStatements {
    private var until: [String: Nanoseconds] = [:]
    private var latest: Nanoseconds = 0

    /// True where it was none before.
    mutating func insert(_ sql: String) -> Bool {
        latest = Clock.after(.seconds(1))
        return until.updateValue(latest, forKey: sql) == nil
    }

    /// Costs nothing while there are none.
    mutating func contains(_ request: Request) -> Bool {
        guard !until.isEmpty else { return false }
        let now = Clock.now()
        if now >= latest { until.removeAll() }
        return request.statements.contains { (until[$0.sql] ?? 0) > now }
    }
}
