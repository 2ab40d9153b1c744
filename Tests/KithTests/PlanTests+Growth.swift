import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Growth
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Operations
@testable import Rollout
@testable import Visits

/// What growth asks of the database.
extension PlanTests {
    func driveGrowth(_ app: TestApp) async throws {
        try await driveCounts(app)
        try await driveExperiments(app)
        try await driveRewards(app)
    }

    private func driveExperiments(_ app: TestApp) async throws {
        let store = ExperimentStore(db: app.db)
        let unit = try #require(ExperimentUnit("somebody"))
        try await store.expose([
            Exposure(unit: unit.id, experiment: "experiment1", phase: 1, variation: "control"),
            Exposure(
                unit: unit.id, experiment: "experiment2", phase: 1, variation: "control", isLeftOut: true),
        ])
        try await store.add([Conversion(unit: unit.id, goal: .friend)])
        try await app.db.write.batch(ExperimentStore.add([.signup, .friend], of: unit.id))
        for mayBeUser in [true, false] {
            #expect(try await store.exposed(unit, mayBeUser: mayBeUser).count == 1)
        }
        #expect(try await !store.isUser(unit))
        let experiment = Experiment(
            key: "experiment1", variations: [.init(name: "control", weight: 10_000)], goal: .friend)
        let counts = try await store.counts(of: "experiment1", phase: 1)
        #expect((counts.total["control"]?.units ?? 0) > 1)
        _ = try await app.db.bulk.batch(ExperimentStore.lastPhases([experiment]))
        try await store.forgetOld()
    }

    private func driveCounts(_ app: TestApp) async throws {
        let version = "?platform=ios&version=1.0"
        #expect(
            try await app.get("/v1/policy\(version)", headers: try await app.keyed(.client)).status == 200)
        let store = VersionCountStore(db: app.db)
        try await VersionCountService(
            queue: app.app.versionCounts, store: store, active: app.app.active, named: { [] },
            logger: TestApp.quiet
        ).flush()
        let counts = try await app.get("/v1/admin/client-versions?app=x", headers: try await app.keyed())
        #expect(counts.status == 200)
        try await store.forgetOld()
        try await app.db.withConnection {
            try await $0.script(
                "INSERT INTO counts (subject, measure, day, count) VALUES ('old', 'links.page', '2020-02-02', 1)"
            )
        }
        let policy = app.app.config.counts
        _ = try await app.app.counting.lag()
        try await app.count()
        try await CountStore(db: app.db).keepMonths(policy)
        let numbers = try await app.get(
            "/v1/admin/numbers/links.clicks?by=country&link=https://go1.example.com/code1",
            headers: try await app.keyed())
        #expect(numbers.status == 200)
        let domain = try await app.get(
            "/v1/admin/numbers/links.clicks?domain=https://go1.example.com", headers: try await app.keyed())
        #expect(domain.status == 400)
        for path in [
            "/v1/admin/numbers/invites.funnel", "/v1/admin/numbers/invites.funnel?platform=ios",
            "/v1/admin/client-versions/adoption?platform=ios&app=x",
            "/v1/admin/experiments/size?rate=5&lift=20",
        ] {
            #expect(try await app.get(path, headers: try await app.keyed()).status == 200)
        }
        for path in ["/v1/admin/inviters", "/v1/admin/inviters/growing"] {
            #expect(try await app.get(path, headers: try await app.keyed()).status == 200)
        }
        for query in ["tag=a", "tag=a&by=country"] {
            let tagged = try await app.get(
                "/v1/admin/numbers/links.clicks?\(query)", headers: try await app.keyed())
            #expect(tagged.status == 200)
        }
        try await ShortLinkStore(db: app.db).forgetLapsed(countedIn: ClickStore(db: app.db, policy: policy))
    }

    private func driveRewards(_ app: TestApp) async throws {
        let id = User.ID(of: User.UID(stored: "u-user18500"))
        var reader = RewardProgramReader("program1", RewardStage.monthly)
        let read = reader.program()
        let program = try #require(read)
        let (referrals, rewards) = (ReferralStore(db: app.db), RewardStore(db: app.db))
        try await referrals.qualify(id, by: "sandbox 1", began: Date(), at: Date(), in: program)
        #expect(try await referrals.setRefund(of: "sandbox 1", false).count <= 1)
        #expect(try await referrals.purchasesOfDeleted().count <= 1)
        #expect(try await referrals.due(in: ["program1"], limit: 1).isEmpty)
        #expect(try await rewards.due(in: ["program1"], limit: 1).isEmpty)
        try await referrals.endLate(program)
        try await referrals.forgetActions()
        let signals = RewardSignalStore(db: app.db)
        try await signals.put([RewardSignal(kind: .address, mark: UUID())], without: [], of: id)
        let inviter = User.ID(of: User.UID(stored: "u-user18499"))
        try await signals.forgetOld()
        let facts = try await signals.facts(
            of: Referral(invitee: id, program: "program1", inviter: inviter, signedUpAt: Date()))
        #expect(facts.ofAddress == 1)
        #expect(try await rewards.unredeemed(by: id, of: ["campaign1"]).isEmpty)
        let keys = [Purchase.Key(id: "1", environment: .sandbox)]
        #expect(try await PurchaseStore(db: app.db).withRefunds(among: keys).isEmpty)
    }

    @Test func `numbering events reads no whole table`() async throws {
        try await withManyUsers { app in
            // With facts, for which it looks at each user's status.
            try await app.db.write.run("UPDATE outbox SET facts = '{}'")
            try await app.db.withConnection { try await $0.script("VACUUM ANALYZE outbox") }
            try await app.db.transaction { session in
                let numbered = try await session.query("SELECT number_events(20)") {
                    try $0.next(as: Int64.self)
                }
                #expect(numbered.count == 1)
                // In parts of days to come are events only here.
                let read = try await session.query(
                    """
                    SELECT relname::text, seq_tup_read FROM pg_stat_xact_user_tables
                    WHERE seq_tup_read > 100 AND (relname !~ '^events_' OR relname = to_char(now() AT TIME ZONE 'UTC', '"events_"YYYYMMDD'))
                    """
                ) { try ($0.next(as: String.self), $0.next(as: Int64.self)) }
                #expect(read.isEmpty, "\(read)")
            }
        }
    }

    @Test(arguments: [
        ("offer_codes", ["offer_codes_pkey", "offer_codes_id", "users_pkey"]),
        ("purchases", ["purchases_pkey", "purchase_periods_pkey", "users_pkey"]),
        ("offer_campaigns", ["offer_campaigns_pkey", "offer_codes_pkey"]),
        ("referrals", ["referrals_pkey", "referrals_purchase", "rewards_pkey", "users_pkey"]),
        (
            "rewards",
            [
                "rewards_pkey", "reward_postings_pkey", "referrals_pkey", "offer_codes_of_user",
                "acceptances_pkey",
                "users_pkey",
            ]
        ),
        ("exposures", ["exposures_pkey", "conversions_pkey", "users_pkey", "applied_files_pkey"]),
    ])
    func `a check of what growth keeps looks rows up by keys`(table: String, indexes: [String]) async throws {
        try await withManyUsers { app in
            let check = try #require(App.checks.first { $0.table.description == table })
            let slice: Slice =
                check.home.isUser ? .users(0..<1_000_000) : .texts(from: "1", before: "campaign2")
            let statement = TableCheckStore(db: app.db, check: check).statement(slice)
            let bounds = [slice.bounds.from, try #require(slice.bounds.before)]
            let sql = statement.binds.indices.reversed().reduce(statement.sql) {
                $0.replacing("$\($1 + 1)", with: "'\(bounds[$1 % 2])'")
            }
            let results = try await app.db.bulk.batch([
                TableCheckStore.preferIndexes, Statement(text: "EXPLAIN (FORMAT JSON) \(sql)"),
            ])
            let text = try results[1].first { try $0.next(as: String.self) } ?? ""
            let plans = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
            let nodes = Self.nodes(try #require(plans?.first?["Plan"] as? [String: Any]))
            #expect(!nodes.contains { $0["Node Type"] as? String == "Seq Scan" }, "\(text)")
            let scans = nodes.filter { $0["Index Name"] is String }
            // Any index that begins with the user reads all rows of a user.
            let alike = [
                "rewards_once": "rewards_pkey", "rewards_of_user": "rewards_pkey",
                "reward_postings_balance": "reward_postings_pkey",
            ]
            let used = scans.compactMap { $0["Index Name"] as? String }.map { alike[$0] ?? $0 }
            #expect(Set(used) == Set(indexes), "\(text)")
            #expect(scans.allSatisfy { $0["Index Cond"] is String }, "\(text)")
        }
    }
}
