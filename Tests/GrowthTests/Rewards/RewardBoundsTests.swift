import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting

/// Caps and budgets, and spending.
@Suite(.inTurns) struct RewardBoundsTests {
    @Test func `an inviter gets as many as they may, and their invitees each theirs`() async throws {
        try await RewardStage.run(RewardStage.coins, ["caps.perInviter": "2"]) { stage in
            for number in 0..<4 { try await stage.join("bob\(number)", by: "ann") }
            try await stage.work()
            #expect(try await stage.balance(of: "u-ann") == 200)
            let states = try await stage.rewards(of: "u-ann").compactMap { $0.split(separator: " ").last }
                .sorted()
            #expect(states == ["approved", "approved", "rejected", "rejected"])
            for number in 0..<4 { #expect(try await stage.balance(of: "u-bob\(number)") == 50) }
            #expect(
                try await stage.records(of: "u-ann").compactMap { $0["cause"] as? String } == ["cap", "cap"])
            // An operator may.
            let id = try #require(
                try await stage.records(of: "u-ann").first { $0["cause"] != nil }?["id"] as? String)
            #expect(
                try await stage.post("\(id)/decision", ["decision": "approve", "reason": "fair"]).status
                    == 200)
            #expect(try await stage.balance(of: "u-ann") == 300)
            try await stage.app.verify()
        }
    }

    @Test func `approvals at once never give more than the budget`() async throws {
        try await RewardStage.run(
            RewardStage.coins, ["hold": "7", "inviter.budget": "550", "fraud.velocityHour.verdict": "allow"]
        ) { stage in
            for number in 0..<12 { try await stage.join("bob\(number)", by: "ann") }
            try await stage.work()
            let ids = try await stage.records(of: "u-ann").compactMap { $0["id"] as? String }
            #expect(ids.count == 12)
            let answers = try await withThrowingTaskGroup { group in
                for id in ids {
                    group.addTask {
                        try await stage.post("\(id)/decision", ["decision": "approve", "reason": "x"])
                    }
                }
                return try await group.reduce(into: [TestApp.Answer]()) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 200 } == 5)
            #expect(answers.count { $0.code == "reward_budget_used" } == 7)
            #expect(try await stage.balance(of: "u-ann") == 500)
            try await stage.wait()
            #expect(try await stage.balance(of: "u-ann") == 500)
            #expect(try await stage.app.count("rewards WHERE state = 'pending' AND due_at > now()") == 7)
            try await stage.app.verify()
        }
    }

    @Test func `a day that gave enough lets the rest wait for the next`() async throws {
        try await RewardStage.run(RewardStage.coins, ["caps.perDay": "1"]) { stage in
            for name in ["bob", "cat"] { try await stage.join(name, by: "ann") }
            try await stage.work()
            #expect(try await stage.balance(of: "u-ann") == 100)
            try await stage.wait()
            #expect(try await stage.balance(of: "u-ann") == 100)
            try await stage.app.db.write.run(
                "UPDATE reward_budgets SET period = '2026-01-01' WHERE period <> 'all'")
            try await stage.wait()
            #expect(try await stage.balance(of: "u-ann") == 200)
            try await stage.app.verify()
        }
    }

    @Test func `credit is spent once for each id, and never below zero, whoever calls at once`() async throws
    {
        try await RewardStage.run { stage in
            try await stage.join("bob", by: "ann")
            try await stage.work()
            let answers = try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask {
                        try await stage.spend(
                            30, by: "u-ann", id: "hat \(number / 2)".replacing(" ", with: "-"))
                    }
                }
                return try await group.reduce(into: [TestApp.Answer]()) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 201 } == 3)
            #expect(answers.filter { $0.status >= 400 }.allSatisfy { $0.code == "balance_too_low" })
            #expect(try await stage.balance(of: "u-ann") == 10)
            #expect(try await stage.spend(10, by: "u-ann", id: "cap").status == 201)
            #expect(try await stage.spend(10, by: "u-ann", id: "cap").status == 200)
            #expect(try await stage.spend(9, by: "u-ann", id: "cap").code == "spend_reused")
            #expect(try await stage.spend(1, by: "u-ann", id: "one").code == "balance_too_low")
            #expect(try await stage.spend(1, by: "u-nobody", id: "one").code == "user_not_found")
            try await stage.app.verify()
        }
    }
}
