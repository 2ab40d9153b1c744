import Foundation
import Kernel

/// The names that a user has had, oldest first, and the rules for the next change that follow from them.
package struct UsernameHistory: Sendable {
    package var periods: [Period]
    /// The names that are held for the user, who may return to them.
    var held: Set<Username.Key>
    /// When it was read, by the database's clock, which also wrote the periods.
    var readAt: Date

    package struct Period: Encodable, Equatable, Sendable {
        var key: Username.Key
        var username: String
        var from: Date
        var to: Date?
        var severed: Bool

        private enum CodingKeys: CodingKey { case username, from, to, severed }
    }

    var current: Period? { periods.last }

    /// Returns in how many seconds a change to `key` is possible. It is 0 if it is possible now.
    ///
    /// A new name may be corrected once within the correction time. Otherwise one change is allowed per
    /// cool-down. Returning to a held name does not count as a change, but has a daily limit.
    func wait(toChangeTo key: Username.Key, policy: UsernamePolicy) -> Int {
        let forCoolDown = held.contains(key) ? 0 : waitForCoolDown(policy)
        return max(forCoolDown, periods.contains { $0.key == key } ? waitToReturn(policy) : 0)
    }

    private func waitForCoolDown(_ policy: UsernamePolicy) -> Int {
        nextChange(policy).availableAt.map(seconds(until:)) ?? 0
    }

    /// Returns when another name can be chosen, nil if now, and how often the current one may be corrected.
    func nextChange(_ policy: UsernamePolicy) -> (availableAt: Date?, correctionsLeft: Int) {
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
        let correctionsLeft = corrected || readAt > chosen + policy.correction.seconds ? 0 : 1
        guard let lastChange, correctionsLeft == 0 else { return (nil, correctionsLeft) }
        let end = lastChange + policy.cooldown.seconds
        return (end > readAt ? end : nil, correctionsLeft)
    }

    /// Returns the wait for the daily limit of returns. That limit makes the number of periods grow with
    /// time, not with calls.
    private func waitToReturn(_ policy: UsernamePolicy) -> Int {
        var had: Set<Username.Key> = []
        let returns = periods.filter { !had.insert($0.key).inserted }.suffix(policy.returnsPerDay)
        guard returns.count == policy.returnsPerDay, let first = returns.first else { return 0 }
        return seconds(until: first.from + 86_400)
    }

    private func seconds(until date: Date) -> Int {
        max(0, Int(date.timeIntervalSince(readAt).rounded(.up)))
    }

    /// Returns the names to release so that at most `limit` are held once the current one is held too.
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
    /// The duration in seconds, for dates.
    var seconds: TimeInterval { TimeInterval(components.seconds) }
}
