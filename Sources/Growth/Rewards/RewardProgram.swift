import Foundation

/// A program that rewards invites, as the file of `kith apply` has it.
package struct RewardProgram: Equatable, Sendable {
    var key: String
    /// When the program begins and ends. Sign-ups count from `from` on, and before `until`.
    var from: Date?
    var until: Date?
    var qualification: Qualification
    /// How many days after the sign-up an invitee may qualify.
    var within = 30
    var gifts: [Reward.Side: Gift]
    /// How many days pass between qualifying and giving.
    var holdDays: Int
    /// How many rewards an inviter may ever get.
    var perInviter = 32
    /// How many rewards of each side are given on a day in UTC. Nil if there is no limit.
    var perDay: Int?
    var rules = FraudRules()

    /// What an invitee must do.
    enum Qualification: Equatable, Sendable {
        case signedUp
        /// A number of actions with a name, as the backend reports them.
        case actions(String, times: Int)
        /// Actions of any name on this many days in UTC.
        case days(Int)
        /// A purchase of one of the products. If there are none, of any product.
        case purchase([String], OfferCampaign.Environment)
    }

    /// What a side gets.
    struct Gift: Encodable, Equatable, Sendable {
        var kind: Reward.Kind
        /// The unit, as in `Reward.unit`.
        var unit: String
        var amount = 1
        /// The most that may ever be given, in the unit. Nil if there is no limit.
        var budget: Int?
    }

    /// Returns the usual hold. For gifts of value it is the days in which most refunds come. It is 0 if only
    /// the backend is told.
    static func usualHold(_ gifts: some Collection<Gift>) -> Int {
        gifts.contains { $0.kind != .event } ? 7 : 0
    }

    func holds(at signUp: Date) -> Bool {
        signUp >= from ?? .distantPast && signUp < until ?? .distantFuture
    }
}
