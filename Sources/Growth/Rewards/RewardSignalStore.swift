import Foundation
import Kernel
package import Postgres
import Web

/// Every statement on `reward_signals`, except those of `RewardStore+UserData.swift`, and the other facts
/// that rules use.
package struct RewardSignalStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Stores signals. Of addresses, times and yes-or-no signals the last counts. Mails, phones and devices
    /// each stay for their 90 days, so that a new one does not wash off an old one. Throws
    /// `AccountError.inactive`.
    /// - Parameter withdrawn: the kinds that no longer hold.
    func put(_ signals: [RewardSignal], without withdrawn: [RewardSignal.Kind], of user: User.ID) async throws
    {
        try await db.write.with(key: user).batch(
            [
                UserStore.lockActive(user, else: AccountError.inactive),
                "DELETE FROM reward_signals WHERE user_id = \(user) AND kind = ANY(\(withdrawn.map(\.rawValue)))",
            ]
                + signals.map { signal in
                    """
                    INSERT INTO reward_signals (user_id, kind, mark, time)
                    VALUES (\(user), \(signal.kind.rawValue), \(signal.mark ?? .zero), \(signal.time))
                    ON CONFLICT (user_id, kind, mark) DO UPDATE SET time = excluded.time, told_at = excluded.told_at
                    """
                }
                + signals.filter { $0.kind == .address }.map { signal in
                    """
                    DELETE FROM reward_signals WHERE user_id = \(user) AND kind = 'address' AND mark <> \(signal.mark)
                    """
                }, throwing: AccountError.self)
    }

    func forgetOld() async throws {
        try await db.write.run(
            "DELETE FROM reward_signals WHERE told_at < now() - \(RewardSignal.days) * interval '1 day'")
    }

    /// Returns everything that is known by now.
    func facts(of referral: Referral) async throws -> ReferralFacts {
        var facts = ReferralFacts()
        async let mine = signals(of: referral.invitee)
        async let inviters = signals(of: referral.inviter)
        async let joined = joined(by: referral.inviter, around: referral.signedUpAt)
        async let steps = stepsBack(of: referral)
        async let tap = tappedAt(of: referral)
        let (own, theirs) = try await (mine, inviters)
        let marks = own.mapValues { Set($0.compactMap(\.mark)) }
        let others = try await sharing(
            marks.values.flatMap(\.self), except: [referral.invitee, referral.inviter])
        facts.isSameUser = referral.invitee == referral.inviter
        facts.sharedWithInviter = Set(
            marks.filter { kind, marks in
                kind != .address && theirs[kind]?.contains { $0.mark.map(marks.contains) == true } == true
            }.keys)
        facts.hasUsedDevice = own[.deviceCheck] != nil
        facts.accountHours = own[.accountCreated]?.first?.time.map {
            Int(referral.signedUpAt.timeIntervalSince($0) / 3600)
        }
        facts.sharedWithOthers = Set([.email, .phone].filter { others[$0] ?? 0 > 0 })
        facts.hasDisposableMail = own[.disposable] != nil
        facts.othersOfDevice = others[.device] ?? 0
        if let address = own[.address]?.first, let mark = address.mark {
            let time = address.toldAt ?? referral.signedUpAt
            facts.ofAddress = ReferralFacts.most(
                of: try await told(mark, around: time), around: time, within: 86_400)
        }
        let click = try await [own[.clicked]?.first?.time, tap].compactMap(\.self).max()
        facts.secondsFromClick = click.map { Int(referral.signedUpAt.timeIntervalSince($0)) }
        let times = try await joined
        facts.inHour = ReferralFacts.most(of: times, around: referral.signedUpAt, within: 3600)
        facts.inDay = ReferralFacts.most(of: times, around: referral.signedUpAt, within: 86_400)
        facts.stepsBack = try await steps
        return facts
    }

    private func signals(of user: User.ID) async throws -> [RewardSignal.Kind: [RewardSignal]] {
        let found = try await reads.query(
            "SELECT kind, nullif(mark, \(UUID.zero)), time, told_at FROM reward_signals WHERE user_id = \(user)"
        ) {
            row in
            let kind: String = try row.next()
            return try RewardSignal(
                kind: .init(rawValue: kind) ?? .clicked, mark: row.next(), time: row.next(),
                toldAt: row.next())
        }
        return Dictionary(grouping: found, by: \.kind)
    }

    /// Returns how many others have one of the marks, by its kind. If there are several marks of a kind, it
    /// is the one that most have.
    private func sharing(_ marks: [UUID], except users: [User.ID]) async throws -> [RewardSignal.Kind: Int] {
        if marks.isEmpty { return [:] }
        let rows = try await reads.query(
            """
            SELECT kind, count(*) FROM reward_signals
            WHERE mark = ANY(\(marks)) AND \(Self.isMark) AND kind IN ('email', 'phone', 'device') AND NOT user_id = ANY(\(users.map(\.uuid)))
            GROUP BY kind, mark
            """
        ) { row in (try row.next(as: String.self), Int(try row.next(as: Int64.self))) }
        return Dictionary(
            rows.compactMap { name, count in RewardSignal.Kind(rawValue: name).map { ($0, count) } },
            uniquingKeysWith: max)
    }

    /// Returns when an address was reported, within a day of a time.
    private func told(_ address: UUID, around time: Date) async throws -> [Date] {
        try await reads.query(
            """
            SELECT told_at FROM reward_signals
            WHERE mark = \(address) AND \(Self.isMark) AND kind = 'address' AND told_at > \(time - 86_400) AND told_at < \(time + 86_400) LIMIT 1000
            """
        ) { try $0.next() }
    }

    /// Returns when users joined by the inviter, within a day of a time.
    private func joined(by inviter: User.ID, around time: Date) async throws -> [Date] {
        try await reads.query(
            """
            SELECT accepted_at FROM acceptances
            WHERE inviter_id = \(inviter) AND accepted_at > \(time - 86_400) AND accepted_at < \(time + 86_400) LIMIT 1000
            """
        ) { try $0.next() }
    }

    /// Returns how many steps lead back to the invitee. In a circle of invites only the last user counts as
    /// coming back. At the same instant it is the one with the greatest id.
    private func stepsBack(of referral: Referral) async throws -> Int? {
        guard let above = try await origin(of: referral.inviter),
            (above.at, referral.inviter) < (referral.signedUpAt, referral.invitee)
        else { return nil }
        if above.inviter == referral.invitee { return 1 }
        guard let next = try await origin(of: above.inviter),
            (next.at, above.inviter) < (referral.signedUpAt, referral.invitee)
        else { return nil }
        return next.inviter == referral.invitee ? 2 : nil
    }

    private func origin(of user: User.ID) async throws -> (inviter: User.ID, at: Date)? {
        try await reads.first("SELECT inviter_id, accepted_at FROM acceptances WHERE invitee_id = \(user)") {
            row in
            (try User.ID(row.next()), try row.next())
        }
    }

    /// Returns when the invitee went through a store. Nil if they did not.
    private func tappedAt(of referral: Referral) async throws -> Date? {
        try await reads.first(
            """
            SELECT max(tapped_at) FROM installs WHERE inviter_id = \(referral.inviter) AND invitee_id = \(referral.invitee)
            """
        ) { try $0.next(as: Date?.self) } ?? nil
    }

    /// The condition of the index of marks. Without it a plan for any mark could not use that index.
    private static let isMark: Statement = "mark <> '00000000-0000-0000-0000-000000000000'"

    private var reads: Lane { db.lists.ofPrimary }
}
