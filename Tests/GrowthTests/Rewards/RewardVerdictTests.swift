import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Growth
@testable import Kith

/// What rules and operators make of rewards.
@Suite(.inTurns) struct RewardVerdictTests {
    private static let held = RewardStage.coins.merging(["hold": "7"]) { $1 }

    @Test func `what the backend tells during the hold counts, and the user sees no suspicion`() async throws
    {
        try await RewardStage.run(
            Self.held, configure: { $0.disposableDomains = .init(lines: "trash.example") }
        ) { stage in
            try await stage.join("bob", by: "ann")
            try await stage.work()
            try await stage.signal("u-bob", "email", "bob@trash.example")
            try await stage.wait()
            #expect(try await stage.rewards(of: "u-bob") == ["invitee credit coins 50 pending"])
            let record = try await stage.record(of: "u-bob")
            #expect(record["state"] == "flagged" && record["reasons.0.rule"] == "disposableMail")
            #expect(try await stage.told("u-bob") == ["reward.earned", "reward.flagged"])
            let seen = try await stage.app.events().filter { $0.type == "reward.flagged" }
            #expect(seen.allSatisfy { $0.json["audience"] as? String == "backend" })
            let export = try await stage.app.get("/v1/me/export", as: "u-bob")
            #expect(export.objects("rewards").map { $0["state"] as? String } == ["pending"], "\(export.text)")
            for word in ["flagged", "disposableMail", "trash.example"] {
                #expect(!export.text.contains(word), "\(word)")
            }
            #expect(try await stage.decide("approve", on: "u-bob")["state"] == "approved")
            #expect(try await stage.balance(of: "u-bob") == 50)
            try await stage.app.verify()
        }
    }

    @Test(arguments: ["email", "phone", "device", "appAccountToken"])
    func `whoever invites themselves gets nothing`(name: String) async throws {
        let (one, same) =
            switch name {
            case "email": ("ann@gmail.com", "A.nn+2@googlemail.com")
            case "phone": ("+81 90-1234-5678", "+819012345678")
            case "device": ("d-1", "d-1")
            default: ("6F1E7C2A-0000-4000-8000-000000000000", "6f1e7c2a-0000-4000-8000-000000000000")
            }
        try await RewardStage.run { stage in
            try await stage.signal("u-ann", name, one)
            try await stage.join("bob", by: "ann")
            try await stage.signal("u-bob", name, same)
            try await stage.work()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 rejected"])
            #expect(try await stage.record(of: "u-ann")["reasons.0.rule"] == "selfReferral")
            #expect(try await stage.told("u-ann") == ["reward.flagged"])
            let kept = try await stage.app.db.read.first(
                "SELECT string_agg(t::text, ' ') FROM reward_signals t"
            ) { try $0.next(as: String.self) }
            #expect(kept?.lowercased().contains(same.lowercased()) == false)
            try await stage.app.verify()
        }
    }

    @Test func `an office behind one address is flagged, and never blocked`() async throws {
        try await RewardStage.run(RewardStage.coins, ["fraud.velocityHour.verdict": "allow"]) { stage in
            for number in 0..<8 {
                try await stage.join("bob\(number)", by: "ann")
                try await stage.signal("u-bob\(number)", "address", "203.0.113.7")
            }
            try await stage.work()
            let states = try await stage.records(of: "u-ann").compactMap { $0["state"] as? String }
            #expect(Set(states).isSubset(of: ["approved", "flagged"]) && states.contains("flagged"))
        }
    }

    @Test func `the third account of a device is blocked, the second flagged`() async throws {
        try await RewardStage.run(users: ["ann", "cat", "dan"]) { stage in
            for (name, inviter) in [("bob", "ann"), ("eve", "cat"), ("fay", "dan")] {
                try await stage.join(name, by: inviter)
                try await stage.signal("u-\(name)", "device", "shared")
                try await stage.work()
            }
            let states = try await ["u-ann", "u-cat", "u-dan"].asyncMap {
                try await stage.record(of: $0)["state"]
            }
            #expect(states == ["approved", "flagged", "rejected"])
        }
    }

    @Test func `an operator reverses every verdict, with a reason that the audit keeps`() async throws {
        try await RewardStage.run(Self.held) { stage in
            try await stage.join("bob", by: "ann")
            try await stage.work()
            for (decision, state, balance) in [
                ("reject", "rejected", 0), ("approve", "approved", 100), ("approve", "approved", 100),
                ("claw_back", "clawed_back", 0), ("claw_back", "clawed_back", 0),
                ("approve", "approved", 100),
            ] {
                let answer = try await stage.decide(decision, on: "u-ann")
                #expect(answer["state"] == state, "\(decision): \(answer.text)")
                #expect(try await stage.balance(of: "u-ann") == balance)
            }
            #expect(try await stage.decide("reject", on: "u-ann").code == "reward_state")
            let audit = try await stage.app.asked("/v1/admin/audit?uid=u-ann", stage.shop.admin)
            #expect(audit.objects("acts").count { $0["act"] as? String == "decide_reward" } == 4)
            #expect(audit.text.contains("ticket 7"))
            let record = try await stage.record(of: "u-ann")
            #expect(
                record.objects("postings").map { $0["kind"] as? String } == [
                    "reward", "reversal", "reversal",
                ])
            for body: Body in [
                ["decision": "approve", "reason": " "], ["decision": "maybe", "reason": "x"],
                ["decision": "approve"],
            ] {
                let id = try #require(record["id"])
                #expect(try await stage.post("\(id)/decision", body).status == 400)
            }
            try await stage.app.verify()
        }
    }

    @Test func `twenty operators who decide at once agree in the end`() async throws {
        try await RewardStage.run(Self.held) { stage in
            try await stage.join("bob", by: "ann")
            try await stage.work()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let decision = ["approve", "reject", "claw_back"][number % 3]
                        let answer = try await stage.decide(decision, on: "u-ann")
                        #expect([200, 409].contains(answer.status), "\(answer.text)")
                    }
                }
                try await group.waitForAll()
            }
            try await stage.app.verify()
        }
    }

    @Test(arguments: ["flagged", "rejected"])
    func `what a reward was judged by goes with its user`(state: String) async throws {
        try await RewardStage.run(
            Self.held, configure: { $0.disposableDomains = .init(lines: "trash.example") }
        ) { stage in
            try await stage.join("bob", by: "ann")
            try await stage.signal("u-bob", "email", "bob@trash.example")
            try await stage.work()
            try await stage.wait()
            if state == "rejected" { _ = try await stage.decide("reject", on: "u-bob") }
            let record = try await stage.record(of: "u-bob")
            #expect(record["state"] == state && record["reasons.0.fact"] != nil, "\(record.text)")
            let id = try #require(record["id"])
            #expect(try await stage.app.call(.delete, "/v1/me", as: "u-bob").status == 204)
            let left = try await stage.app.asked("/v1/admin/rewards/\(id)", stage.shop.admin)
            #expect(left["state"] != nil && left["reasons.0.rule"] == nil, "\(left.text)")
            let kept = "rewards WHERE reasons IS NOT NULL AND user_id = user_id('u-bob')"
            #expect(try await stage.app.count(kept) == 0)
            try await stage.app.verify()
        }
    }

    @Test func `deleting the inviter or the invitee ends what waits, and keeps the ledger sound`()
        async throws
    {
        try await RewardStage.run(Self.held) { stage in
            for name in ["bob", "cat"] { try await stage.join(name, by: "ann") }
            try await stage.work()
            try await stage.signal("u-bob", "device", "d-1")
            _ = try await stage.decide("approve", on: "u-cat")
            for uid in ["u-bob", "u-cat"] {
                #expect(try await stage.app.call(.delete, "/v1/me", as: uid).status == 204)
            }
            try await stage.work()
            #expect(Set(try await stage.rewards(of: "u-ann")) == ["inviter credit coins 100 voided"])
            #expect(try await stage.app.count("reward_signals") == 0)
            #expect(try await stage.app.count("reward_postings WHERE kind = 'forfeit' AND amount = 50") == 1)
            try await stage.app.verify()
            try await stage.join("dan", by: "ann")
            try await stage.app.numberEvents()
            #expect(try await stage.app.call(.delete, "/v1/me", as: "u-ann").status == 204)
            try await stage.work()
            try await stage.wait()
            #expect(try await stage.rewards(of: "u-dan") == ["invitee credit coins 50 approved"])
            try await stage.app.verify()
        }
    }
}

extension Array where Element: Sendable {
    fileprivate func asyncMap<Value>(_ change: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for one in self { values.append(try await change(one)) }
        return values
    }
}
