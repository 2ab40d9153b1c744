import Foundation

/// What is known about a referral, for the rules. Unknown facts are nil or empty, and count against nobody.
struct ReferralFacts: Equatable, Sendable {
    var isSameUser = false
    /// What inviter and invitee have in common, except the address, which households and offices share.
    var sharedWithInviter: Set<RewardSignal.Kind> = []
    var hasUsedDevice = false
    /// How old the invitee's account elsewhere was when they signed up, in hours.
    var accountHours: Int?
    /// Which of mail and phone other accounts have too.
    var sharedWithOthers: Set<RewardSignal.Kind> = []
    /// How many invites lead from the invitee to the inviter. It is 1 if the invitee invited them. Nil if
    /// none were found, as far as was searched.
    var stepsBack: Int?
    /// How many joined by the inviter in the fullest hour that includes this sign-up. So the first of a crowd
    /// are judged like the last, once there was time to see it.
    var inHour = 1
    var inDay = 1
    /// How many users the invitee's address was reported for in the fullest day that includes this sign-up,
    /// including the invitee.
    var ofAddress = 0
    var secondsFromClick: Int?
    var hasDisposableMail = false
    /// How many other accounts have the invitee's device.
    var othersOfDevice = 0
}

extension ReferralFacts {
    /// Returns how many of the times are in the fullest window of this many seconds that includes a time.
    static func most(of times: [Date], around time: Date, within seconds: TimeInterval) -> Int {
        let near = times.filter { abs($0.timeIntervalSince(time)) < seconds }.sorted()
        var (most, first) = (0, 0)
        for (last, end) in near.enumerated() where end >= time {
            while end.timeIntervalSince(near[first]) >= seconds { first += 1 }
            most = max(most, last - first + 1)
        }
        return most
    }

    /// Returns what a rule found, for people. Nil if it does not apply.
    func finding(_ rule: FraudRule, _ threshold: Int) -> String? {
        switch rule {
        case .selfReferral:
            if isSameUser { return "the same user" }
            let shared = sharedWithInviter.subtracting([.address]).map(\.rawValue).sorted()
            return shared.isEmpty ? nil : "the same \(shared.joined(separator: ", "))"
        case .deviceCheck: return hasUsedDevice ? "DeviceCheck says used" : nil
        case .notNew: return accountHours.flatMap { $0 >= threshold ? "\($0) hours old" : nil }
        case .alreadyKnown:
            let shared = sharedWithOthers.map(\.rawValue).sorted()
            return shared.isEmpty ? nil : "another account has the \(shared.joined(separator: ", "))"
        case .ring: return stepsBack == 1 ? "the invitee invited the inviter" : nil
        case .cycle: return stepsBack == 2 ? "a circle of three" : nil
        case .velocityHour: return inHour > threshold ? "\(inHour) in an hour" : nil
        case .velocityDay: return inDay > threshold ? "\(inDay) in a day" : nil
        case .address: return ofAddress > threshold ? "\(ofAddress) in a day" : nil
        case .haste: return secondsFromClick.flatMap { $0 < threshold ? "\($0) seconds" : nil }
        case .disposableMail: return hasDisposableMail ? "a disposable mail address" : nil
        case .deviceReuse, .deviceFarm:
            return othersOfDevice >= max(1, threshold) ? "\(othersOfDevice) other accounts" : nil
        }
    }
}
