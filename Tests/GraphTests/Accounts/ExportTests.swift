import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Web

/// `GET /v1/me/export`.
@Suite(.inTurns) struct ExportTests {
    private func list(_ answer: TestApp.Answer, _ path: String) -> [[String: Any]] {
        var value: Any? = answer.json
        for key in path.split(separator: ".") { value = (value as? [String: Any])?[String(key)] }
        return value as? [[String: Any]] ?? []
    }

    private func uids(_ answer: TestApp.Answer, _ path: String) -> [String] {
        list(answer, path).compactMap { $0["uid"] as? String }.sorted()
    }

    /// Ann has a row in every table that the export covers.
    private func populate(_ app: TestApp) async throws {
        for name in ["hugo", "fay", "ozu", "ian", "dee", "bob"] { try await app.signUp(name) }
        let host = try #require(try await app.get("/v1/me/invite", as: "u-hugo")["code"])
        try await app.signUp("ann", invite: ["code": host])
        try await app.rename("u-ann", to: "anna")
        let name: Body = ["displayName": "Ann 花"]
        _ = try await app.call(.patch, "/v1/me", as: "u-ann", body: name)
        _ = try await app.get("/v1/me/invite", as: "u-ann")
        let extra = try #require(
            try await app.post(
                "/v1/invites", as: "u-ann", headers: [.idempotencyKey: "key-1"], ["label": "Party"])[
                    "code"])
        try await app.signUp("kim", invite: ["code": extra])
        try await app.signUp("lee", invite: TestApp.link("anna", "u-ann"))
        for (one, other) in [("ann", "fay"), ("fay", "ann"), ("ann", "ozu"), ("ian", "ann"), ("dee", "ann")] {
            _ = try await app.put("/v1/friends/u-\(other)", as: "u-\(one)", [:])
        }
        _ = try await app.call(.delete, "/v1/friends/u-dee", as: "u-ann")
        _ = try await app.call(.put, "/v1/blocks/u-bob", as: "u-ann")
        _ = try await app.call(.delete, "/v1/suggestions/u-nob", as: "u-ann")
        try await app.db.withConnection {
            try await $0.script(
                """
                INSERT INTO offer_campaigns (key, app_store_id, offer, environment, low_water)
                VALUES ('spring', '1', 'Spring', 'production', 0);
                INSERT INTO offer_codes (campaign, id, sealed, expires_at, dealt_at, deal_id, user_id)
                VALUES ('spring', gen_random_uuid(), '', now() + interval '1 day', now(), gen_random_uuid(), user_id('u-ann'));
                INSERT INTO purchases (original_transaction_id, environment, change_id, bundle_id, type, family_shared,
                                       started_at, user_id, tied_at)
                VALUES ('1', 'production', gen_random_uuid(), 'com.example.app', 'Consumable', false, now(), user_id('u-ann'), now());
                INSERT INTO purchase_periods (original_transaction_id, environment, transaction_id, product_id, purchased_at,
                                              upgraded, signed_at)
                VALUES ('1', 'production', '1', 'coins', now(), false, now());
                INSERT INTO exposures (unit, experiment, phase, variation) VALUES (user_id('u-ann'), 'exp', 1, 'control');
                INSERT INTO conversions (unit, experiment, phase, goal, reached_at)
                VALUES (user_id('u-ann'), 'exp', 1, 'bought', now());
                INSERT INTO referrals (invitee_id, program, inviter_id, signed_up_at, qualified_at, made_at)
                VALUES (user_id('u-ann'), 'autumn', user_id('u-hugo'), now(), now(), now());
                INSERT INTO reward_actions (user_id, action, id, at) VALUES (user_id('u-ann'), 'played', '1', now());
                INSERT INTO reward_signals (user_id, kind, time) VALUES (user_id('u-ann'), 'clicked', now());
                INSERT INTO rewards (user_id, id, program, invitee_id, side, other_id, kind, unit, amount, state, change_id, due_at,
                                     approved_at)
                VALUES (user_id('u-ann'), user_id('reward'), 'autumn', user_id('u-ann'), 'invitee', user_id('u-hugo'), 'credit',
                        'coins', 5, 'approved', gen_random_uuid(), now(), now());
                INSERT INTO reward_postings (user_id, id, kind, debit, credit, program, unit, amount, reward_id)
                VALUES (user_id('u-ann'), gen_random_uuid(), 'reward', 'program', 'user', 'autumn', 'coins', 5, user_id('reward'));
                """)
        }
    }

    @Test func `the export contains everything that the lists show`() async throws {
        try await TestApp.run { app in
            try await populate(app)
            let export = try await app.get("/v1/me/export", as: "u-ann")
            #expect(export.status == 200)
            #expect(export.headers[.contentDisposition] == #"attachment; filename="kith-export.json""#)
            #expect(export.headers[.cacheControl] == "no-store")
            let (me, link) = try await (app.get("/v1/me", as: "u-ann"), app.get("/v1/me/invite", as: "u-ann"))
            let beside: Set = ["invitedBy", "link", "counts", "rename"]
            for key in me.json.keys where !beside.contains(key) {
                #expect(export["profile.\(key)"] == me[key], "\(key)")
            }
            #expect(export["profile.inviteCode"] == link["code"])
            #expect(export["signUp.username"] == "ann" && export["signUp.invite"] == "accepted")
            #expect(list(export, "usernames").compactMap { $0["username"] as? String } == ["ann", "anna"])
            #expect(list(export, "usernames").first?["heldUntil"] is String)
            #expect(export["invitedBy.inviter.uid"] == "u-hugo" && export["invitedBy.code"] != nil)
            let used = list(export, "usedLinks").compactMap { $0["code"] as? String }
            #expect(used == [export["invitedBy.code"]])
            #expect(uids(export, "invitees") == ["u-kim", "u-lee"])
            let extra = try #require(list(export, "invites").first { $0["kind"] as? String == "custom" })
            #expect(extra["label"] as? String == "Party" && extra["idempotencyKey"] as? String == "key-1")
            #expect((extra["joined"] as? [[String: Any]])?.compactMap { $0["uid"] as? String } == ["u-kim"])
            #expect(list(export, "invites").contains { $0["code"] as? String == link["code"] })
            for (path, key) in [("friends", "friends"), ("blocks", "blocks")] {
                let shown = try await app.get("/v1/\(path)", as: "u-ann")
                #expect(NSArray(array: list(export, key)).isEqual(to: list(shown, key)), "\(path)")
            }
            #expect(uids(export, "friends") == ["u-fay", "u-hugo", "u-kim", "u-lee"])
            #expect(uids(export, "requests.incoming") == ["u-ian"])
            #expect(uids(export, "requests.outgoing") == ["u-ozu"])
            #expect(uids(export, "blocks") == ["u-bob"])
            #expect(uids(export, "declined") == ["u-dee"])
            #expect(uids(export, "dismissed") == ["u-nob"])
        }
    }

    /// The field of the document that shows the user's rows of each table.
    private static let places: [String: String] = [
        "users": "profile", "signups": "signUp", "usernames": "usernames", "username_periods": "usernames",
        "acceptances": "invitedBy", "relationships": "friends", "invites": "invites",
        "invites_by_owner": "invites", "invite_uses": "usedLinks", "dismissals": "dismissed",
        "offer_codes": "offers", "purchases": "purchases",
        "exposures": "experiments", "conversions": "experiments", "rewards": "rewards",
        "reward_postings": "rewardLedger", "referrals": "referrals", "reward_actions": "rewardActions",
        "reward_signals": "rewardSignals",
    ]

    @Test func `the export covers every table with rows of users`() async throws {
        try await TestApp.run { app in
            try await populate(app)
            let ann = User.ID(of: User.UID(stored: "u-ann"))
            let columns = try await app.db.read.query(
                """
                SELECT table_name::text, column_name::text FROM information_schema.columns
                WHERE table_schema = 'public' AND data_type = 'uuid'
                  -- Keys that are hashes, visitors, who are nobody yet, and events of what the other tables hold; all of them
                  -- expire. Webhooks, test devices and people are the operators' own, and so is the audit.
                  AND table_name NOT IN
                    ('rate_limits', 'installs', 'link_claims', 'outbox', 'webhooks', 'webhook_deliveries', 'test_devices', 'people', 'sign_in_links',
                     'sessions', 'audit', 'reward_positions')
                  AND table_name NOT LIKE 'clicks%' AND table_name NOT LIKE 'events%'
                ORDER BY 1, 2
                """
            ) { try ($0.next(as: String.self), $0.next(as: String.self)) }
            #expect(
                Set(columns.map(\.0)) == Set(Self.places.keys), "a new table needs its place in the export")
            let export = try await app.get("/v1/me/export", as: "u-ann")
            for table in Set(columns.map(\.0)) {
                let mine = columns.filter { $0.0 == table }.map { "\($0.1) = '\(ann.uuid)'" }
                let count = try await app.count("\(table) WHERE \(mine.joined(separator: " OR "))")
                #expect(count > 0, "\(table)")
                let value = export.json[Self.places[table] ?? ""]
                #expect((value as? [Any])?.isEmpty == false || (value as? [String: Any]) != nil, "\(table)")
            }
        }
    }

    @Test func `an export in many parts is complete, with each row once, even for rows of one instant`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let people = try await app.people("p", 1201)
            let code = try #require(try await app.post("/v1/invites", as: "u-ann")["code"])
            let ann = User.ID(of: User.UID(stored: "u-ann"))
            let others = "FROM users u WHERE u.id <> '\(ann.uuid)'"
            func run(_ sql: String) async throws {
                try await app.db.write.run(Statement(text: sql))
            }
            try await run(
                "INSERT INTO acceptances (invitee_id, inviter_id) SELECT id, '\(ann.uuid)' \(others)")
            try await run("INSERT INTO invite_uses (code, user_id) SELECT '\(code)', id \(others)")
            try await run("UPDATE invites SET uses = 1201 WHERE kind = 'custom'")
            try await run(
                """
                INSERT INTO invites (code, owner_id, kind)
                SELECT 'used' || row_number() OVER (), id, 'custom' \(others)
                """)
            try await run(
                """
                INSERT INTO invite_uses (code, user_id)
                SELECT code, '\(ann.uuid)' FROM invites WHERE owner_id <> '\(ann.uuid)'
                """)
            try await run(
                """
                INSERT INTO invites_by_owner (owner_id, code, kind)
                SELECT '\(ann.uuid)', code, 'custom' FROM invites WHERE owner_id <> '\(ann.uuid)'
                """)
            try await run(
                "INSERT INTO dismissals (user_id, other_id, other_uid) SELECT '\(ann.uuid)', id, uid \(others)"
            )
            try await run(
                """
                INSERT INTO relationships (user_id, other_id, other_uid, i_block, blocked_at, declines)
                SELECT '\(ann.uuid)', id, uid, true, now(), 1 \(others)
                """)
            let export = try await app.get("/v1/me/export", as: "u-ann")
            for path in ["invitees", "blocks", "declined", "dismissed"] {
                #expect(uids(export, path) == people.sorted(), "\(path)")
            }
            #expect(Set(list(export, "usedLinks").compactMap { $0["code"] as? String }).count == 1201)
            #expect(list(export, "usedLinks").count == 1201)
            let links = list(export, "invites")
            #expect(Set(links.compactMap { $0["code"] as? String }).count == 1203 && links.count == 1203)
            let joined = links.compactMap { ($0["joined"] as? [[String: Any]])?.count }
            #expect(joined.count == 1203 && joined.reduce(0, +) == 1201)
        }
    }

    @Test func `usernames are read in parts, oldest first, even those of one instant`() async throws {
        try await TestApp.run { app in
            let ann = User.ID(of: User.UID(stored: try await app.signUp("ann")))
            try await app.db.write.run(
                """
                INSERT INTO username_periods (user_id, name_key, username, valid_from, valid_to)
                SELECT \(ann), 'old' || n, 'old' || n, now() - interval '1 year', now() - interval '1 year'
                FROM generate_series(10, 15) n
                """)
            var parts: [[UInt8]] = []
            try await ExportDocument.write(ExportReader(db: app.db, user: ann, rows: 2)) {
                parts.append($0)
            } members: {
                try await UsernameStore.export(into: &$0)
            }
            let names = parts.map { String(decoding: $0, as: UTF8.self) }.map {
                $0.matches(of: /"username":"(\w+)"/).map { String($0.1) }
            }
            #expect(names == [["old10", "old11"], ["old12", "old13"], ["old14", "old15"], ["ann"], []])
            let export = try await app.get("/v1/me/export", as: "u-ann")
            #expect(
                list(export, "usernames").compactMap { $0["username"] as? String } == names.flatMap(\.self))
        }
    }

    @Test func `the export reveals nothing about others that the lists do not`() async throws {
        try await TestApp.run { app in
            try await populate(app)
            for (uid, end) in [
                ("u-kim", "suspended"), ("u-fay", "deleted"), ("u-ian", "suspended"), ("u-ozu", "suspended"),
                ("u-bob", "deleted"), ("u-hugo", "suspended"), ("u-lee", "deleted"),
            ] {
                try await app.setStatus(end, of: uid)
            }
            let export = try await app.get("/v1/me/export", as: "u-ann")
            for uid in ["u-kim", "u-fay", "u-ian", "u-hugo", "u-lee"] {
                #expect(!export.text.contains("\"\(uid)\""), "\(uid)")
            }
            #expect(uids(export, "requests.outgoing") == ["u-ozu"] && uids(export, "blocks") == ["u-bob"])
            for name in ["ozu", "bob", "fay"] { #expect(!export.text.contains("\"username\":\"\(name)\"")) }
            #expect(export["invitedBy.at"] != nil && export["invitedBy.inviter"] == nil)
        }
    }
}
