import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel

/// Requests and blocks of many strangers hold up neither suspension nor deletion, which leave such rows
/// alone.
@Suite(.inTurns) struct AbsenceTests {
    private func id(_ uid: String) -> User.ID { User.ID(of: User.UID(stored: uid)) }

    /// `count` strangers who block a user, and `count` whose requests the user declined.
    private func crowd(_ app: TestApp, around uid: String, _ count: Int) async throws {
        for (prefix, asks) in [("blocker", false), ("asker", true)] {
            let ids = try await app.people(prefix, count).map { id($0).uuid }
            try await app.db.write.batch([
                """
                INSERT INTO relationships (user_id, other_id, other_uid, i_want, asked_at, i_block, blocked_at)
                SELECT id, \(id(uid)), \(uid), \(asks), CASE WHEN \(asks) THEN now() END,
                       NOT \(asks), CASE WHEN NOT \(asks) THEN now() END
                FROM unnest(\(ids)) AS p (id)
                """,
                """
                INSERT INTO relationships (user_id, other_id, other_uid, they_want, they_block, change)
                SELECT \(id(uid)), u.id, u.uid, \(asks), NOT \(asks), 0 FROM users u WHERE id = ANY(\(ids))
                """,
            ])
        }
    }

    /// The versions of the crowd's rows, and the transactions that wrote or locked them last.
    private func versions(_ app: TestApp) async throws -> String {
        try await app.db.write.first(
            """
            SELECT md5(string_agg(concat_ws(' ', r.ctid, r.xmin, r.xmax), '|' ORDER BY r.user_id, r.other_id))
            FROM relationships r JOIN users u ON u.id IN (r.user_id, r.other_id) AND u.username ~ '^(blocker|asker)'
            """
        ) { try $0.next() } ?? ""
    }

    @Test func `suspension, restoration and deletion write no row of users who only block or were declined`()
        async throws
    {
        try await TestApp.run { app in
            for name in ["zoe", "pal", "ozu", "ian"] { try await app.signUp(name) }
            try await app.befriend("u-zoe", "u-pal")
            try await app.act(.want, "u-zoe", on: "u-ozu")
            try await app.act(.want, "u-ian", on: "u-zoe")
            try await crowd(app, around: "u-zoe", 300)
            let before = try await versions(app)
            for status in ["suspended", "active", "deleted"] {
                try await app.setStatus(status, of: "u-zoe")
                #expect(try await versions(app) == before, "\(status)")
                #expect(try await app.friends("u-pal") == (status == "active" ? ["u-zoe"] : []))
                #expect(try await app.requests("incoming", "u-ozu") == (status == "active" ? ["u-zoe"] : []))
                #expect(try await app.requests("outgoing", "u-ian") == ["u-zoe"])
                let blocks = try await app.get("/v1/blocks", as: "u-blocker7")
                #expect(blocks.text.contains("u-zoe"))
                #expect(blocks.text.contains("\"zoe\"") == (status == "active"))
                try await app.verify()
            }
        }
    }

    @Test
    func `a user who declined or blocked a suspended user and then asks them is their friend on return`()
        async throws
    {
        try await TestApp.run { app in
            for name in ["zoe", "dee", "bea", "eve"] { try await app.signUp(name) }
            for other in ["u-dee", "u-bea"] { try await app.act(.want, "u-zoe", on: other) }
            try await app.act(.unwant, "u-dee", on: "u-zoe")
            try await app.act(.block, "u-bea", on: "u-zoe")
            try await app.befriend("u-zoe", "u-eve")
            try await app.setStatus("suspended", of: "u-zoe")
            try await app.act(.unblock, "u-bea", on: "u-zoe")
            try await app.act(.unwant, "u-eve", on: "u-zoe")
            for uid in ["u-dee", "u-bea", "u-eve"] {
                #expect(try await app.act(.want, uid, on: "u-zoe")["relationship"] == "outgoing", "\(uid)")
                #expect(try await app.friends(uid) == [], "\(uid)")
            }
            try await app.verify()
            try await app.setStatus("active", of: "u-zoe")
            for (uid, state) in [("u-dee", "friends"), ("u-bea", "friends"), ("u-eve", "outgoing")] {
                #expect(try await app.relationship(uid, "u-zoe") == state, "\(uid)")
            }
            #expect(try await app.act(.want, "u-zoe", on: "u-eve")["relationship"] == "friends")
            #expect(try await app.friends("u-eve") == ["u-zoe"])
            #expect(try await app.requests("outgoing", "u-eve") == [])
            try await app.verify()
        }
    }

    @Test func `asking or blocking a suspended user makes rows that are right when they return`()
        async throws
    {
        try await TestApp.run { app in
            for name in ["zoe", "ian", "bea"] { try await app.signUp(name) }
            try await app.setStatus("suspended", of: "u-zoe")
            try await app.act(.want, "u-ian", on: "u-zoe")
            try await app.act(.block, "u-bea", on: "u-zoe")
            #expect(try await app.count("relationships WHERE they_away") == 0)
            try await app.verify()
            try await app.setStatus("active", of: "u-zoe")
            #expect(try await app.act(.want, "u-zoe", on: "u-ian")["relationship"] == "friends")
            #expect(try await app.friends("u-ian") == ["u-zoe"])
            try await app.verify()
        }
    }

    @Test func `a deletion leaves no decline, and no reservation of a name that was free again`() async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "dee"] { try await app.signUp(name) }
            try await app.act(.want, "u-dee", on: "u-ann")
            try await app.act(.unwant, "u-ann", on: "u-dee")
            try await app.age("u-ann", hours: 48)
            try await app.rename("u-ann", to: "anna")
            try await app.age("u-ann", hours: 24 * 91)
            #expect(try await app.get("/v1/usernames/ann", as: "u-dee")["available"] == "1")
            try await app.setStatus("deleted", of: "u-ann")
            #expect(try await app.count("relationships WHERE declines > 0 OR quiet_until IS NOT NULL") == 0)
            #expect(try await app.requests("outgoing", "u-dee") == ["u-ann"])
            #expect(try await app.get("/v1/usernames/ann", as: "u-dee")["available"] == "1")
            #expect(try await app.get("/v1/usernames/anna", as: "u-dee")["available"] == "0")
            try await app.verify()
        }
    }

    @Test func `freezing passes through a deleted account and writes nothing there`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            try await app.signUp("cat", invite: TestApp.link("bob", "u-bob"))
            try await app.setStatus("deleted", of: "u-bob")
            for uid in ["u-ann", "u-bob"] {
                let path = "/v1/admin/users/\(uid)/invite-freeze"
                let answer = try await app.call(
                    .put, path, headers: try await app.keyed(), body: ["reason": "Spam"])
                #expect(answer["users"] == (uid == "u-ann" ? "2" : "0"))
            }
            let frozen = try await app.db.read.query(
                "SELECT uid FROM users WHERE frozen_at IS NOT NULL ORDER BY uid"
            ) { try $0.next(as: String.self) }
            #expect(frozen == ["u-ann", "u-cat"])
        }
    }
}
