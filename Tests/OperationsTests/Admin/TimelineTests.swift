import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Events
@testable import Graph
@testable import Kernel
@testable import Web

/// `GET /v1/admin/users/{uid}/timeline`.
@Suite(.inTurns) struct TimelineTests {
    /// All pages, newest first.
    private func all(_ app: TestApp, _ uid: String, _ admin: HTTPFields, limit: Int) async throws -> [[String:
        Any]]
    {
        var (entries, after): ([[String: Any]], String) = ([], "")
        repeat {
            let page = try await app.asked("/v1/admin/users/\(uid)/timeline?limit=\(limit)\(after)", admin)
            #expect(page.objects("entries").count <= limit)
            entries += page.objects("entries")
            after = page["next"].map { "&after=\($0)" } ?? ""
        } while !after.isEmpty && entries.count < 1000
        return entries
    }

    private func words(_ entry: [String: Any]) -> String {
        let other = (entry["other"] as? [String: Any])?["uid"] as? String
        let more = [other, entry["username"] as? String, entry["kind"] as? String].compactMap(\.self)
        return ([entry["what"] as? String ?? ""] + more).joined(separator: " ")
    }

    private func line(_ entry: [String: Any]) -> String {
        "\(entry["at"] ?? "") \(words(entry)) \(entry["code"] ?? "")"
    }

    @Test func `it tells sign-up, names, links, invites, friendships and suspensions, newest first`()
        async throws
    {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            try await app.signUp("top")
            try await app.signUp("ann0", uid: "u-ann", invite: TestApp.link("top", "u-top"))
            let code = try #require(try await app.post("/v1/invites", as: "u-ann")["code"])
            try await app.signUp("kim", invite: ["code": code])
            _ = try await app.call(.delete, "/v1/invites/\(code)", as: "u-ann")
            try await app.rename("u-ann", to: "ann", oldLinks: "sever")
            _ = try await app.act(.unwant, "u-kim", on: "u-ann")
            for status in ["suspended", "active"] { try await app.setStatus(status, of: "u-top") }
            for status in ["suspended", "active"] { try await app.setStatus(status, of: "u-ann") }
            let entries = try await all(app, "u-ann", admin, limit: 100)
            let told = entries.map(words)
            #expect(
                told.filter { !$0.hasSuffix("personal") } == [
                    "user.returned", "user.suspended", "friend.back u-top", "friend.away u-top",
                    "friend.ended u-kim",
                    "username.taken ann", "invite.revoked custom", "friend.created u-kim",
                    "invite.joined u-kim",
                    "invite.created custom", "friend.created u-top", "username.taken ann0",
                    "user.signed_up u-top",
                ], "\(told)")
            let names = entries.filter { $0["what"] as? String == "username.taken" }
            #expect(names.map { $0["severed"] as? Bool } == [false, true] && names[1]["until"] != nil)
            let kim = try await all(app, "u-kim", admin, limit: 100).map(words)
            #expect(kim.contains("user.signed_up u-ann") && kim.contains("friend.ended u-ann"), "\(kim)")
        }
    }

    @Test(arguments: [1, 2, 3, 7]) func `in pages of any size it misses nothing and repeats nothing`(
        limit: Int
    ) async throws {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            try await app.signUp("ann")
            for number in 0..<8 { try await app.signUp("new\(number)", invite: TestApp.link("ann", "u-ann")) }
            for _ in 0..<3 { _ = try await app.post("/v1/invites", as: "u-ann") }
            // All of one instant, as an import leaves them.
            try await app.db.write.run("UPDATE acceptances SET accepted_at = date_trunc('hour', now())")
            try await app.db.write.run(
                "UPDATE invites SET created_at = date_trunc('hour', now()) WHERE kind = 'custom'")
            let whole = try await all(app, "u-ann", admin, limit: 100).map(line)
            // The sign-up, the name, and of each of the others that they came and that they are friends.
            #expect(whole.count >= 2 + 16 + 3)
            try await EventStore(db: app.db).number()
            #expect(try await all(app, "u-ann", admin, limit: limit).map(line) == whole)
        }
    }

    @Test func `friendships that no event tells of, and links that are gone, are in it`() async throws {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await app.befriend("u-ann", "u-bob")
            let code = try #require(try await app.post("/v1/invites", as: "u-ann")["code"])
            try await app.db.write.run("DELETE FROM outbox WHERE type = 'friend.created'")
            try await app.db.write.run("DELETE FROM invites_by_owner WHERE code = \(code)")
            let told = try await all(app, "u-ann", admin, limit: 50).map(words)
            #expect(
                told.contains("friend.created u-bob") && told.contains("invite.created custom"), "\(told)")
        }
    }

    @Test func `a friendship that ended while the friend was suspended ended for the user at the suspension`()
        async throws
    {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            for name in ["ann", "max", "pia", "rex"] { try await app.signUp(name) }
            for name in ["kim", "lou"] { try await app.signUp(name, invite: TestApp.link("ann", "u-ann")) }
            for friend in ["u-max", "u-pia", "u-rex"] { try await app.befriend("u-ann", friend) }
            for friend in ["u-kim", "u-lou", "u-max", "u-pia", "u-rex"] {
                try await app.setStatus("suspended", of: friend)
            }
            let undone = try await app.call(
                .post, "/v1/admin/users/u-ann/undo-invites", headers: admin,
                body: ["reason": "ring", "dryRun": false])
            #expect((undone.status, undone["ended"]) == (200, "2"), "\(undone.text)")
            let deleted = try await app.call(
                .post, "/v1/admin/users/u-pia/deletion", headers: admin, body: ["reason": "x"])
            try #require(deleted.status < 300, "\(deleted.text)")
            for (status, friend) in [("active", "u-lou"), ("active", "u-rex"), ("suspended", "u-rex")] {
                try await app.setStatus(status, of: friend)
            }
            try await app.befriend("u-ann", "u-lou")
            let told = try await all(app, "u-ann", admin, limit: 100).map(words)
            func of(_ friend: String) -> [String] {
                told.filter { $0.hasPrefix("friend.") && $0.hasSuffix(" \(friend)") }
                    .map { String($0.dropFirst("friend.".count).dropLast(friend.count + 1)) }
            }
            #expect(of("u-kim") == ["ended", "created"], "\(told)")
            #expect(of("u-lou") == ["created", "ended", "created"], "\(told)")
            #expect(of("u-max") == ["away", "created"], "\(told)")
            #expect(of("u-pia") == ["ended", "created"], "\(told)")
            #expect(of("u-rex") == ["away", "back", "away", "created"], "\(told)")
            #expect(try await all(app, "u-ann", admin, limit: 1).map(words) == told)
        }
    }

    @Test func `it says who the user is and how far back the log goes, also of a deleted user`() async throws
    {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await app.befriend("u-ann", "u-bob")
            try await app.setStatus("deleted", of: "u-ann")
            let answer = try await app.asked("/v1/admin/users/u-ann/timeline", admin)
            #expect((answer["user.status"], answer["user.username"]) == ("deleted", nil))
            #expect(answer["logBegins"].flatMap { Date(rfc3339: $0) } != nil)
            #expect(!answer.text.contains(#""username":"ann""#), "\(answer.text)")
            #expect(try await app.get("/v1/admin/users/u-nobody/timeline", headers: admin).status == 404)
            let next = try #require(
                try await app.asked("/v1/admin/users/u-bob/timeline?limit=1", admin)["next"])
            let other = try await app.get("/v1/admin/users/u-ann/timeline?after=\(next)", headers: admin)
            #expect((other.status, other["field"]) == (400, "after"))
        }
    }
}
