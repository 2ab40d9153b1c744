import Synchronization

/// Keeps recent values in two generations. When the young ones weigh half of the limit, they become the old
/// ones, and the former old ones are dropped.
package final class RecentCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Kept {
        var young: [Key: Value] = [:]
        var old: [Key: Value] = [:]
        var weight = 0
    }

    private let half: Int
    private let weight: @Sendable (Value) -> Int
    private let kept = Mutex(Kept())

    /// - Parameters:
    ///   - most: the limit for the weight of all values.
    ///   - weight: returns the weight of a value. Without it, `most` is a number of values.
    package init(most: Int, weight: @escaping @Sendable (Value) -> Int = { _ in 1 }) {
        (half, self.weight) = (most / 2, weight)
    }

    package subscript(_ key: Key) -> Value? { kept.withLock { $0.young[key] ?? $0.old[key] } }

    /// Returns the key's value, and makes it if there is none. If two callers ask at once, both may make it.
    package func value(at key: Key, _ make: () throws -> Value) rethrows -> Value {
        if let known = self[key] { return known }
        let value = try make()
        keep(value, at: key)
        return value
    }

    /// Replaces the key's value.
    package func keep(_ value: Value, at key: Key) {
        let weight = weight(value)
        kept.withLock { kept in
            if let former = kept.young[key] { kept.weight -= self.weight(former) }
            if kept.weight + weight > half { kept = Kept(old: kept.young) }
            kept.young[key] = value
            kept.weight += weight
        }
    }

    package func drop(_ key: Key) {
        kept.withLock { kept in
            if let young = kept.young.removeValue(forKey: key) { kept.weight -= weight(young) }
            kept.old[key] = nil
        }
    }
}
