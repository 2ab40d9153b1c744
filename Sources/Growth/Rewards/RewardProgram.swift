import Foundation

/// A program that rewards invites, as the file of `kith apply` has it.
package struct RewardProgram: Equatable, Sendable {
    var key: String
    /// Sign-ups from then on count, before `until`.
    var from: Date?
    var until: Date?
    var qualification: Qualification
    /// How many days after the sign-up an invitee may qualify.
    var within = 30
    var gifts: [Reward.Side: Gift]
    /// Between qualifying and giving, in days.
    var holdDays: Int
    /// How many rewards an inviter gets ever.
    var perInviter = 32
    /// How many rewards of each side are given on a day in UTC; nil: any number.
    var perDay: Int?
    var rules = FraudRules()

    /// What an invitee must do.
    enum Qualification: Equatable, Sendable {
        case signedUp
        /// So many acts of a name that the backend tells.
        case actions(String, times: Int)
        /// Acts of any name on so many days in UTC.
        case days(Int)
        /// A purchase of one of the products; none: of any.
        case purchase([String], OfferCampaign.Environment)
    }

    /// What a side gets.
    struct Gift: Equatable, Sendable {
        var kind: Reward.Kind
        /// As `Reward.unit`.
        var unit: String
        var amount = 1
        /// The most that may be given ever, in the unit; nil: any.
        var budget: Int?
    }

    /// For value, the days in which most refunds come; nothing to wait for if only the backend is told.
    static func usualHold(_ gifts: some Collection<Gift>) -> Int {
        gifts.contains { $0.kind != .event } ? 7 : 0
    }

    func holds(at signUp: Date) -> Bool {
        signUp >= from ?? .distantPast && signUp < until ?? .distantFuture
    }
}
