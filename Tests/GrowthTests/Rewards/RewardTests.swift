import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Growth
@testable import Kernel

/// What becomes of an invite that a program rewards.
@Suite(.inTurns) struct RewardTests {
    @Test func `both sides get their credit for a sign-up, once, however often events are read`() async throws
    {
        try await RewardStage.run { stage in
            try await stage.join("bob", by: "ann")
            try await stage.work()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 approved"])
            #expect(try await stage.rewards(of: "u-bob") == ["invitee credit coins 50 approved"])
            #expect(try await (stage.balance(of: "u-ann"), stage.balance(of: "u-bob")) == (100, 50))
            _ = try await stage.run.pass(from: 0)
            #expect(try await (stage.balance(of: "u-ann"), stage.balance(of: "u-bob")) == (100, 50))
            #expect(try await stage.told("u-ann") == ["reward.earned", "reward.approved"])
            try await stage.app.verify()
        }
    }

    @Test func `eight servers that work at the same events at once pay once`() async throws {
        try await RewardStage.run(users: ["ann", "cat"]) { stage in
            for number in 0..<6 { try await stage.join("bob\(number)", by: number < 3 ? "ann" : "cat") }
            try await stage.app.numberEvents()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let run = RewardRun(RewardStore(db: stage.app.db), now: { Date() })
                        for _ in 0..<3 { _ = try await run.pass(from: 0) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await stage.balance(of: "u-ann") == 300)
            #expect(try await stage.balance(of: "u-cat") == 300)
            #expect(try await stage.app.count("reward_postings") == 12)
            try await stage.app.verify()
        }
    }

    @Test func `one server works at a time, and another takes over`() async throws {
        try await RewardStage.run { stage in
            let other = RewardRun(RewardStore(db: stage.app.db), now: { Date() })
            func taken(_ run: RewardRun) async throws -> Bool { try await run.take() != nil }
            #expect(try await taken(stage.run))
            #expect(try await !taken(other))
            #expect(try await taken(stage.run))
            try await stage.run.positions.release(stage.run.holder)
            #expect(try await taken(other))
            try await stage.app.db.write.run(
                "UPDATE reward_positions SET held_until = now() - interval '1 second'")
            #expect(try await taken(stage.run))
            #expect(try await !taken(other))
        }
    }

    @Test func `killed between event and reward, or between the sides, it goes on where it was`() async throws
    {
        try await RewardStage.run { stage in
            try await stage.join("bob", by: "ann")
            try await stage.app.numberEvents()
            // The referral is written; the position is not.
            let rules = try await RewardTests.rules(stage)
            let news = try await stage.run.positions.news(
                after: 0, through: .max, of: RewardEventHandler.kinds, limit: 100)
            for one in news { try await stage.run.following.take(one, rules) }
            // One side is made, and the referral does not say so.
            let referral = try #require(try await stage.run.referrals.due(in: ["autumn"], limit: 1).first)
            let gift = try #require(rules[0].gifts[.inviter])
            try await stage.run.making.rewards.make(
                gift, .inviter, of: referral, holdDays: 0, verdict: .allow, [])
            try await stage.work()
            #expect(try await (stage.balance(of: "u-ann"), stage.balance(of: "u-bob")) == (100, 50))
            #expect(try await stage.told("u-ann") == ["reward.earned", "reward.approved"])
            try await stage.app.verify()
        }
    }

    private static func rules(_ stage: RewardStage) async throws -> [RewardProgram] {
        try await stage.run.programs.follow()
        return try await Array(stage.run.programs.current().rules.values)
    }

    @Test func `a program rewards only sign-ups while it runs, and by an invite`() async throws {
        try await RewardStage.run(RewardStage.coins, ["from": "2099-01-01T00:00:00Z"]) { stage in
            try await stage.join("bob", by: "ann")
            try await stage.work()
            try await stage.apply(["autumn": RewardStage.coins])
            try await stage.work()
            #expect(try await stage.rewards(of: "u-ann") == [])
            try await stage.app.signUp("cat")
            try await stage.join("dan", by: "ann")
            try await stage.work()
            #expect(try await stage.balance(of: "u-ann") == 100)
            #expect(try await stage.rewards(of: "u-cat") == [])
        }
    }

    @Test func `value is held for seven days, and what only the backend hears is not`() async throws {
        let held = RewardStage.coins.filter { $0.key != "hold" }
        try await RewardStage.run(held) { stage in
            try await stage.join("bob", by: "ann")
            try await stage.work()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 pending"])
            #expect(try await stage.balance(of: "u-ann") == 0)
            let waits = try await stage.app.count(
                "rewards WHERE due_at BETWEEN created_at + interval '7 days' AND created_at + interval '7 days 1 minute'"
            )
            #expect(waits == 2)
            try await stage.wait()
            #expect(try await stage.balance(of: "u-ann") == 100)
            try await stage.apply(["autumn": ["qualify": "signed_up", "inviter": "event"]])
            try await stage.join("cat", by: "ann")
            try await stage.work()
            #expect(try await stage.rewards(of: "u-ann").last == "inviter event autumn 1 approved")
            #expect(try await stage.rewards(of: "u-cat") == [])
            try await stage.app.verify()
        }
    }

    @Test func `three acts qualify, each id once, also those told before the sign-up was noticed`()
        async throws
    {
        let three = ["qualify.actions.name": "played", "qualify.actions.times": "3", "inviter": "event"]
        try await RewardStage.run(three) { stage in
            try await stage.join("bob", by: "ann")
            try await stage.act("u-bob", id: "1")
            try await stage.work()
            for id in ["1", "2", "2"] { try await stage.act("u-bob", id: id) }
            try await stage.act("u-bob", "sang", id: "3")
            try await stage.work()
            #expect(try await stage.rewards(of: "u-ann") == [])
            try await stage.act("u-bob", id: "3")
            try await stage.act("u-ann", id: "1")
            try await stage.work()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter event autumn 1 approved"])
            #expect(try await stage.app.count("reward_actions") == 3)
            try await stage.app.verify()
        }
    }

    @Test func `days count once each, and whoever is too late gets nothing`() async throws {
        try await RewardStage.run(["qualify.days": "2", "within": "10", "inviter": "event"]) { stage in
            try await stage.join("bob", by: "ann", daysAgo: 3)
            try await stage.join("cat", by: "ann")
            try await stage.work()
            // What they did before they signed up does not count.
            try await stage.act("u-bob", id: "0", at: Date() - 5 * 86_400)
            for id in ["1", "2"] { try await stage.act("u-bob", id: id) }
            try await stage.work()
            #expect(try await stage.rewards(of: "u-ann") == [])
            try await stage.act("u-bob", id: "3", at: Date() - 86_400)
            try await stage.work()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter event autumn 1 approved"])
            try await stage.app.db.write.run("UPDATE referrals SET signed_up_at = now() - interval '11 days'")
            try await stage.run.clean()
            for (id, day) in [("1", 0.0), ("2", 1.0)] {
                try await stage.act("u-cat", id: id, at: Date() - day * 86_400)
            }
            try await stage.work()
            #expect(try await stage.rewards(of: "u-ann").count == 1)
            #expect(try await stage.app.count("referrals WHERE ended_at IS NOT NULL") == 1)
        }
    }

    @Test func `of two who invited each other only the first direction is paid`() async throws {
        try await RewardStage.run(users: ["ann", "bob"]) { stage in
            // No order of sign-ups makes this, as each needs the other's account: so it is written by hand,
            // as by a fault.
            try await stage.app.db.write.run(
                """
                INSERT INTO acceptances (invitee_id, inviter_id, accepted_at)
                VALUES (user_id('u-bob'), user_id('u-ann'), '2026-10-01Z'), (user_id('u-ann'), user_id('u-bob'), '2026-10-02Z')
                """)
            try await stage.app.db.write.run(
                """
                INSERT INTO outbox (user_id, type, other_id, at)
                VALUES (user_id('u-ann'), 'user.signed_up', user_id('u-bob'), '2026-10-02Z'),
                       (user_id('u-bob'), 'user.signed_up', user_id('u-ann'), '2026-10-01Z')
                """)
            try await stage.work()
            #expect(try await stage.balance(of: "u-ann") == 100)
            #expect(try await stage.balance(of: "u-bob") == 50)
            #expect(try await stage.app.count("rewards WHERE state = 'rejected'") == 2)
        }
    }
}
