import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Web

/// What Citus leaves for some seconds if it loses a node between the two halves of a COMMIT: one node shows
/// its half, and rows of the other half that were inserted are not seen yet. An act that must change such a
/// row waits for it.
@Suite(.inTurns) struct HalfCommitTests {
    struct Row: CustomTestStringConvertible {
        var missing, condition: String
        var act: @Sendable (TestApp) async throws -> Int

        var testDescription: String { "\(missing) WHERE \(condition)" }

        init(_ missing: String, _ condition: String, _ act: @escaping @Sendable (TestApp) async throws -> Int)
        {
            (self.missing, self.condition, self.act) = (missing, condition, act)
        }
    }

    /// Pal is Ann's friend, Ask asks her.
    private static func who(_ uid: String) -> String { "user_id('u-\(uid)')" }
    private static let asked = "user_id = \(who("pal")) AND other_id = \(who("ask"))"
    private static let friend = "user_id = \(who("pal")) AND other_id = \(who("ann"))"

    private static let rename: @Sendable (TestApp) async throws -> Int = {
        try await $0.rename("u-ann", to: "anna").status
    }
    private static let delete: @Sendable (TestApp) async throws -> Int = {
        try await $0.call(.delete, "/v1/me", as: "u-ann").status
    }

    @Test(arguments: [
        Row("usernames", "name_key = 'ann'", rename),
        Row("relationships", friend, rename),
        Row("relationships", friend) {
            try await $0.call(.patch, "/v1/me", as: "u-ann", body: ["displayName": "Ann"]).status
        },
        Row("relationships", friend) { try await $0.act(.unwant, "u-ann", on: "u-pal").status },
        Row("relationships", friend) {
            try await $0.call(
                .put, "/v1/admin/users/u-ann/suspension", headers: $0.keyed(.admin), body: [:]
            ).status
        },
        Row("usernames", "name_key = 'ann'", delete),
        Row("relationships", friend, delete),
        Row("relationships", "user_id = \(who("ask")) AND other_id = \(who("ann"))", delete),
        Row("invites", "owner_id = \(who("ann"))", delete),
        Row("invites", "owner_id = \(who("ann"))") {
            try await $0.post("/v1/me/invite/rotate", as: "u-ann").status
        },
    ])
    func `an act that needs a row which is not there yet changes nothing, and works once it is there`(
        row: Row
    )
        async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "pal", "ask"] { try await app.signUp(name) }
            try await app.befriend("u-ann", "u-pal")
            try await app.act(.want, "u-ask", on: "u-ann")
            #expect(try await app.get("/v1/me/invite", as: "u-ann").status == 200)

            let (table, condition) = (Statement(text: row.missing), Statement(text: row.condition))
            let hidden = try await app.db.write.query(
                "SELECT to_jsonb(t)::text FROM \(table) t WHERE \(condition)"
            ) { try $0.next(as: String.self) }
            try #require(hidden.count == 1)
            // All but those that PostgreSQL computes.
            let columns = try await app.db.write.first(
                """
                SELECT string_agg(attname, ', ' ORDER BY attnum) FROM pg_attribute
                WHERE attrelid = \(row.missing)::text::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
                """
            ) { Statement(text: try $0.next(as: String.self)) }
            let list = try #require(columns)
            try await app.db.write.run("DELETE FROM \(table) WHERE \(condition)")
            let before = try await app.footprint()
            let refused = try await row.act(app)
            #expect(refused == 503)
            #expect(try await app.footprint() == before)

            try await app.db.write.run(
                """
                INSERT INTO \(table) (\(list))
                SELECT \(list) FROM jsonb_populate_record(NULL::\(table), \(hidden[0])::jsonb)
                """
            )
            let status = try await row.act(app)
            #expect(status == 200 || status == 204, "\(status)")
            try await app.verify()
        }
    }

    /// The half that was written, while it is not committed on its node; and an act that meets it.
    struct Held: CustomTestStringConvertible {
        var before: @Sendable (TestApp) async throws -> Void = { _ in }
        /// What is committed.
        var seen = "SELECT"
        /// What is not.
        var unseen: String
        var act: @Sendable (TestApp) async throws -> Int

        var testDescription: String { unseen }
        var isOfAsk: Bool { unseen.contains("u-ask") }
    }

    @Test(arguments: [
        Held(unseen: "UPDATE relationships SET they_away = true WHERE \(asked)") {
            try await $0.act(.want, "u-pal", on: "u-ask").status
        },
        Held(
            before: { try await $0.setStatus("suspended", of: "u-ann") },
            seen: "UPDATE users SET status = 'active' WHERE uid = 'u-ann'",
            unseen: "UPDATE relationships SET they_away = false WHERE \(friend)"
        ) {
            try await $0.setStatus("suspended", of: "u-ann")
            return 200
        },
        Held(
            before: { _ = try await $0.call(.patch, "/v1/me", as: "u-ann", body: ["displayName": "Ann"]) },
            seen: "UPDATE users SET display_name = 'Oops' WHERE uid = 'u-ann'",
            unseen: "UPDATE relationships SET other_display_name = 'Oops' WHERE \(friend)"
        ) {
            try await $0.call(.patch, "/v1/me", as: "u-ann", body: ["displayName": "Ann"]).status
        },
        Held(
            unseen: "UPDATE users SET frozen_at = now(), frozen_reason = 'spam' WHERE uid = 'u-ann'"
        ) {
            try await $0.call(
                .delete, "/v1/admin/users/u-ann/invite-freeze", headers: $0.keyed(.admin)
            ).status
        },
    ])
    func `an act that meets a row which is still the old one waits for the new one`(held: Held) async throws {
        try await TestApp.run { app in
            for name in ["ann", "pal", "ask"] { try await app.signUp(name) }
            try await app.befriend("u-ann", "u-pal")
            try await app.act(.want, "u-ask", on: "u-pal")
            try await held.before(app)
            try await app.db.write.run(Statement(text: held.seen))
            try await app.db.withConnection { session in
                try await session.script("BEGIN; \(held.unseen)")
                async let status = held.act(app)
                try await app.untilSomebodyWaits()
                try await session.script("COMMIT")
                #expect(try await status == 200)
            }
            // The request was of somebody who is suspended by now.
            try await app.db.write.run(
                "UPDATE users SET status = 'suspended' WHERE uid = 'u-ask' AND \(held.isOfAsk)")
            try await app.verify()
            #expect(try await app.count("users WHERE frozen_at IS NOT NULL") == 0)
        }
    }

    @Test func `a repeated call with a key is asked to come again until its link is there`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let headers: HTTPFields = [.idempotencyKey: "k1"]
            let link = try await app.post("/v1/invites", as: "u-ann", headers: headers)
            let code: String = try #require(link["code"])
            let row = try await app.db.read.first(
                "SELECT to_jsonb(i)::text FROM invites i WHERE code = \(code)"
            ) { try $0.next(as: String.self) }
            try await app.db.write.run("DELETE FROM invites WHERE code = \(code)")
            #expect(try await app.post("/v1/invites", as: "u-ann", headers: headers).status == 503)
            try await app.db.write.run(
                "INSERT INTO invites SELECT * FROM jsonb_populate_record(NULL::invites, \(row)::jsonb)")
            #expect(try await app.post("/v1/invites", as: "u-ann", headers: headers)["code"] == code)
        }
    }
}
