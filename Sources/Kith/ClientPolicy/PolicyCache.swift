import Synchronization

/// The applied policies, in memory: a call evaluates them without a query.
final class PolicyCache: Sendable {
    struct Known: Sendable {
        var rules = PolicyRules()
        /// How often they changed.
        var version: Int64 = 0
    }

    private let store: AppliedStore
    private let known = Mutex<Known?>(nil)

    init(store: AppliedStore) {
        self.store = store
    }

    /// What was read last; reads it first if nothing was yet.
    func current() async throws -> Known {
        if let known = known.withLock({ $0 }) { return known }
        try await follow()
        return known.withLock { $0 } ?? Known()
    }

    /// Reads what is applied by now. Throws if it cannot be read, and keeps what was before.
    func follow() async throws {
        let before = known.withLock { $0 }
        let found: AppliedStore.Applied<AppliedPolicies>?
        do {
            found = try await store.read(AppliedPolicies.self, except: before?.version ?? 0)
        } catch let error as DecodingError {
            throw PolicyError.unreadable(["\(error)"])
        }
        guard let applied = found else { return known.withLock { $0 = before ?? Known() } }
        let (rules, mistakes) = applied.content.read()
        guard mistakes.isEmpty else { throw PolicyError.unreadable(mistakes) }
        known.withLock { $0 = Known(rules: rules, version: applied.version) }
    }
}
