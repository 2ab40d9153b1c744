import Web

/// What a page can do without, read at the same time.
extension PageRequest {
    /// How long a page waits for what it can do without.
    private static let patience = Duration.seconds(3)

    /// Makes several things. One that fails, or takes too long, is nil.
    func together<Value: Sendable>(_ makers: [@Sendable () async throws -> Value]) async -> [Value?] {
        await withTaskGroup(of: (Int, Value?).self) { group in
            for (place, make) in makers.enumerated() {
                group.addTask {
                    (
                        place,
                        try? await BoundedWait.wait(for: Task { try await make() }, within: Self.patience)
                    )
                }
            }
            var made = [Value?](repeating: nil, count: makers.count)
            for await (place, value) in group { made[place] = value }
            return made
        }
    }
}
