/// A rule that tells an honest referral from a dishonest one.
enum FraudRule: String, Codable, CaseIterable, Sendable {
    /// Inviter and invitee have the same mail, phone, device or account of the App Store, or are the same
    /// user.
    case selfReferral
    /// The device has used the promotion before, by Apple's DeviceCheck.
    case deviceCheck
    /// The invitee's account elsewhere was older than this many hours.
    case notNew
    /// Another account has the invitee's mail or phone.
    case alreadyKnown
    /// The invitee invited the inviter before.
    case ring
    /// The invitee invited somebody who invited the inviter.
    case cycle
    /// More than this many users joined by the inviter within an hour.
    case velocityHour
    /// More than this many users joined by the inviter within a day.
    case velocityDay
    /// More than this many users joined from one address within a day.
    case address
    /// Less than this many seconds passed from the click to the sign-up.
    case haste
    case disposableMail
    /// At least this many other accounts have the invitee's device.
    case deviceReuse
    case deviceFarm

    enum Verdict: String, Codable, CaseIterable, Comparable, Sendable {
        case allow, flag, block

        private var harshness: Int {
            switch self {
            case .allow: 0
            case .flag: 1
            case .block: 2
            }
        }

        static func < (left: Self, right: Self) -> Bool { left.harshness < right.harshness }
    }

    struct Setting: Equatable, Codable, Sendable {
        var verdict: Verdict
        /// The threshold. Nil if the rule has none.
        var threshold: Int?
    }

    var usual: Setting {
        switch self {
        case .selfReferral, .deviceCheck, .alreadyKnown, .ring: Setting(verdict: .block)
        case .notNew: Setting(verdict: .block, threshold: 24)
        case .cycle, .disposableMail: Setting(verdict: .flag)
        case .velocityHour: Setting(verdict: .flag, threshold: 5)
        case .velocityDay: Setting(verdict: .flag, threshold: 20)
        case .address, .haste: Setting(verdict: .flag, threshold: 3)
        case .deviceReuse: Setting(verdict: .flag, threshold: 1)
        case .deviceFarm: Setting(verdict: .block, threshold: 2)
        }
    }
}

/// The rules of a program, and their verdict on a referral.
struct FraudRules: Equatable, Sendable {
    var settings: [FraudRule: FraudRule.Setting]

    init(_ changed: [FraudRule: FraudRule.Setting] = [:]) {
        settings = Dictionary(uniqueKeysWithValues: FraudRule.allCases.map { ($0, changed[$0] ?? $0.usual) })
    }

    /// A rule that applied.
    struct Reason: Equatable, Codable, Sendable {
        var rule: FraudRule
        /// What the rule found, for people.
        var fact: String
        var threshold: Int?
        var verdict: FraudRule.Verdict
    }

    /// Returns the harshest of all verdicts, and why.
    func verdict(on facts: ReferralFacts) -> (verdict: FraudRule.Verdict, reasons: [Reason]) {
        let reasons = FraudRule.allCases.compactMap { rule -> Reason? in
            let setting = settings[rule] ?? rule.usual
            guard setting.verdict > .allow, let fact = facts.finding(rule, setting.threshold ?? 0) else {
                return nil
            }
            return Reason(rule: rule, fact: fact, threshold: setting.threshold, verdict: setting.verdict)
        }
        return (reasons.map(\.verdict).max() ?? .allow, reasons)
    }
}
