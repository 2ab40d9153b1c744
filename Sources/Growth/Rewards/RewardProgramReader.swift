import Foundation
import Kernel
import Rollout

/// Reads a program from the texts of its fields.
struct RewardProgramReader {
    private let key: String
    var fields: FieldReader

    static let names: Set<String> = Set(
        [
            "from", "until", "qualify", "qualify.actions.name", "qualify.actions.times", "qualify.days",
            "qualify.purchase.products", "qualify.purchase.environment", "within", "hold", "caps.perInviter",
            "caps.perDay",
        ]
            + ["inviter", "invitee"].flatMap { side in
                [side] + ["offer", "credit.amount", "credit.unit", "budget"].map { "\(side).\($0)" }
            }
            + FraudRule.allCases.flatMap {
                ["fraud.\($0.rawValue).verdict", "fraud.\($0.rawValue).threshold"]
            })
    private static let most = 1_000_000_000

    init(_ key: String, _ fields: [String: String]) {
        self.key = key
        self.fields = FieldReader(fields, place: "rewards.\(key)")
    }

    /// Reads the program. Nil if there is a mistake.
    mutating func program() -> RewardProgram? {
        fields.requireKey(key)
        fields.refuseUnknown(Self.names)
        var gifts: [Reward.Side: RewardProgram.Gift] = [:]
        for side in Reward.Side.allCases { gifts[side] = gift(side.rawValue) }
        if gifts.isEmpty, fields.mistakes.isEmpty {
            fields.refuse(nil, "gives nothing to the inviter or the invitee")
        }
        var program = RewardProgram(
            key: key, qualification: qualification() ?? .signedUp, gifts: gifts,
            holdDays: fields.number("hold", 0...90) ?? RewardProgram.usualHold(gifts.values))
        (program.from, program.until) = (fields.time("from"), fields.time("until"))
        if let from = program.from, let until = program.until, from >= until {
            fields.refuse("until", "must be after from")
        }
        program.within = fields.number("within", 1...365) ?? program.within
        program.perInviter = fields.number("caps.perInviter", 1...Self.most) ?? program.perInviter
        program.perDay = fields.number("caps.perDay", 1...Self.most)
        program.rules = rules()
        return fields.mistakes.isEmpty ? program : nil
    }

    private mutating func qualification() -> RewardProgram.Qualification? {
        let parts = fields.fields.keys.map { $0.split(separator: ".") }.filter { $0.first == "qualify" }
        let kinds = Set(parts.map { $0.dropFirst().first ?? "" })
        guard kinds.count == 1, let kind = kinds.first else {
            fields.refuse(
                "qualify", "must be signed_up, purchase, or one of the tables actions and purchase, or days")
            return nil
        }
        switch kind {
        case "actions":
            fields.require("qualify.actions.name")
            let name = fields.read(
                "qualify.actions.name", "1 to 64 of letters, digits, dots, - and _"
            ) {
                RewardActionRequest.isName($0) ? $0 : nil
            }
            return .actions(name ?? "", times: fields.number("qualify.actions.times", 1...1000) ?? 1)
        case "days": return .days(fields.number("qualify.days", 1...365) ?? 1)
        case "purchase": return purchase()
        default:
            let named = fields.read("qualify", "signed_up or purchase") {
                ["signed_up", "purchase"].contains($0) ? $0 : nil
            }
            return named == "purchase" ? .purchase([], .production) : .signedUp
        }
    }

    private mutating func purchase() -> RewardProgram.Qualification {
        let products = fields.list("qualify.purchase.products", "the id of a product") {
            (1...255).contains($0.utf8.count) ? $0 : nil
        }
        let environment = fields.read("qualify.purchase.environment", "production or sandbox") {
            OfferCampaign.Environment(rawValue: $0)
        }
        return .purchase(products, environment ?? .production)
    }

    /// Reads a side's gift. Nil if the side gets nothing, or there is a mistake.
    private mutating func gift(_ side: String) -> RewardProgram.Gift? {
        let parts = fields.fields.keys.map { $0.split(separator: ".") }.filter { $0.first == side[...] }
        let kinds = Set(parts.map { $0.dropFirst().first ?? "" }).subtracting(["budget"])
        guard kinds.count == 1, let kind = kinds.first else {
            if !parts.isEmpty { fields.refuse(side, "must be event, or have one of offer and credit") }
            return nil
        }
        let budget = fields.number("\(side).budget", 0...Self.most)
        switch kind {
        case "":
            _ = fields.read(side, "event, or a table with offer or credit") { $0 == "event" ? $0 : nil }
            return .init(kind: .event, unit: key, budget: budget)
        case "offer":
            let campaign = fields.read("\(side).offer", "the key of a campaign of offer codes") {
                OfferCampaign.Key($0)?.text
            }
            return .init(kind: .offer, unit: campaign ?? "", budget: budget)
        default:
            fields.require("\(side).credit.amount", "\(side).credit.unit")
            let unit = fields.read("\(side).credit.unit", EntryKey.form) { EntryKey.isOne($0) ? $0 : nil }
            let amount = fields.number("\(side).credit.amount", 1...Self.most)
            if let budget, let amount, (1..<amount).contains(budget) {
                fields.refuse(
                    "\(side).budget", "is less than one reward: it counts \(unit ?? "the unit"), not rewards")
            }
            return .init(kind: .credit, unit: unit ?? "", amount: amount ?? 1, budget: budget)
        }
    }

    private mutating func rules() -> FraudRules {
        var changed: [FraudRule: FraudRule.Setting] = [:]
        for rule in FraudRule.allCases {
            let place = "fraud.\(rule.rawValue)"
            var setting = rule.usual
            let verdict = fields.read("\(place).verdict", "allow, flag or block") {
                FraudRule.Verdict(rawValue: $0)
            }
            setting.verdict = verdict ?? setting.verdict
            if setting.threshold == nil, fields.fields["\(place).threshold"] != nil {
                fields.refuse("\(place).threshold", "is not for this rule")
            } else {
                setting.threshold = fields.number("\(place).threshold", 1...Self.most) ?? setting.threshold
            }
            if rule == .address, setting.verdict == .block {
                fields.refuse("\(place).verdict", "may not be block: offices and families share an address")
            }
            changed[rule] = setting
        }
        return FraudRules(changed)
    }
}
