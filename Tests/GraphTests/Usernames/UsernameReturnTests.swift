import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Kith

/// Renames back and forth, other spellings, and clocks that go back.
@Suite(.inTurns) struct UsernameReturnTests {
    private let ann = User.ID(of: User.UID(stored: "u-ann"))

    private func names(_ app: TestApp) -> UsernameStore { UsernameStore(db: app.db, policy: .init()) }

    @Test func `rule 6: returning to a held name is free three times a day, then 429`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.rename("u-ann", to: "anna")
            for name in ["ann", "anna", "ann"] {
                #expect(try await app.rename("u-ann", to: name).status == 200)
            }
            let before = try await app.footprint()
            let refused = try await app.rename("u-ann", to: "anna")
            #expect((refused.status, refused.code) == (429, "username_cooldown"))
            let seconds = try #require(refused.headers[.retryAfter].flatMap { Int($0) })
            #expect((1...86_400).contains(seconds))
            #expect(try await app.footprint() == before)
            try await app.age("u-ann", hours: 24)
            #expect(try await app.rename("u-ann", to: "anna").status == 200)
            try await app.verify()
        }
    }

    @Test func `rule 6: the limit of returns applies even if names are never held`() async throws {
        try await TestApp.run(configure: { $0.usernames.maxHeld = 0 }) { app in
            try await app.signUp("ann")
            try await app.rename("u-ann", to: "anna")
            try await app.age("u-ann", hours: 24 * 20)
            let answers = try await ["ann", "anna", "ann", "anna"].asyncMap {
                try await app.rename("u-ann", to: $0).status
            }
            #expect(answers == [200, 200, 200, 429])
        }
    }

    @Test func `a landing reads no more of a long history than of a short one`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            func pages() async throws -> Int {
                let store = InviterStore(
                    db: app.db, byName: .auto, profile: User.Profile.columns(), countsFriends: false)
                let sql = store.statement([ann: Username.Key(of: "old")]).sql
                    .replacing("$1", with: "ARRAY['old']").replacing("$2", with: "ARRAY['\(ann.uuid)'::uuid]")
                    .replacing("$3", with: "ARRAY['\(ann.uuid)'::uuid]")
                let explain = Statement(text: "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) \(sql)")
                let text = try await app.db.read.first(explain) { try $0.next(as: String.self) } ?? ""
                let plans = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
                let plan = try #require(plans?.first?["Plan"] as? [String: Any])
                return (plan["Shared Hit Blocks"] as? Int ?? 0) + (plan["Shared Read Blocks"] as? Int ?? 0)
            }
            try await app.db.write.run(
                """
                INSERT INTO username_periods (user_id, name_key, username, valid_from, valid_to, severed)
                SELECT \(ann), CASE n % 2 WHEN 0 THEN 'old' ELSE 'older' END, 'old', '2020-01-01Z'::timestamptz + n * interval '1 hour',
                       '2020-01-01Z'::timestamptz + (n + 1) * interval '1 hour', true
                FROM generate_series(1, 20000) n
                """)
            try await app.db.write.run("ANALYZE username_periods")
            #expect(try await (1...12).contains(pages()))
            #expect(try await app.get("/users/old?invitedBy=u-ann").status == 404)
        }
    }

    @Test func `former names are listed newest first, by pages`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for name in ["anna", "ann", "anne"] {
                #expect(try await app.rename("u-ann", to: name).status == 200)
            }
            let all = try await app.list("/v1/me/usernames", "usernames", "username", as: "u-ann", limit: 1)
            #expect(all == ["anne", "ann", "anna", "ann"])
            #expect(
                try await app.list("/v1/me/usernames", "usernames", "username", as: "u-ann", limit: 4) == all)
            let page = try await app.get("/v1/me/usernames?limit=3", as: "u-ann")
            let next = try #require(page["next"])
            try await app.signUp("bob")
            #expect(try await app.get("/v1/me/usernames?after=\(next)", as: "u-bob").status == 400)
        }
    }

    @Test func `rule 9: the spelling may change ten times a day, and the same spelling writes nothing`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            let key = Username.Key(of: "ann")
            let before = try await app.footprint()
            try await names(app).respell(ann, as: Username(text: "ann", key: key))
            #expect(try await app.footprint() == before)
            let answers = try await (0..<11).asyncMap {
                try await app.rename("u-ann", to: $0 % 2 == 0 ? "Ann" : "aNN")
            }
            #expect(answers.map(\.status) == Array(repeating: 200, count: 10) + [429])
            #expect(answers[10].code == "username_cooldown")
            let seconds = try #require(answers[10].headers[.retryAfter].flatMap { Int($0) })
            #expect((86_000...86_400).contains(seconds))
            try await app.db.write.run(
                """
                UPDATE users SET spellings_at = (
                    SELECT array_agg(tests.earlier(at, 24)) FROM unnest(spellings_at) AS u (at))
                WHERE id = \(ann)
                """)
            #expect(try await app.rename("u-ann", to: "ANN").status == 200)
            #expect(try await app.friends("u-bob") == ["u-ann"])
            try await app.verify()
        }
    }

    @Test func `a spelling that a rename overtook changes nothing and says so`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.rename("u-ann", to: "anna")
            let before = try await app.footprint()
            await #expect(throws: UsernameError.changedMeanwhile) {
                try await names(app).respell(ann, as: Username(text: "ANN", key: Username.Key(of: "ann")))
            }
            #expect(try await app.footprint() == before)
        }
    }

    @Test(arguments: ["suspended", "deleted"])
    func `a name does not change if the account is no longer active`(status: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.setStatus(status, of: "u-ann")
            let before = try await app.footprint()
            for name in ["anna", "ANN"] {
                await #expect(throws: AccountError.inactive) {
                    try await Renaming(usernames: names(app)).rename(
                        ann, to: Username(text: name, key: Username.Key(of: name)), severing: false)
                }
            }
            #expect(try await app.footprint() == before)
        }
    }

    @Test func `renames still work after the database's clock was set back`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.age("u-ann", hours: -48)
            for name in ["anna", "ann", "anna", "ann"] {
                #expect(try await app.rename("u-ann", to: name).status == 200)
            }
            let history =
                try await app.get("/v1/me/usernames", as: "u-ann").json["usernames"] as? [[String: Any]]
            #expect(history?.map { $0["username"] as? String } == ["ann", "anna", "ann", "anna", "ann"])
            #expect(try await app.get("/v1/me", as: "u-ann")["username"] == "ann")
            try await app.verify()
        }
    }
}

extension Sequence where Element: Sendable {
    /// Renames one after the other.
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows
        -> [Result]
    {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
