import Synchronization
import Web

/// The state of each key, in bounded memory.
///
/// A shard is a table of sets of eight slots; a key is in its set or nowhere. The table doubles as it fills,
/// up to the limit. Then the key in the set whose quota is full again soonest makes room. So a key at its
/// limit goes only after all keys of its set that have called less: a flood of keys that call a few times
/// each does not evict it.
package final class Buckets: Sendable {
    struct Slot {
        fileprivate var subject = RateLimitKey.Subject(high: 0, low: 0)
        /// When the quota is full again, in microseconds. `.min` if the slot is empty.
        var fullAt = Int64.min
        /// How many calls the other servers do not know of.
        var unshared: UInt32 = 0
        fileprivate var limit = RateLimit.landings

        fileprivate func isOf(_ key: RateLimitKey) -> Bool {
            fullAt != .min && subject == key.subject && limit == key.limit
        }

        /// Returns the slot's worth. The slot with the lowest worth is evicted first.
        fileprivate func worth(_ now: Int64) -> Int64 {
            if fullAt <= now { return .min }
            return limit == .sameCode ? .min + 1 : fullAt
        }
    }

    private struct Table {
        var slots = [Slot](repeating: Slot(), count: Buckets.initialSlots)
    }

    /// A table and its lock.
    private final class Shard: Sendable {
        let table = Mutex(Table())
    }

    private static let waysOfASet = 8
    private static let initialSlots = 64
    private let shards = (0..<64).map { _ in Shard() }
    private let mostSlots: Int

    /// - Parameter mostKeys: a power of two, at least 4,096. A key takes 32 bytes.
    package init(mostKeys: Int = 1 << 18) {
        mostSlots = max(mostKeys / 64, Self.initialSlots)
    }

    /// The current size of the tables in bytes.
    var size: Int {
        shards.reduce(0) { $0 + $1.table.withLock { $0.slots.count * MemoryLayout<Slot>.stride } }
    }

    /// Returns when the key's quota is full again. Nil if the key is unknown.
    func fullAt(_ key: RateLimitKey) -> Int64? {
        let hash = Self.hash(key)
        return shard(hash).table.withLock { table in
            Self.set(hash, table.slots.count).first { table.slots[$0].isOf(key) }.map {
                table.slots[$0].fullAt
            }
        }
    }

    /// Changes the state of a key. An unknown key begins with its whole quota.
    func update<R: Sendable>(_ key: RateLimitKey, now: Int64, _ body: (inout Slot) -> R) -> R {
        let hash = Self.hash(key)
        return shard(hash).table.withLock { table in
            let index = place(key, hash, now, &table.slots)
            return body(&table.slots[index])
        }
    }

    /// Finds the slot of a key, or gives it one.
    private func place(_ key: RateLimitKey, _ hash: UInt, _ now: Int64, _ slots: inout [Slot]) -> Int {
        let set = Self.set(hash, slots.count)
        var victim = set.lowerBound
        for index in set {
            if slots[index].isOf(key) { return index }
            if slots[index].worth(now) < slots[victim].worth(now) { victim = index }
        }
        if slots[victim].fullAt > now, slots.count < mostSlots {
            Self.grow(&slots)
            return place(key, hash, now, &slots)
        }
        slots[victim] = Slot(subject: key.subject, fullAt: now, limit: key.limit)
        return victim
    }

    /// Doubles the sets. The keys of one set spread over two, so each finds room.
    private static func grow(_ slots: inout [Slot]) {
        let old = slots
        slots = [Slot](repeating: Slot(), count: old.count * 2)
        for slot in old where slot.fullAt != .min {
            let hash = hash(RateLimitKey(limit: slot.limit, subject: slot.subject))
            if let free = set(hash, slots.count).first(where: { slots[$0].fullAt == .min }) {
                slots[free] = slot
            }
        }
    }

    /// Returns a hash with a new seed in each process, so that nobody can choose keys that share a set.
    private static func hash(_ key: RateLimitKey) -> UInt { UInt(bitPattern: key.hashValue) }

    private func shard(_ hash: UInt) -> Shard { shards[Int(hash >> 58)] }

    private static func set(_ hash: UInt, _ slots: Int) -> Range<Int> {
        let first = Int(hash & UInt(slots / waysOfASet - 1)) * waysOfASet
        return first..<(first + waysOfASet)
    }
}
