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
@testable import Visits
@testable import Web

/// What a deletion leaves, in every table: row 3 of the table "Accounts" in docs/rules.md names all of it.
@Suite(.inTurns) struct DeletionLeavesTests {
    /// Of the columns that still hold a text of the user, or the hash of their uid, the words by which row 3
    /// names them.
    private static let texts = [
        "users.uid": "the uid, and that it had an account",
        "usernames.name_key": "names without an owner",
        "relationships.other_uid": "other users' requests and blocks, and which friendships ended",
        "dismissals.other_uid": "whom others do not want to be suggested",
        "links.parameters": "deep links that operators, backends or apps made to the user's page",
        "links.search_text": "deep links that operators, backends or apps made to the user's page",
    ]
    private static let hashes = [
        "users.id": "the uid, and that it had an account",
        "relationships.user_id": "other users' requests and blocks, and which friendships ended",
        "relationships.other_id": "other users' requests and blocks, and which friendships ended",
        "dismissals.other_id": "whom others do not want to be suggested",
        "invites.owner_id": "the dead codes", "invites_by_owner.owner_id": "the dead codes",
        "invite_uses.user_id": "which links the user came by",
        "acceptances.invitee_id": "which links the user came by",
        "acceptances.inviter_id": "which links the user came by",
        "installs.invitee_id": "which links the user came by",
        "audit.user_id": "what operators did to the account",
        "events.user_id": "events of the last `KITH_EVENT_DAYS`",
        "events.other_id": "events of the last `KITH_EVENT_DAYS`",
        "webhook_deliveries.user_id": "what endpoints did not take of them",
        "referrals.invitee_id": "rewards, with the entries of the ledger",
        "referrals.inviter_id": "rewards, with the entries of the ledger",
        "rewards.user_id": "rewards, with the entries of the ledger",
        "rewards.invitee_id": "rewards, with the entries of the ledger",
        "rewards.other_id": "rewards, with the entries of the ledger",
        "reward_postings.user_id": "rewards, with the entries of the ledger",
    ]

    private static let (uid, name) = ("zedsecret-uid", "zedsecret")
    private static var id: String { User.ID(of: User.UID(stored: uid)).uuid.uuidString.lowercased() }

    /// Every column of every table that holds the text in any row, in any case.
    private func columns(_ app: TestApp, holding text: String) async throws -> Set<String> {
        let all = try await app.db.read.query(
            """
            SELECT c.table_name::text, c.column_name::text FROM information_schema.columns c
            JOIN pg_class t ON t.oid = format('%I.%I', c.table_schema, c.table_name)::regclass
            WHERE c.table_schema = 'public' AND t.relkind IN ('r', 'p') AND NOT t.relispartition
            """
        ) { try (table: $0.next(as: String.self), column: $0.next(as: String.self)) }
        #expect(Set(all.map(\.table)).count > 40)
        var found: Set<String> = []
        for (table, column) in all {
            let sql = "SELECT count(*) FROM \(table) WHERE \(column)::text ILIKE '%\(text)%'"
            let rows = try await app.db.read.first(Statement(text: sql)) { try $0.next(as: Int.self) } ?? 0
            if rows > 0 { found.insert("\(table).\(column)") }
        }
        return found
    }

    /// Everything that a user can leave somewhere, with all that is optional.
    private func live(_ stage: RewardStage) async throws {
        let (app, uid, name) = (stage.app, Self.uid, Self.name)
        for other in ["inv", "pal", "fan", "boss", "enemy", "foe", "lone", "former"] {
            try await app.signUp(other)
        }
        let personal = try #require(try await app.get("/v1/me/invite", as: "u-inv")["code"])
        let joined = try await app.post(
            "/v1/signup", as: uid,
            [
                "username": "\(name)_old", "displayName": "Zedsecret Display",
                "invite": ["code": personal] as Body,
                "avatarUrl": "https://cdn.example.com/zedsecret.png",
                "metadata": ["pet": "zedsecret pet"] as Body,
            ])
        try #require(joined.status == 201, "\(joined.text)")
        try await app.age(uid, hours: 25)
        try await app.rename(uid, to: "\(name)_tmp")
        try await app.rename(uid, to: name)
        for other in ["pal", "former"] { try await app.befriend(uid, "u-\(other)") }
        try await app.act(.unwant, "u-former", on: uid)
        try await app.act(.want, "u-fan", on: uid)
        try await app.act(.want, uid, on: "u-boss")
        try await app.act(.block, "u-enemy", on: uid)
        try await app.act(.block, uid, on: "u-foe")
        _ = try await app.call(.delete, "/v1/suggestions/\(uid)", as: "u-lone")
        _ = try await app.call(.delete, "/v1/suggestions/zedsecret-crush", as: uid)
        let made = try await app.post(
            "/v1/invites", as: uid, headers: [.idempotencyKey: "zedsecret-key"],
            ["label": "Zedsecret party", "note": "Zedsecret note", "maxUses": 5])
        let code = try #require(made["code"], "\(made.text)")
        try await app.signUp("kid", invite: ["code": code])
        try await app.signUp("kin", invite: TestApp.link(name, uid))
        try await visit(app, code)
        try await earn(stage)
    }

    /// Visits, taps, claims, deep links and experiments.
    private func visit(_ app: TestApp, _ code: String) async throws {
        let (uid, name) = (Self.uid, Self.name)
        for path in ["/users/\(name)?invitedBy=\(uid)", "/\(code)"] {
            #expect(try await app.get(path, headers: .android).status < 400)
        }
        let tap = try await app.tap("/users/\(name)/play-store?invitedBy=\(uid)&code=\(code)")
        _ = try await app.claim(["platform": "android", "referrer": tap], of: "zedsecret-phone")
        _ = try await app.claim(
            ["platform": "ios", "pasteboard": "\(TestApp.origin)/users/\(name)?invitedBy=\(uid)"],
            of: "zedsecret-pad")
        // Who came by another's tap, and leaves.
        let other = try await app.tap("/users/inv/play-store?invitedBy=u-inv")
        #expect(try await app.claim(["platform": "android", "referrer": other]).status == 200)
        try await app.db.write.run(
            "UPDATE installs SET invitee_id = user_id(\(uid)) WHERE inviter_id = user_id('u-inv')")
        let link = try await app.post(
            "/v1/links", as: nil, headers: app.keyed(.server),
            ["parameters": ["link": "\(TestApp.origin)/users/\(name)?invitedBy=\(uid)"]])
        try #require(link.status == 201, "\(link.text)")
        try await app.db.write.batch([
            "INSERT INTO exposures (unit, experiment, phase, variation) VALUES (user_id(\(uid)), 'e', 1, 'control')",
            """
            INSERT INTO conversions (unit, experiment, phase, goal, reached_at)
            VALUES (user_id(\(uid)), 'e', 1, 'friend', now())
            """,
        ])
    }

    /// Rewards, purchases, offer codes, events, and acts of operators.
    private func earn(_ stage: RewardStage) async throws {
        let (app, uid) = (stage.app, Self.uid)
        for (name, value) in [
            ("email", "zedsecret@example.com"), ("phone", "+818012345678"), ("device", "zedsecret-device"),
            ("address", "203.0.113.9"),
        ] {
            try await stage.signal(uid, name, value)
        }
        try await stage.act(uid, id: "zedsecret-act")
        #expect(try await stage.shop.show(stage.shop.month(1), by: uid).status == 201)
        try await stage.work()
        #expect(try await stage.balance(of: uid) > 0)
        #expect(try await stage.spend(10, by: uid, id: "zedsecret-spend").status == 201)
        var asUser = try await app.keyed()
        asUser[.kithUser] = uid
        _ = try await app.call(.patch, "/v1/me", headers: asUser, body: ["displayName": "Zedsecret Two"])
        for (method, path, body): (HTTPRequest.Method, String, Body?) in [
            (.put, "suspension", ["reason": "ticket 9"]), (.delete, "suspension?reason=ticket%2010", nil),
            (.put, "invite-freeze", ["reason": "ticket 11"]),
        ] {
            let answer = try await app.call(
                method, "/v1/admin/users/\(uid)/\(path)", headers: app.keyed(), body: body)
            #expect(answer.status == 200, "\(answer.text)")
        }
        try await app.numberEvents()
        try await app.db.write.batch([
            """
            INSERT INTO webhooks (id, url, types, secret, position)
            VALUES ('00000000-0000-4000-8000-000000000001', 'https://a.example/', '{user.renamed}', '', 0)
            """,
            """
            INSERT INTO webhook_deliveries (webhook_id, event_id, user_id)
            VALUES ('00000000-0000-4000-8000-000000000001', 1, user_id(\(uid)))
            """,
            "INSERT INTO offer_campaigns (key, app_store_id, offer, environment, low_water) VALUES ('c', '1', 'o', 'sandbox', 0)",
            """
            INSERT INTO offer_codes (campaign, id, sealed, expires_at, dealt_at, deal_id, user_id)
            VALUES ('c', gen_random_uuid(), '', now() + interval '9 days', now(), gen_random_uuid(), user_id(\(uid)))
            """,
        ])
    }

    @Test func `row 3: of a deleted user there stays in all tables what the row says, and nothing else`()
        async throws
    {
        try await RewardStage.run(
            users: [],
            configure: {
                TestApp.withStores(&$0)
                $0.avatarHosts = AvatarHosts("cdn.example.com") ?? $0.avatarHosts
                $0.app.linkDomains = "https://go.example.com"
            }
        ) { stage in
            try await live(stage)
            let app = stage.app
            // Some visits are counted, another waits.
            try await app.count()
            await app.app.clicks.record(
                [.page], of: [.invites(of: User.ID(of: User.UID(stored: Self.uid)))],
                by: ClickVisitor(platform: .ios))
            // The fixture would say nothing of a column that it leaves empty.
            let before = try await columns(app, holding: "zedsecret")
            #expect(before.isSuperset(of: Self.texts.keys))
            #expect(
                before.isSuperset(of: [
                    "users.username", "users.display_name", "users.avatar_url", "users.metadata",
                    "signups.metadata",
                    "signups.inviter_username", "relationships.other_username",
                    "relationships.other_avatar_url",
                    "username_periods.username", "invites.label", "invites.note",
                    "invites_by_owner.idempotency_key",
                    "invites_by_owner.answer", "installs.name_key", "dismissals.other_uid",
                ]), "\(before)")
            let held = try await columns(app, holding: Self.id)
            let wanted = Set(Self.hashes.keys).union(["clicks.link", "counts.subject"])
            #expect(wanted.subtracting(held) == [])
            let deleted = try await app.call(.delete, "/v1/me", as: Self.uid)
            #expect(deleted.status == 204, "\(deleted.text)")
            try await app.count()
            #expect(try await columns(app, holding: "zedsecret") == Set(Self.texts.keys))
            #expect(try await columns(app, holding: Self.id) == Set(Self.hashes.keys))
            #expect(try await app.count("installs WHERE inviter_id = user_id('\(Self.uid)')") == 0)
        }
    }

    @Test func `row 3 names each of these`() throws {
        let rules = try RepositoryFile.read("docs/rules.md")
        let row = try #require(rules.split(separator: "\n").first { $0.hasPrefix("| 3 | deleted |") })
        for phrase in Set(Self.texts.values).union(Self.hashes.values) {
            #expect(row.contains(phrase), "\(phrase)")
        }
    }

    @Test func `taps and claims while an account is deleted leave no name`() async throws {
        try await TestApp.run(configure: TestApp.withStores) { app in
            for round in 0..<20 {
                let (name, uid) = ("gone\(round)", try await app.signUp("gone\(round)"))
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<4 {
                        group.addTask {
                            try await app.claim(
                                [
                                    "platform": "ios",
                                    "pasteboard": "\(TestApp.origin)/users/\(name)?invitedBy=\(uid)",
                                ],
                                of: "i-\(round)-\(number)"
                            ).status
                        }
                        group.addTask {
                            try await app.get(
                                "/users/\(name)/play-store?invitedBy=\(uid)", headers: .android
                            ).status
                        }
                    }
                    group.addTask { try await app.call(.delete, "/v1/me", as: uid).status }
                    for try await status in group { #expect(status < 500) }
                }
            }
            #expect(try await app.count("users WHERE status = 'deleted'") == 20)
            #expect(try await app.count("installs") == 0)
            // Clicks that come within a deletion may be counted in part.
            let report = try await VerifyStore(db: app.db, checks: App.checks).verify(repairing: true)
            #expect(report.breaches.allSatisfy { $0.invariant.name == "counts_of_deleted" }, "\(report)")
            try await app.verify()
        }
    }

    @Test func `a tap that saw the account before its deletion is deleted with it`() async throws {
        try await TestApp.run(configure: TestApp.withStores) { app in
            let uid = try await app.signUp("ann")
            let ann = User.ID(of: User.UID(stored: uid)).uuid
            try await app.db.withConnection { session in
                // A tap under way: it has seen the account, and has not written yet.
                try await session.script("BEGIN; SELECT 1 FROM users WHERE id = '\(ann)' FOR KEY SHARE")
                async let deleted = app.call(.delete, "/v1/me", as: uid)
                try await waitUntil("the account is deleted") {
                    try await app.count("users WHERE status = 'deleted'") == 1
                }
                try await session.script(
                    """
                    INSERT INTO installs (inviter_id, id, app, platform, name_key, has_uid, expires_at)
                    VALUES ('\(ann)', gen_random_uuid(), 'standard', 'ios', 'ann', true, now() + interval '1 day');
                    COMMIT
                    """)
                #expect(try await deleted.status == 204)
            }
            #expect(try await app.count("installs") == 0)
        }
    }
}
