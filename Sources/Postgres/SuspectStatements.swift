/// The texts of statements that, within the last second, waited for a lock in vain or did not end in time.
struct SuspectStatements {
    private var until: [String: Nanoseconds] = [:]
    private var latest: Nanoseconds = 0

    /// Adds a text. True if it was not a suspect before.
    mutating func insert(_ sql: String) -> Bool {
        latest = Clock.after(.seconds(1))
        return until.updateValue(latest, forKey: sql) == nil
    }

    /// Whether one of the request's statements is a suspect. The call costs nothing while there are none.
    mutating func contains(_ request: Request) -> Bool {
        guard !until.isEmpty else { return false }
        let now = Clock.now()
        if now >= latest { until.removeAll() }
        return request.statements.contains { (until[$0.sql] ?? 0) > now }
    }
}
