import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Operations

/// Ann invited Bob by her permanent link and Cat by a custom one; Dan asks her, and she blocks Eve. Bob was
/// `robert` before, and asks a user who has not signed up yet.
@Suite(.inTurns) struct VerifyTests {
    private func makeWorld(_ app: TestApp) async throws {
        try await app.signUp("ann")
        try await app.signUp("robert", uid: "u-bob", invite: TestApp.link("ann", "u-ann"))
        try await app.rename("u-bob", to: "bob")
        let extra = try await app.post("/v1/invites", as: "u-ann", ["maxUses": 3, "label": "party"])
        let code = try #require(extra["code"])
        try await app.signUp("cat", invite: ["code": code])
        for name in ["dan", "eve"] { try await app.signUp(name) }
        _ = try await app.get("/v1/me/invite", as: "u-ann")
        _ = try await app.post("/v1/me/invite/rotate", as: "u-ann")
        try await app.act(.want, "u-dan", on: "u-ann")
        try await app.act(.want, "u-eve", on: "u-ann")
        try await app.act(.block, "u-ann", on: "u-eve")
        try await app.act(.want, "u-bob", on: "u-nobody")
        let claim = try await app.claim([
            "platform": "ios", "pasteboard": "\(TestApp.origin)/users/ann?invitedBy=u-ann",
        ])
        try await app.signUp("fay", invite: ["claim": claim["claim"] ?? ""])
        try await app.numberEvents()
    }

    private func apply(_ broken: BrokenInvariant, _ app: TestApp) async throws {
        // Foreign keys would forbid some of these statements. On Citus the workers must know it, too.
        let statements =
            [
                "SET LOCAL citus.propagate_set_commands = local",
                "SET LOCAL session_replication_role = replica",
            ] + broken.sql
        try await app.db.write.batch(statements.map { Statement(text: $0) })
    }

    @Test func `every invariant has a way to break it here`() {
        let invariants = App.checks.flatMap(\.invariants).map(\.name)
        #expect(Set(invariants).count == invariants.count)
        #expect(Set(BrokenInvariant.all.map(\.invariant)) == Set(invariants))
    }

    @Test(arguments: BrokenInvariant.all)
    func `breaches are named, and repaired if there is only one correct fix`(broken: BrokenInvariant)
        async throws
    {
        try await TestApp.run { app in
            try await makeWorld(app)
            try await app.verify()
            try await apply(broken, app)
            let store = VerifyStore(db: app.db, checks: App.checks)
            let found = try await store.verify()
            let breach = try #require(
                found.broken.first { $0.invariant.name == broken.invariant }, "\(found)")
            #expect(breach.mended == 0)
            #expect(!breach.keys.isEmpty)

            let repaired = try await store.verify(repairing: true)
            let second = try await store.verify()
            if breach.invariant.remedy == .repair {
                #expect(
                    repaired.breaches.contains { $0.invariant.name == breach.invariant.name && $0.mended > 0 }
                )
                #expect(repaired.broken.isEmpty, "\(repaired)")
                #expect(second.breaches.isEmpty, "\(second)")
            } else {
                #expect(second.broken.contains { $0.invariant.name == breach.invariant.name }, "\(second)")
                try await carryOut(breach, app)
            }
        }
    }

    /// If the report says by which statement a person mends it, that does.
    private func carryOut(_ breach: VerifyReport.Breach, _ app: TestApp) async throws {
        guard case .person(let step) = breach.invariant.remedy,
            let sql = step.firstMatch(of: /(?:UPDATE|DELETE FROM) .*/).map({ String($0.output) })
        else { return }
        for key in breach.keys {
            let statement = sql.replacing("'…'", with: "'\(key)'").replacing("…", with: "'\(key)'")
            try await app.db.write.run(Statement(text: statement))
        }
        let mended = try await VerifyStore(db: app.db, checks: App.checks).verify()
        #expect(!mended.broken.contains { $0.invariant.name == breach.invariant.name }, "\(mended)")
    }

    @Test func `nobody is recorded as invited by a user who joined later, even after the clock was set back`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for table in ["users", "signups"] {
                try await app.db.write.run(
                    Statement(text: "UPDATE \(table) SET created_at = now() + interval '10 minutes'")
                )
            }
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            try await app.verify()
        }
    }

    @Test func `a repair trusts each side's row about its own wish`() async throws {
        try await TestApp.run { app in
            try await makeWorld(app)
            let lost = BrokenInvariant(
                "mirrors_disagree",
                "UPDATE relationships SET i_want = false, they_want = false, since = NULL, "
                    + "other_username = NULL, other_display_name = NULL, declines = 0 "
                    + "WHERE user_id = user_id('u-ann') AND other_id = user_id('u-bob')")
            try await apply(lost, app)
            _ = try await VerifyStore(db: app.db, checks: App.checks).verify(repairing: true)
            #expect(try await app.relationship("u-ann", "u-bob") == "incoming")
            #expect(try await app.relationship("u-bob", "u-ann") == "outgoing")
        }
    }

    @Test func `a repair restores a request that one side lost`() async throws {
        try await TestApp.run { app in
            try await makeWorld(app)
            try await apply(
                BrokenInvariant(
                    "mirrors_disagree",
                    "DELETE FROM relationships WHERE user_id = user_id('u-ann') AND other_id = user_id('u-dan')"
                ),
                app)
            #expect(try await app.requests("incoming", "u-ann") == [])
            _ = try await VerifyStore(db: app.db, checks: App.checks).verify(repairing: true)
            #expect(try await app.requests("incoming", "u-ann") == ["u-dan"])
        }
    }

    @Test func `after a restore on another server a client that syncs from the start gets all its friends`()
        async throws
    {
        try await TestApp.run { app in
            try await makeWorld(app)
            try await app.db.write.run("UPDATE relationships SET change = 999999999999")
            let report = try await VerifyStore(db: app.db, checks: App.checks).verify(repairing: true)
            #expect(report.broken.isEmpty, "\(report)")
            let changes = try await app.get("/v1/me/changes", as: "u-ann")
            let uids = (changes.json["changes"] as? [[String: Any]] ?? []).compactMap { $0["uid"] as? String }
            #expect(Set(uids) == ["u-bob", "u-cat", "u-dan", "u-eve", "u-fay"], "\(changes.text)")
        }
    }

    @Test func `the report does not promise to return a name that somebody else has`()
        async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await app.db.write.run(
                "UPDATE usernames SET user_id = user_id('u-bob') WHERE name_key = 'ann'"
            )
            let store = VerifyStore(db: app.db, checks: App.checks)
            func line() async throws -> String? {
                try await store.verify().lines.first { $0.hasPrefix("name_not_active") }
            }
            let promise = "`kith verify --repair` repairs it, unless somebody else has a claim to the name"
            #expect(try await line()?.hasSuffix(promise) == true)
            let left = try await store.verify(repairing: true).broken.map(\.invariant.name)
            #expect(left.contains("name_not_active"))
            #expect(try await line()?.hasSuffix(promise) == true)
        }
    }

    @Test func `a repair that a constraint refuses is reported as left`() async throws {
        try await TestApp.run { app in
            try await makeWorld(app)
            try await app.db.write.run("UPDATE invites SET uses = 2 WHERE kind = 'custom'")
            try await app.db.write.run(
                "ALTER TABLE invites ADD CONSTRAINT never CHECK (uses <> 1) NOT VALID")
            let report = try await VerifyStore(db: app.db, checks: App.checks).verify(repairing: true)
            #expect(report.broken.map(\.invariant.name) == ["uses_miscounted"])
            #expect(report.lines.first?.contains("could not be repaired") == true)
        }
    }

    @Test func `thousands of broken rows in many slices are counted and repaired, and a few are shown`()
        async throws
    {
        try await TestApp.run { app in
            let people = try await app.people("p", 2000)
            try await app.db.write.run(
                """
                WITH people AS MATERIALIZED (SELECT id, uid, username FROM users)
                INSERT INTO relationships (user_id, other_id, other_uid, other_username, i_want, they_want, since)
                SELECT a.id, b.id, b.uid, b.username, true, true, '2026-01-01Z'
                FROM people a JOIN people b ON b.id <> a.id AND (hashtext(a.uid) # hashtext(b.uid)) % 400 = 0
                """)
            let rows = try await app.count("relationships")
            try #require(rows > 5000)
            try await app.db.write.run("UPDATE users SET ends_forgotten = 5")
            try await app.db.write.run(
                "UPDATE relationships SET since = '2026-01-02Z' WHERE user_id < other_id")
            let report = try await VerifyStore(db: app.db, checks: App.checks).verify(repairing: true)
            let breaches = Dictionary(uniqueKeysWithValues: report.breaches.map { ($0.invariant.name, $0) })
            #expect(breaches.keys.sorted() == ["ends_forgotten_beyond_count", "friends_since_differ"])
            #expect(breaches["ends_forgotten_beyond_count"]?.mended == people.count)
            #expect(breaches["ends_forgotten_beyond_count"]?.keys.count == VerifyReport.Breach.keysShown)
            #expect(report.broken.isEmpty)
            #expect(report.rows.first { $0.table == "relationships" }?.count == rows)
            try await app.verify()
        }
    }

    @Test func `an older schema is not verified`() async throws {
        let db = try await Database(Database.Configuration(url: TestPostgres.shared.database()))
        await #expect(throws: MigrationError.self) {
            try await VerifyStore(db: db, checks: App.checks).verify()
        }
        await db.close()
    }

    @Test func `slices cover each user once, and so do their halves`() {
        for count in [1, 2, 3, 50, 1000] {
            let slices = Slice.ofUsers(count).flatMap(\.halves)
            #expect(slices.first?.bounds.from == "00000000-0000-0000-0000-000000000000")
            #expect(slices.last?.bounds.before == nil)
            for (one, next) in zip(slices, slices.dropFirst()) {
                #expect(one.bounds.before == next.bounds.from)
            }
        }
    }

    @Test func `numbers of a deleted account that came meanwhile are deleted, and no others`() async throws {
        try await TestApp.run { app in
            var codes: [String] = []
            for name in ["ann", "bob"] {
                try await app.signUp(name)
                codes.append(
                    try #require(try await app.post("/v1/invites", as: "u-\(name)", ["label": "x"])["code"]))
            }
            #expect(try await app.call(.delete, "/v1/me", as: "u-ann").status == 204)
            let ann = subject(ofCountsOf: "u-ann")
            for subject in [ann, subject(ofCountsOf: "u-bob"), "", "x"] + codes {
                try await app.db.write.run(
                    "INSERT INTO counts (subject, measure, day, count) VALUES (\(subject), 'invites.page', '2026-11-20', 3)"
                )
            }
            let repaired = try await VerifyStore(db: app.db, checks: App.checks).verify(repairing: true)
            #expect(repaired.breaches.map(\.invariant.name) == ["counts_of_deleted"], "\(repaired)")
            #expect(try await app.count("counts") == 4)
            #expect(try await app.count("counts WHERE subject IN ('\(ann)', '\(codes[0])')") == 0)
            try await app.verify()
        }
    }

    private func subject(ofCountsOf uid: String) -> String {
        User.ID(of: User.UID(stored: uid)).uuid.uuidString.lowercased()
    }
}
