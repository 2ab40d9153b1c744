import Foundation
import Hummingbird
import Kernel

/// A reward as its user sees it. One that a rule flagged looks pending to them.
struct RewardResponse: ResponseEncodable {
    let id: String
    let program: String
    let side: Reward.Side
    let kind: Reward.Kind
    /// The unit. For an offer it is the campaign.
    let unit: String
    let amount: Int
    let state: Reward.State
    let createdAt: Date
    let approvedAt: Date?

    init(_ reward: Reward) {
        id = reward.id.uuidString.lowercased()
        (program, side, kind, unit, amount) = (
            reward.program, reward.side, reward.kind, reward.unit, reward.amount
        )
        state = reward.state == .flagged ? .pending : reward.state
        (createdAt, approvedAt) = (reward.createdAt, reward.approvedAt)
    }
}

/// A page of rewards, and what the user has now.
package struct RewardsResponse: ResponseEncodable {
    let rewards: [RewardResponse]
    let balances: [Balance]
    let next: String?

    struct Balance: Encodable {
        let unit: String
        let amount: Int
    }
}

/// A reward as operators see it.
package struct RewardRecordResponse: ResponseEncodable {
    let id: String
    let program: String
    let side: Reward.Side
    /// The user. Nil if nobody knows them any more. The same holds for the next.
    let uid: String?
    let otherUid: String?
    let kind: Reward.Kind
    let unit: String
    let amount: Int
    let state: Reward.State
    let cause: Reward.Cause?
    let reasons: [FraudRules.Reason]
    let createdAt: Date
    let dueAt: Date
    let approvedAt: Date?
    let changedAt: Date
    /// The ledger's entries. Nil in lists.
    let postings: [RewardStore.Posting]?

    init(_ reward: Reward, _ uids: [User.ID: User.UID], _ postings: [RewardStore.Posting]? = nil) {
        id = reward.id.uuidString.lowercased()
        (program, side, kind, unit, amount) = (
            reward.program, reward.side, reward.kind, reward.unit, reward.amount
        )
        (uid, otherUid) = (uids[reward.user]?.text, uids[reward.other]?.text)
        (state, cause, reasons) = (reward.state, reward.cause, reward.reasons)
        (createdAt, dueAt) = (reward.createdAt, reward.dueAt)
        (approvedAt, changedAt) = (reward.approvedAt, reward.changedAt)
        self.postings = postings
    }
}

package struct RewardRecordsResponse: ResponseEncodable {
    let rewards: [RewardRecordResponse]
    let next: String?
}

/// The programs that are applied, with all their defaults.
package struct RewardProgramsResponse: ResponseEncodable {
    let version: Int64
    let programs: [RewardProgramResponse]
}

struct RewardProgramResponse: Encodable {
    let program: String
    let from: Date?
    let until: Date?
    let qualify: Qualification
    /// How many days an invitee has to qualify. The next is in days too.
    let within: Int
    let hold: Int
    let inviter: RewardProgram.Gift?
    let invitee: RewardProgram.Gift?
    let perInviter: Int
    let perDay: Int?
    let fraud: [String: FraudRule.Setting]

    struct Qualification: Encodable {
        let kind: String
        var action: String?
        var times: Int?
        var days: Int?
        var products: [String]?
        var environment: OfferCampaign.Environment?

        init(_ qualification: RewardProgram.Qualification) {
            switch qualification {
            case .signedUp: kind = "signed_up"
            case .actions(let name, let count): (kind, action, times) = ("actions", name, count)
            case .days(let count): (kind, days) = ("days", count)
            case .purchase(let ids, let place): (kind, products, environment) = ("purchase", ids, place)
            }
        }
    }

    init(_ program: RewardProgram) {
        (self.program, from, until) = (program.key, program.from, program.until)
        qualify = Qualification(program.qualification)
        (within, hold) = (program.within, program.holdDays)
        (inviter, invitee) = (program.gifts[.inviter], program.gifts[.invitee])
        (perInviter, perDay) = (program.perInviter, program.perDay)
        fraud = Dictionary(uniqueKeysWithValues: program.rules.settings.map { ($0.key.rawValue, $0.value) })
    }
}

/// The results of a program.
package struct RewardReportResponse: ResponseEncodable {
    let program: String
    let referrals: Referrals
    /// The counts by side and state, which together are all rewards.
    let rewards: [RewardStore.Count]
    /// The ledger: for each unit, what went from which account to which.
    let ledger: [RewardStore.Sum]
    /// What was spent before it was taken back.
    let losses: [Loss]

    struct Referrals: Encodable {
        let all: Int
        let qualified: Int
        /// Referrals that did not qualify in time.
        let ended: Int
    }

    struct Loss: Encodable {
        let unit: String
        let amount: Int
    }

    init(
        _ program: String, _ referrals: (all: Int, qualified: Int, ended: Int), _ counts: [RewardStore.Count],
        _ sums: [RewardStore.Sum]
    ) {
        self.program = program
        self.referrals = Referrals(all: referrals.all, qualified: referrals.qualified, ended: referrals.ended)
        (rewards, ledger) = (counts, sums)
        let lost = sums.reduce(into: [String: Int]()) { lost, sum in
            if sum.debit == "loss" { lost[sum.unit, default: 0] += sum.amount }
            if sum.credit == "loss" { lost[sum.unit, default: 0] -= sum.amount }
        }
        losses = lost.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map {
            Loss(unit: $0.key, amount: $0.value)
        }
    }
}

/// What is left after a spend.
package struct SpendResponse: ResponseEncodable {
    let uid: String
    let unit: String
    let amount: Int
    let balance: Int
}
