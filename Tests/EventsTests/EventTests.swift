import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Events
@testable import Graph
@testable import Kernel
@testable import Kith

/// What is told of each change, to whom, and what is never told.
@Suite(.inTurns) struct EventTests {
    @Test func `a sign-up by an invite tells both users`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let told = try await app.told {
                try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            }
            #expect(
                told == [
                    "friend.created u-ann: friend=u-bob", "friend.created u-bob: friend=u-ann",
                    "invite.used u-ann: invitee=u-bob",
                    "user.signed_up u-bob: inviter=u-ann app=standard",
                ])
            let again = try await app.told {
                let answer = try await app.post(
                    "/v1/signup", as: "u-bob", ["username": "bob", "invite": TestApp.link("ann", "u-ann")])
                #expect(answer.status == 200)
            }
            #expect(again == [])
        }
    }

    @Test func `requests, friendships and their ends are told once to those who see them`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            func told(_ action: FriendAction, _ one: String, _ other: String) async throws -> [String] {
                try await app.told {
                    for _ in 1...2 { try await app.act(action, one, on: other) }
                }
            }
            #expect(try await told(.want, "u-ann", "u-bob") == ["friend.requested u-bob: friend=u-ann"])
            #expect(try await told(.unwant, "u-ann", "u-bob") == ["friend.request_ended u-bob: friend=u-ann"])
            _ = try await told(.want, "u-ann", "u-bob")
            #expect(
                try await told(.want, "u-bob", "u-ann") == [
                    "friend.created u-ann: friend=u-bob", "friend.created u-bob: friend=u-ann cause=accepted",
                ])
            #expect(
                try await told(.unwant, "u-bob", "u-ann") == [
                    "friend.ended u-ann: friend=u-bob", "friend.ended u-bob: friend=u-ann",
                ])
        }
    }

    @Test func `a decline, a block and a hidden request are told to nobody else`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            func told(_ action: FriendAction, _ one: String, _ other: String) async throws -> [String] {
                try await app.told { try await app.act(action, one, on: other) }
            }
            _ = try await told(.want, "u-ann", "u-bob")
            #expect(
                try await told(.unwant, "u-bob", "u-ann") == [
                    "friend.request_ended u-bob: friend=u-ann cause=declined"
                ])
            #expect(try await told(.unwant, "u-ann", "u-bob") == [])
            #expect(try await told(.want, "u-ann", "u-bob") == [], "hidden after the decline")
            #expect(try await told(.block, "u-bob", "u-ann") == [])
            #expect(try await told(.unwant, "u-ann", "u-bob") == [])
            #expect(try await told(.want, "u-ann", "u-bob") == [])
            #expect(try await told(.unblock, "u-bob", "u-ann") == [])
        }
    }

    @Test func `a block of a friend looks to them like any end`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob", "cat"] { try await app.signUp(name) }
            for other in ["u-bob", "u-cat"] { try await app.befriend("u-ann", other) }
            let before = try await app.lastEvent()
            try await app.act(.block, "u-bob", on: "u-ann")
            try await app.act(.unwant, "u-cat", on: "u-ann")
            let ends = try await app.events(after: before).filter { $0.uid("user") == "u-ann" }
            #expect(
                ends.map(\.line) == ["friend.ended u-ann: friend=u-bob", "friend.ended u-ann: friend=u-cat"])
            #expect(ends.map { $0.json.keys.sorted() }.allSatisfy { $0 == ends[0].json.keys.sorted() })
            #expect(ends.allSatisfy { ($0.data["friend"] as? [String: Any])?.count == 1 })
        }
    }

    @Test func `names, links and accounts are told as they change`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await app.befriend("u-ann", "u-bob")
            #expect(
                try await app.told { try await app.rename("u-ann", to: "anna") } == [
                    "friend.updated u-bob: friend=u-ann",
                    "user.renamed u-ann: from=ann oldLinks=forward to=anna",
                ])
            var code = ""
            #expect(
                try await app.told { code = try await app.post("/v1/invites", as: "u-ann")["code"] ?? "" }
                    == [
                        "invite.created u-ann: code=… kind=custom"
                    ])
            #expect(
                try await app.told {
                    for _ in 1...2 { _ = try await app.call(.delete, "/v1/invites/\(code)", as: "u-ann") }
                } == ["invite.revoked u-ann: code=… kind=custom"])
            #expect(
                try await app.told { _ = try await app.post("/v1/me/invite/rotate", as: "u-ann") } == [
                    "invite.created u-ann: code=… kind=personal",
                    "invite.revoked u-ann: code=… kind=personal",
                ])
            #expect(
                try await app.told {
                    for _ in 1...2 { try await app.setStatus("suspended", of: "u-ann") }
                } == ["friend.ended u-bob: friend=nobody", "user.suspended u-ann:"])
            #expect(
                try await app.told {
                    for _ in 1...2 { try await app.setStatus("active", of: "u-ann") }
                } == ["friend.created u-bob: friend=u-ann", "user.returned u-ann:"])
        }
    }

    @Test func `after a deletion no event, sent or not, has the user's name or uid`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await app.befriend("u-ann", "u-bob")
            try await app.rename("u-ann", to: "anna")
            _ = try await app.post("/v1/invites", as: "u-ann")
            try await app.numberEvents()
            try await app.rename("u-bob", to: "bobby")
            try await app.rename("u-ann", to: "annabel")
            #expect(try await app.count("outbox WHERE facts LIKE '%annabel%'") == 1)
            _ = try await app.call(.delete, "/v1/me", as: "u-ann")
            #expect(try await app.count("outbox WHERE facts IS NOT NULL AND user_id = user_id('u-ann')") == 0)
            let events = try await app.events()
            let naming = events.filter {
                let text = "\($0.json)"
                return text.contains("u-ann") || text.contains("anna") || text.contains("\"ann\"")
            }
            // Whoever keeps data of the user must be told whose to delete.
            #expect(naming.map(\.line) == ["user.deleted u-ann:"])
            #expect(events.contains { $0.line == "friend.ended u-bob: friend=nobody" })
            #expect(try await app.count("events WHERE facts LIKE '%ann%'") == 0)
        }
    }

    /// Numbering copies what it sees, and a deletion that is not committed yet does not see the copy.
    @Test func `a deletion and the numbering at the same time leave no name`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.numberEvents()
            try await app.rename("u-ann", to: "anna")
            try await app.db.withConnection { session in
                try await session.script(
                    """
                    BEGIN; UPDATE outbox SET facts = NULL WHERE user_id = user_id('u-ann');
                    UPDATE events SET facts = NULL WHERE user_id = user_id('u-ann')
                    """)
                async let numbered = app.eventStore.number()
                try await waitUntil("the numbering waits") {
                    try await app.count(
                        "pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%number_events%'")
                        > 0
                }
                try await session.script(
                    "UPDATE users SET status = 'deleted', username = '[deleted]' WHERE uid = 'u-ann'; COMMIT")
                _ = try await numbered
            }
            #expect(try await app.count("outbox") == 0)
            #expect(try await app.count("events WHERE type = 'user.renamed' AND facts IS NULL") == 1)
        }
    }

    @Test func `what fails is not told`() async throws {
        try await TestApp.run(configure: { $0.friends.friends = 1 }) { app in
            for name in ["ann", "bob", "cat"] { try await app.signUp(name) }
            try await app.befriend("u-ann", "u-bob")
            let told = try await app.told {
                #expect(try await app.post("/v1/signup", as: "u-dan", ["username": "cat"]).status == 409)
                try await app.act(.want, "u-cat", on: "u-ann")
                #expect(try await app.act(.want, "u-ann", on: "u-cat").status == 409)
                #expect(try await app.rename("u-cat", to: "bob").status == 409)
                _ = try await app.call(.delete, "/v1/invites/AAAAAAAAAAAAAAAA", as: "u-cat")
            }
            #expect(told == ["friend.requested u-ann: friend=u-cat"])
        }
    }

    @Test func `each event has the number of requests that wait`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob", "cat"] { try await app.signUp(name) }
            let before = try await app.lastEvent()
            for other in ["u-bob", "u-cat"] {
                try await app.act(.want, other, on: "u-ann")
                try await app.numberEvents()
            }
            // As of when they are read.
            #expect(try await app.events(after: before).map { $0.data["badge"] as? Int } == [2, 2])
            try await app.act(.want, "u-ann", on: "u-bob")
            let last = try await app.events(after: before).last { $0.uid("user") == "u-ann" }
            #expect(last?.type == "friend.created" && last?.data["badge"] as? Int == 1)
        }
    }

    @Test func `many writers and several servers lose, double and turn round nothing`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let others = 40
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<others {
                    group.addTask {
                        let uid = try await app.signUp("pp\(number)", invite: TestApp.link("ann", "u-ann"))
                        try await app.act(.unwant, uid, on: "u-ann")
                        try await app.rename(uid, to: "qq\(number)")
                    }
                }
                for _ in 1...3 {
                    group.addTask {
                        for _ in 1...60 {
                            try await app.eventStore.number()
                            try await Task.sleep(for: .milliseconds(5))
                        }
                    }
                }
                try await group.waitForAll()
            }
            let events = try await app.events()
            #expect(events.map(\.id) == events.map(\.id).sorted())
            #expect(Set(events.map(\.id)).count == events.count)
            let expected = ["user.signed_up", "friend.created", "friend.ended", "user.renamed"]
            for number in 0..<others {
                let own = events.filter { $0.uid("user") == "u-pp\(number)" }.map(\.type)
                #expect(own == expected, "\(own)")
            }
            #expect(events.filter { $0.uid("user") == "u-ann" && $0.type == "invite.used" }.count == others)
            #expect(try await app.count("outbox") == 0)
        }
    }

    @Test func `events are kept for so many days`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.numberEvents()
            try await app.db.write.run(
                """
                DO $$ DECLARE d date := (now() AT TIME ZONE 'UTC')::date; BEGIN
                    FOR ago IN 1..4 LOOP
                        EXECUTE format('CREATE TABLE events_%s PARTITION OF events FOR VALUES FROM (%s) TO (%s)',
                            to_char(d - ago, 'YYYYMMDD'), extract(epoch FROM d - ago)::bigint * 1000000,
                            extract(epoch FROM d - ago + 1)::bigint * 1000000);
                        EXECUTE format('INSERT INTO events (user_id, id, type, at) VALUES (%L, %s, %L, now())',
                            gen_random_uuid(), extract(epoch FROM d - ago)::bigint * 1000000 + 1, 'user.returned');
                    END LOOP;
                END $$
                """)
            #expect(try await app.count("events") == 5)
            try await app.eventStore.keepDays(2)
            #expect(try await app.count("events") == 3)
        }
    }
}
