import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Growth
@testable import HTTPServer
@testable import Kernel
@testable import Kith
@testable import Web

/// What changes between the steps of a server's work, and what stands in its way.
@Suite(.inTurns) struct RewardOrderTests {
    private static let held = RewardStage.coins.merging(["hold": "7"]) { $1 }

    @Test func `what was told during a hold counts, also if the program has no hold any more`() async throws {
        try await RewardStage.run(Self.held) { stage in
            try await stage.join("bob", by: "ann")
            try await stage.work()
            for uid in ["u-ann", "u-bob"] { try await stage.signal(uid, "device", "d-1") }
            try await stage.apply(["autumn": RewardStage.coins])
            try await stage.wait()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 rejected"])
            #expect(try await stage.record(of: "u-ann")["reasons.0.rule"] == "selfReferral")
        }
    }

    @Test func `an invitee who leaves while the rewards are made earns nobody anything`() async throws {
        try await RewardStage.run(Self.held) { stage in
            try await stage.join("bob", by: "ann")
            try await stage.work()
            try await stage.app.db.write.run("UPDATE referrals SET made_at = NULL")
            try await stage.app.db.write.run("DELETE FROM rewards")
            // A server has read the referral, and has made nothing of it yet.
            let referral = try #require(try await stage.run.referrals.due(in: ["autumn"], limit: 1).first)
            let program = try #require(try await stage.run.programs.current().rules["autumn"])
            #expect(try await stage.app.call(.delete, "/v1/me", as: "u-bob").status == 204)
            try await stage.work()
            try await stage.run.making.make(referral, in: program)
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 pending"])
            try await stage.wait()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 voided"])
            #expect(try await stage.app.count("rewards") == 1)
            try await stage.app.verify()
        }
    }

    @Test func `an invitee who is suspended while the reward is decided earns nobody anything`() async throws
    {
        try await RewardStage.run(Self.held) { stage in
            try await stage.join("bob", by: "ann")
            try await stage.work()
            try await stage.app.db.write.run(
                "UPDATE rewards SET due_at = (created_at AT TIME ZONE 'UTC' + interval '1 microsecond') AT TIME ZONE 'UTC'"
            )
            let due = try await stage.run.making.rewards.due(in: ["autumn"], limit: 10)
            let program = try #require(try await stage.run.programs.current().rules["autumn"])
            let path = "/v1/admin/users/u-bob/suspension"
            #expect(try await stage.app.call(.put, path, headers: stage.shop.admin, body: [:]).status == 200)
            for reward in due { try await stage.run.making.decide(reward, in: program) }
            #expect(due.count == 2)
            #expect(try await stage.app.count("rewards WHERE state = 'pending' AND due_at > now()") == 2)
            #expect(try await stage.app.count("reward_postings") == 0)
        }
    }

    @Test func `nobody is too late whose purchase waits behind a thousand events`() async throws {
        try await RewardStage.run(RewardStage.monthly) { stage in
            try await stage.join("bob", by: "ann", daysAgo: 40)
            try await stage.work()
            try await stage.app.db.write.run(
                """
                INSERT INTO outbox (user_id, type, facts) SELECT user_id('u-ann'), 'user.signed_up', NULL FROM generate_series(1, 1500)
                """)
            try await stage.app.numberEvents()
            #expect(try await stage.shop.show(stage.shop.month(1, began: -35), by: "u-bob").status == 201)
            try await stage.app.numberEvents()
            try await stage.run.positions.release(stage.run.holder)
            try await stage.serve {
                try await waitUntil("it is decided") {
                    try await stage.app.count(
                        "referrals WHERE qualified_at IS NOT NULL OR ended_at IS NOT NULL") == 1
                }
            }
            #expect(try await stage.app.count("referrals WHERE ended_at IS NOT NULL") == 0)
            try await stage.work()
            #expect(try await stage.balance(of: "u-ann") == 100)
        }
    }

    @Test func `one user who is locked holds up the making of nobody else's rewards, and no giving`()
        async throws
    {
        try await RewardStage.run(
            users: ["ann", "cat"], RewardStage.coins, ["fraud.velocityHour.verdict": "allow"]
        ) { stage in
            // More than a server makes at once.
            for number in 0..<5 { try await stage.join("bob\(number)", by: "ann") }
            try await stage.join("dan", by: "cat")
            try await stage.app.numberEvents()
            let from = try #require(try await stage.run.take())
            try await stage.app.db.transaction { session in
                try await session.run(
                    "SELECT id FROM users WHERE id = \(User.ID(of: User.UID(stored: "u-ann"))) FOR UPDATE")
                await #expect(throws: (any Error).self) { try await stage.run.pass(from: from) }
            }
            #expect(try await stage.rewards(of: "u-cat") == ["inviter credit coins 100 approved"])
            #expect(try await stage.rewards(of: "u-ann") == [])
            try await stage.work()
            #expect(try await stage.balance(of: "u-ann") == 500)
        }
    }

    @Test func `an event that cannot be followed now holds up nothing that was made before`() async throws {
        try await RewardStage.run(users: ["ann", "cat"], Self.held) { stage in
            try await stage.join("dan", by: "cat")
            try await stage.work()
            try await stage.app.db.write.run(
                "UPDATE rewards SET due_at = (created_at AT TIME ZONE 'UTC' + interval '1 microsecond') AT TIME ZONE 'UTC'"
            )
            try await stage.join("bob", by: "ann")
            try await stage.app.numberEvents()
            let from = try #require(try await stage.run.take())
            try await stage.app.db.transaction { session in
                try await session.run(
                    "SELECT id FROM users WHERE id = \(User.ID(of: User.UID(stored: "u-bob"))) FOR UPDATE")
                await #expect(throws: (any Error).self) { try await stage.run.pass(from: from) }
            }
            #expect(try await stage.balance(of: "u-cat") == 100)
            try await stage.work()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 pending"])
        }
    }

    @Test func `metrics say how far rewards are behind, and how many wait`() async throws {
        try await RewardStage.run(Self.held, ["fraud.velocityHour.threshold": "1"]) { stage in
            try await stage.work()
            try await stage.join("bob", by: "ann")
            try await stage.app.db.write.run(
                "UPDATE outbox SET at = (at AT TIME ZONE 'UTC' - interval '1 day') AT TIME ZONE 'UTC'")
            try await stage.app.numberEvents()
            var seen = try #require(try await stage.run.positions.look())
            #expect(seen.lag > 86_000 && seen.held == 0)
            try await stage.work()
            for name in ["cat", "dan"] { try await stage.join(name, by: "ann") }
            try await stage.work()
            try await stage.app.db.write.run(
                "UPDATE rewards SET due_at = now() - interval '1 day' WHERE user_id = user_id('u-bob')")
            seen = try #require(try await stage.run.positions.look())
            #expect(seen.lag < 60 && (seen.held, seen.due, seen.flagged) == (1, 1, 4), "\(seen)")
            let ops = OpsRoutes(
                db: stage.app.db, metrics: Metrics(), rewards: stage.app.app.rewardMetrics,
                connections: OpenConnections(limit: 1), readiness: Readiness())
            #expect(try await !ops.answer("/metrics").text.contains("kith_reward"))
            // Another server follows the events, and this one says so all the same.
            try await stage.serve {
                try await waitUntil("it looks") {
                    try await ops.answer("/metrics").text.contains(
                        #"kith_rewards_waiting{state="flagged"} 4"#)
                }
            }
            #expect(try await ops.answer("/metrics").text.contains("kith_reward_lag_seconds 0"))
        }
    }
}

extension RewardStage {
    /// What `kith serve` does of rewards in the background, during the work.
    fileprivate func serve(_ work: () async throws -> Void) async throws {
        let service = RewardService(
            work: RewardRun(RewardStore(db: app.db), now: { Date() }), metrics: app.app.rewardMetrics,
            logger: TestApp.quiet)
        let serving = Task { try await service.run() }
        do { try await work() } catch {
            serving.cancel()
            throw error
        }
        serving.cancel()
        try await serving.value
        // Whoever is cancelled, and not told to end, cannot.
        try await app.db.write.run("UPDATE reward_positions SET holder = NULL, held_until = NULL")
    }
}
