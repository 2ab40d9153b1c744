import Testing

/// Polls the condition, at growing intervals; the test fails if it does not hold within two minutes.
public func waitUntil(_ what: String = "it", _ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(120)
    var pause = 1
    while try await !condition() {
        try #require(ContinuousClock.now < end, "\(what): not within two minutes")
        try await Task.sleep(for: .milliseconds(pause))
        pause = min(50, 2 * pause)
    }
}
