import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting

/// What operators' decisions make of rewards.
@Suite(.inTurns) struct RewardDecisionTests {
    private static let acts = ["approve", "reject", "claw_back"]

    /// Of each state and cause, what each act makes of it: a state; `same`, a 200 that changes nothing; or
    /// `no`, a 409.
    private static let table: [(state: String, cause: String?, outcomes: [String])] = [
        ("pending", nil, ["approved", "rejected", "no"]),
        ("flagged", nil, ["approved", "rejected", "no"]),
        ("approved", nil, ["no", "no", "clawed_back"]),
        ("assigned", nil, ["no", "no", "clawed_back"]),
        ("settled", nil, ["no", "no", "clawed_back"]),
        ("approved", "operator", ["same", "no", "clawed_back"]),
        ("assigned", "operator", ["same", "no", "clawed_back"]),
        ("settled", "operator", ["same", "no", "clawed_back"]),
        ("rejected", "rule", ["approved", "no", "no"]),
        ("rejected", "cap", ["approved", "no", "no"]),
        ("rejected", "operator", ["approved", "same", "no"]),
        ("voided", "refund", ["approved", "rejected", "no"]),
        ("voided", "deleted", ["approved", "no", "no"]),
        ("clawed_back", "refund", ["approved", "no", "clawed_back"]),
        ("clawed_back", "operator", ["approved", "no", "same"]),
        ("expired", "unused", ["no", "no", "no"]),
    ]

    @Test func `each act on each state does what the table says, with audit and event, or says why not`()
        async throws
    {
        let codes = ["qualify": "signed_up", "inviter.offer": "spring"]
        try await RewardStage.run(codes) { stage in
            try await stage.join("bob", by: "ann")
            try await stage.work()
            let id = try #require(try await stage.records(of: "u-ann").first?["id"] as? String)
            for (state, cause, outcomes) in Self.table {
                for (act, outcome) in zip(Self.acts, outcomes) {
                    let isGiven = !["pending", "flagged", "rejected", "voided"].contains(state)
                    try await stage.app.db.write.run("DELETE FROM reward_postings")
                    try await stage.app.db.write.run(
                        """
                        UPDATE rewards SET state = \(state), cause = \(cause),
                            approved_at = \(isGiven ? Date.now : nil), settled_at = \(state == "settled" ? Date.now : nil),
                            decided_at = NULL
                        """)
                    let (audited, told) = try await (stage.app.count("audit"), stage.app.count("outbox"))
                    let answer = try await stage.post(
                        "\(id)/decision", ["decision": act, "reason": "ticket 7"])
                    let what = "\(act) on \(state) by \(cause ?? "nobody"): \(answer.text)"
                    let isChanged = !["same", "no"].contains(outcome)
                    #expect(try await stage.app.count("audit") == audited + (isChanged ? 1 : 0), "\(what)")
                    #expect(try await stage.app.count("outbox") == told + (isChanged ? 1 : 0), "\(what)")
                    if outcome == "no" {
                        #expect(answer.status == 409 && answer.code == "reward_state", "\(what)")
                    } else {
                        #expect(answer["state"] == (isChanged ? outcome : state), "\(what)")
                        #expect(answer["cause"] == (isChanged ? "operator" : cause), "\(what)")
                    }
                }
            }
        }
    }

    @Test func `the table in the documents says the same`() throws {
        let page = try RepositoryFile.read("docs/rewards.md")
        for (state, cause, outcomes) in Self.table {
            let rows = page.split(separator: "\n").filter { line in
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                guard cells.count == 5, cells[0].contains("`\(state)`") else { return false }
                let causes = cells[1]
                return cause.map { causes.contains("`\($0)`") } ?? causes.contains("–")
            }
            try #require(rows.count == 1, "\(state) \(cause ?? "–")")
            let cells = rows[0].split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            for (cell, outcome) in zip(cells.dropFirst(2), outcomes) {
                let word = ["no": "409", "same": "again"][outcome] ?? "`\(outcome)`"
                #expect(cell.hasPrefix(word), "\(rows[0])")
            }
        }
    }

    private func bought(
        hold: Int, _ test: @Sendable (RewardStage) async throws -> Void
    ) async throws {
        try await RewardStage.run(RewardStage.monthly, ["hold": "\(hold)"]) { stage in
            try await stage.join("bob", by: "ann", daysAgo: 20)
            #expect(try await stage.shop.show(stage.shop.month(1), by: "u-bob").status == 201)
            try await stage.work()
            try await test(stage)
        }
    }

    @Test func `rejected after a refund, a reward does not come back with the refund's reversal`()
        async throws
    {
        try await bought(hold: 14) { stage in
            try await stage.refund()
            for _ in 0..<2 {
                let answer = try await stage.decide("reject", on: "u-ann")
                #expect(answer["state"] == "rejected" && answer["cause"] == "operator", "\(answer.text)")
            }
            try await stage.reverseRefund()
            try await stage.wait()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 rejected"])
            #expect(try await stage.rewards(of: "u-bob") == ["invitee credit coins 50 approved"])
            #expect(try await stage.told("u-ann") == ["reward.earned", "reward.ended", "reward.ended"])
            #expect(try await stage.app.count("audit WHERE act = 'decide_reward'") == 1)
            try await stage.app.verify()
        }
    }

    @Test func `taken back after a refund, a reward does not come back with the refund's reversal`()
        async throws
    {
        try await bought(hold: 0) { stage in
            #expect(try await stage.spend(70, by: "u-ann", id: "hat").status == 201)
            try await stage.refund()
            for _ in 0..<2 {
                let answer = try await stage.decide("claw_back", on: "u-ann")
                #expect(answer["state"] == "clawed_back" && answer["cause"] == "operator", "\(answer.text)")
            }
            try await stage.reverseRefund()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 clawed_back"])
            #expect(try await (stage.balance(of: "u-ann"), stage.balance(of: "u-bob")) == (0, 50))
            #expect(try await stage.app.count("audit WHERE act = 'decide_reward'") == 1)
            try await stage.app.verify()
            #expect(try await stage.decide("approve", on: "u-ann")["state"] == "approved")
            #expect(try await stage.balance(of: "u-ann") == 30)
            try await stage.app.verify()
        }
    }

    @Test func `given by an operator after a refund, it stays when a later month is refunded, too`()
        async throws
    {
        try await bought(hold: 0) { stage in
            try await stage.refund()
            #expect(try await stage.decide("approve", on: "u-ann")["cause"] == "operator")
            let revoked = ["revocationDate": PurchaseStage.milliseconds(PurchaseStage.day(-2))]
            try await stage.shop.notify("REFUND", stage.shop.month(2, signed: -2, revoked), signed: -2)
            try await stage.work()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 approved"])
            #expect(try await stage.rewards(of: "u-bob") == ["invitee credit coins 50 clawed_back"])
            try await stage.app.verify()
        }
    }

    @Test func `given by an operator before a refund, the refund takes it back`() async throws {
        try await bought(hold: 14) { stage in
            #expect(try await stage.decide("approve", on: "u-ann")["state"] == "approved")
            try await stage.refund()
            #expect(try await stage.record(of: "u-ann")["cause"] == "refund")
            try await stage.app.verify()
        }
    }

    @Test func `nothing is given to a user who is away, and the answer says so`() async throws {
        try await RewardStage.run(RewardStage.coins, ["hold": "7"]) { stage in
            try await stage.join("bob", by: "ann")
            try await stage.work()
            let path = "/v1/admin/users/u-ann/suspension"
            #expect(try await stage.app.call(.put, path, headers: stage.shop.admin, body: [:]).status == 200)
            let answer = try await stage.decide("approve", on: "u-ann")
            #expect(answer.code == "reward_state" && answer.text.contains("suspended"), "\(answer.text)")
        }
    }

    @Test func `no operator gives more than the budget, also if the program is gone or gives something else`()
        async throws
    {
        let held = RewardStage.coins.merging(["hold": "7", "inviter.budget": "100"]) { $1 }
        try await RewardStage.run(held) { stage in
            for name in ["bob", "cat"] { try await stage.join(name, by: "ann") }
            try await stage.work()
            let ids = try await stage.records(of: "u-ann").compactMap { $0["id"] as? String }
            try #require(ids.count == 2)
            func approve(_ id: String) async throws -> TestApp.Answer {
                try await stage.post("\(id)/decision", ["decision": "approve", "reason": "x"])
            }
            #expect(try await approve(ids[0]).status == 200)
            #expect(try await approve(ids[1]).code == "reward_budget_used")
            for programs: [String: [String: String]] in [
                [:], ["autumn": ["qualify": "signed_up", "inviter": "event"]],
                ["autumn": held.filter { !$0.key.hasPrefix("inviter") }],
            ] {
                try await stage.apply(programs)
                let answer = try await approve(ids[1])
                #expect(answer.code == "reward_state" && answer.text.contains("budget"), "\(answer.text)")
                try await stage.wait()
                #expect(try await stage.balance(of: "u-ann") == 100)
            }
            // What it gave before, it may give again.
            for (decision, balance) in [("claw_back", 0), ("approve", 100)] {
                let answer = try await stage.post(
                    "\(ids[0])/decision", ["decision": decision, "reason": "x"])
                #expect(answer.status == 200, "\(answer.text)")
                #expect(try await stage.balance(of: "u-ann") == balance)
            }
            try await stage.apply(["autumn": held.merging(["inviter.budget": "200"]) { $1 }])
            #expect(try await approve(ids[1]).status == 200)
            #expect(try await stage.balance(of: "u-ann") == 200)
            try await stage.app.verify()
        }
    }
}
