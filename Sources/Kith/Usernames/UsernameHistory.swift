import Foundation

/// The names a user had, oldest first, and what follows from them for the next change.
struct UsernameHistory: Sendable {
    var periods: [Period]
    /// The names the user may return to, because they are still kept for them.
    var held: Set<Username.Key>
    /// By the database's clock, which is the one that wrote the periods.
    var readAt: Date

    struct Period: Encodable, Equatable, Sendable {
        var key: Username.Key
        var username: String
        var from: Date
        var to: Date?
        var severed: Bool

        private enum CodingKeys: CodingKey { case username, from, to, severed }
    }

    var current: Period? { periods.last }

    /// Seconds to wait before a change to `key` is possible; 0 where it is possible now.
    ///
    /// A name just chosen may be corrected once within the correction time; otherwise one change in a
    /// cool-down. Going back to a name that is still held counts as no change, and is possible so often a day.
    func wait(toChangeTo key: Username.Key, policy: UsernamePolicy) -> Int {
        let forCoolDown = held.contains(key) ? 0 : waitForCoolDown(policy)
        return max(forCoolDown, periods.contains { $0.key == key } ? waitToReturn(policy) : 0)
    }

    private func waitForCoolDown(_ policy: UsernamePolicy) -> Int {
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
        return seconds(until: lastChange + policy.cooldown.seconds)
    }

    /// So that the number of periods grows by time, not by calls.
    private func waitToReturn(_ policy: UsernamePolicy) -> Int {
        var had: Set<Username.Key> = []
        let returns = periods.filter { !had.insert($0.key).inserted }.suffix(policy.returnsPerDay)
        guard returns.count == policy.returnsPerDay, let first = returns.first else { return 0 }
        return seconds(until: first.from + 86_400)
    }

    private func seconds(until date: Date) -> Int {
        max(0, Int(date.timeIntervalSince(readAt).rounded(.up)))
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
