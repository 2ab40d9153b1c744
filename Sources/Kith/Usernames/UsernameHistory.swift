import Foundation

/// The names a user had, oldest first, and what follows from them for the next change.
struct UsernameHistory: Sendable {
    var periods: [Period]
    /// The names the user may return to, because they are still kept for him.
    var held: Set<Username.Key>
    /// By the database's clock, which is the one that wrote the periods.
    var readAt: Date

    struct Period: Equatable, Sendable {
        var key: Username.Key
        var username: String
        var from: Date
        var to: Date?
        var severed: Bool
    }

    var current: Period? { periods.last }

    /// Seconds to wait before a change to `key` is possible; 0 where it is possible now.
    ///
    /// A name just chosen may be corrected once within the correction time; otherwise one change in a
    /// cool-down. Going back to a name that is still held is always free and counts as no change.
    func wait(toChangeTo key: Username.Key, policy: UsernamePolicy) -> Int {
        guard !held.contains(key) else { return 0 }
        var (chosen, corrected, lastChange) = (Date.distantPast, false, Date?.none)
        var had: Set<Username.Key> = []
        for period in periods {
            defer { had.insert(period.key) }
            if had.isEmpty {
                chosen = period.from
            } else if had.contains(period.key) {
                continue
            } else if !corrected, period.from <= chosen + policy.correction.seconds {
                corrected = true
            } else {
                (chosen, corrected, lastChange) = (period.from, false, period.from)
            }
        }
        guard let lastChange, corrected || readAt > chosen + policy.correction.seconds else { return 0 }
        return max(0, Int((lastChange + policy.cooldown.seconds).timeIntervalSince(readAt).rounded(.up)))
    }

    /// The names to give up so that no more than `limit` are held, once the current one is held too.
    func surplus(leavingFor key: Username.Key, limit: Int) -> [Username.Key] {
        var kept: [Username.Key] = []
        for period in periods.reversed()
        where period.key != key && !kept.contains(period.key)
            && (held.contains(period.key) || period.key == current?.key)
        {
            kept.append(period.key)
        }
        return Array(kept.dropFirst(limit))
    }
}

extension Duration {
    /// In seconds, for dates.
    var seconds: TimeInterval { TimeInterval(components.seconds) }
}
