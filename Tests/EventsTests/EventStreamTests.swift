import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Events
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Web

/// Events for those who ask: an app's stream, and pages for backends.
@Suite(.inTurns) struct EventStreamTests {
    /// What a stream begins with.
    private static let beginning = "retry: 2000\nid: "

    @Test func `a stream tells a user what happens to them, and nothing else`() async throws {
        try await TestApp.run(.live) { app in
            for name in ["ann", "bob", "cat"] { try await app.signUp(name) }
            try await app.numberEvents()
            let stream = try await app.openStream(as: "u-ann")
            let head = await stream.hear(Self.beginning)
            #expect(head.contains("200 OK") && head.contains("text/event-stream; charset=utf-8"), "\(head)")
            try await app.befriend("u-bob", "u-cat")
            try await app.act(.want, "u-bob", on: "u-ann")
            try await app.numberEvents()
            let text = await stream.hear(#""type":"friend.requested"}"#)
            let id = try #require(try await app.events().last { $0.type == "friend.requested" }?.id)
            #expect(text.contains("id: \(id)\nevent: friend.requested\ndata: {"), "\(text)")
            #expect(!text.contains("friend.created"))
        }
    }

    @Test func `a stream goes on behind the last event that its client knows`() async throws {
        try await TestApp.run(.live) { app in
            for name in ["ann", "bob", "cat"] { try await app.signUp(name) }
            try await app.act(.want, "u-bob", on: "u-ann")
            let known = try #require(try await app.events().last)
            #expect(known.type == "friend.requested")
            try await app.act(.want, "u-cat", on: "u-ann")
            try await app.setStatus("suspended", of: "u-cat")
            try await app.setStatus("active", of: "u-cat")
            try await app.numberEvents()
            let stream = try await app.openStream(as: "u-ann", after: String(known.id))
            let text = await stream.hear(
                #""uid":"u-cat","username":"cat"},"user":{"uid":"u-ann","username":"ann"}},"id""#)
            // It begins with the id that it got, and no event has that.
            #expect(text.matches(of: /id: (\d+)\n/).count { $0.1 == String(known.id) } == 1, "\(text)")
            #expect(text.contains("event: friend.requested\n"), "\(text)")
        }
    }

    @Test func `a stream ends with the user's suspension, and with the server`() async throws {
        try await TestApp.run(.live) { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await app.numberEvents()
            let (ann, bob) = (try await app.openStream(as: "u-ann"), try await app.openStream(as: "u-bob"))
            for stream in [ann, bob] { _ = await stream.hear("retry") }
            try await app.setStatus("suspended", of: "u-ann")
            try await app.numberEvents()
            #expect(await ann.hear("0\r\n\r\n").hasSuffix("0\r\n\r\n"))
            app.app.events.close()
            #expect(await bob.hear("0\r\n\r\n").hasSuffix("0\r\n\r\n"))
            try await waitUntil("nobody follows") { app.app.events.followerCount == 0 }
        }
    }

    @Test
    func `before the first event a stream has an id to go on behind, and the news of a new server come`()
        async throws
    {
        try await TestApp.run(.live) { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await app.numberEvents()
            let last = try await app.eventStore.last()
            let first = try await app.openStream(as: "u-ann")
            #expect(await first.hear("\(last)\n\n").contains("\(Self.beginning)\(last)\n\n"))
            try await app.act(.want, "u-bob", on: "u-ann")
            // The feed of a server that has just begun.
            let feed = EventFeed()
            let following = try feed.follow(User.ID(of: User.UID(stored: "u-ann")))
            #expect(await following.follower.next() == .news)
            let service = EventService(
                store: app.eventStore, feed: feed, policy: EventPolicy(), logger: .init(label: "test"))
            try await service.numberSome()
            #expect(await following.follower.next() == .news)
        }
    }

    @Test func `the first event of all wakes only whom it concerns`() async throws {
        try await TestApp.run { app in
            let feed = EventFeed()
            let service = EventService(
                store: app.eventStore, feed: feed, policy: EventPolicy(), logger: .init(label: "test"))
            try await service.numberSome()
            let followings = try ["u-ann", "u-bob"].map { try feed.follow(User.ID(of: User.UID(stored: $0))) }
            let followers = followings.map(\.follower)
            for follower in followers { #expect(await follower.next() == .news) }
            try await app.signUp("ann")
            try await service.numberSome()
            for follower in followers { follower.tellTime() }
            #expect(await followers[0].next() == .news)
            #expect(await followers[1].next() == .time)
        }
    }

    @Test func `an id from the future hides nothing, and one that is gone has the client reload`()
        async throws
    {
        try await TestApp.run(.live) { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await app.numberEvents()
            let ahead = try await app.eventStore.last() + 3_600_000_000
            let future = try await app.openStream(as: "u-ann", after: String(ahead))
            _ = await future.hear(Self.beginning)
            try await app.act(.want, "u-bob", on: "u-ann")
            try await app.numberEvents()
            #expect(await future.hear(#""type":"friend.requested"}"#).contains("event: friend.requested\n"))
            let past = try await app.openStream(as: "u-ann", after: "1")
            let last = try await app.eventStore.last()
            let text = await past.hear("data: {}\n\n")
            #expect(
                text.contains("\(Self.beginning)\(last)\n\n") && text.contains("event: reload\ndata: {}\n\n"))
            let key = try await APIKeyStore(db: app.db).create(name: "events", scope: .admin)
            let gone = try await app.get(
                "/v1/admin/events?after=1", headers: [.authorization: "Bearer \(key)"])
            #expect((gone.status, gone.code, gone["field"]) == (410, "reload_required", "after"))
        }
    }

    @Test func `who was suspended and is back has a stream that stays`() async throws {
        try await TestApp.run(.live) { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            let before = try await app.lastEvent()
            for status in ["suspended", "active"] { try await app.setStatus(status, of: "u-ann") }
            try await app.numberEvents()
            let stream = try await app.openStream(as: "u-ann", after: before)
            _ = await stream.hear(Self.beginning)
            try await app.act(.want, "u-bob", on: "u-ann")
            try await app.numberEvents()
            #expect(await stream.hear(#""type":"friend.requested"}"#).contains("event: friend.requested\n"))
        }
    }

    @Test func `streams end whose account or key has ended, and others go on`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            let keys = APIKeyStore(db: app.db)
            var ids: [String] = []
            for name in ["a", "b"] {
                ids.append(try #require(APIKey(try await keys.create(name: name, scope: .server))).id)
            }
            let (ann, bob) = (User.ID(of: User.UID(stored: "u-ann")), User.ID(of: User.UID(stored: "u-bob")))
            let feed = EventFeed()
            let followings = try [
                feed.follow(ann), feed.follow(bob), feed.follow(bob, key: ids[0]),
                feed.follow(bob, key: ids[1]),
            ]
            try await app.setStatus("suspended", of: "u-ann")
            #expect(try await keys.revoke(ids[0]))
            try await EventService(
                store: app.eventStore, feed: feed, policy: EventPolicy(), logger: .init(label: "test")
            ).endWhoMayNotCall()
            var ended: [Bool] = []
            for following in followings {
                ended.append(await following.follower.next() == .end)
            }
            #expect(ended == [true, false, true, false])
        }
    }

    @Test func `a client on whose stream nothing happens hears that the server is there`() async throws {
        try await TestApp.run(.live) { app in
            try await app.signUp("ann")
            try await app.numberEvents()
            let stream = try await app.openStream(as: "u-ann")
            _ = await stream.hear("retry")
            app.app.events.beat()
            #expect(await stream.hear("3\r\n:\n\n\r\n").hasSuffix("3\r\n:\n\n\r\n"))
        }
    }

    @Test func `a look at the head, and connections that are cut, leave no stream behind`() async throws {
        try await TestApp.run(.live) { app in
            try await app.signUp("ann")
            for _ in 1...EventFeed.mostPerUser {
                #expect(try await app.call(.head, "/v1/me/stream", as: "u-ann").status == 200)
            }
            for _ in 1...30 { _ = try await app.openStream(as: "u-ann") }
            try await waitUntil("nobody follows") {
                app.app.events.beat()
                return app.app.events.followerCount == 0
            }
        }
    }

    @Test func `events of users without an account stop nobody`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            var after = try await app.lastEvent()
            try await app.act(.want, "u-ann", on: "u-nobody")
            #expect(try await app.count("outbox") == 0)
            try await app.db.write.run(
                "INSERT INTO outbox (user_id, type) SELECT gen_random_uuid(), 'user.returned' FROM generate_series(1, 9)"
            )
            try await app.signUp("bob")
            try await app.numberEvents()
            let key = try await APIKeyStore(db: app.db).create(name: "events", scope: .admin)
            var types: [String] = []
            for _ in 1...5 {
                let page = try await app.get(
                    "/v1/admin/events?after=\(after)&limit=2", headers: [.authorization: "Bearer \(key)"])
                types += (page.json["events"] as? [[String: Any]] ?? []).compactMap { $0["type"] as? String }
                after = page["next"] ?? ""
            }
            #expect(types == ["user.signed_up"])
        }
    }

    @Test func `a backend waits for events, and gets them in pages`() async throws {
        try await TestApp.run { app in
            let key = try await APIKeyStore(db: app.db).create(name: "events", scope: .admin)
            let admin: HTTPFields = [.authorization: "Bearer \(key)"]
            async let waiting = app.get("/v1/admin/events?wait=20", headers: admin)
            while !app.app.events.hasWaiting { try await Task.sleep(for: .milliseconds(5)) }
            try await app.signUp("ann")
            try await app.numberEvents()
            let first = try await waiting
            #expect((first.json["events"] as? [Any])?.count == 1, "\(first.text)")
            try await app.signUp("bob")
            try await app.numberEvents()
            let next = try #require(first["next"])
            let second = try await app.get("/v1/admin/events?after=\(next)&limit=1", headers: admin)
            #expect(
                (second.json["events"] as? [[String: Any]])?.first?["type"] as? String == "user.signed_up")
            let end = try await app.get("/v1/admin/events?after=\(second["next"] ?? "")", headers: admin)
            #expect((end.json["events"] as? [Any])?.isEmpty == true && end["next"] == second["next"])
        }
    }

    @Test func `an operator reads events from the newest back, and those of one type`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob", "cyd"] { try await app.signUp(name) }
            #expect(
                try await app.call(.put, "/v1/me/username", as: "u-ann", body: ["username": "anna"]).status
                    == 200)
            try await app.numberEvents()
            let key = try await APIKeyStore(db: app.db).create(name: "events", scope: .admin)
            func read(_ query: String) async throws -> (told: [String], next: String) {
                let page = try await app.get(
                    "/v1/admin/events?\(query)", headers: [.authorization: "Bearer \(key)"])
                let events = page.json["events"] as? [[String: Any]] ?? []
                let told = events.map { event in
                    let user = (event["data"] as? [String: Any])?["user"] as? [String: Any]
                    return "\(event["type"] ?? "") \(user?["uid"] ?? "")"
                }
                return (told, page["next"] ?? "")
            }
            let newest = try await read("order=newest&limit=2")
            #expect(newest.told == ["user.renamed u-ann", "user.signed_up u-cyd"])
            let older = try await read("order=newest&limit=2&before=\(newest.next)")
            #expect(older.told == ["user.signed_up u-bob", "user.signed_up u-ann"])
            let end = try await read("order=newest&before=\(older.next)")
            #expect(end.told.isEmpty)
            let signUps = try await read("order=newest&type=user.signed_up&limit=1")
            #expect(signUps.told == ["user.signed_up u-cyd"])
            let renamed = try await read("order=oldest&type=user.renamed")
            #expect(renamed.told == ["user.renamed u-ann"])
        }
    }

    @Test(arguments: [
        ("after=x", "after"), ("after=-1", "after"), ("after=99999999999999999999", "after"),
        ("limit=0", "limit"), ("limit=501", "limit"), ("wait=31", "wait"), ("wait=x", "wait"),
        ("order=x", "order"), ("order=newest&before=x", "before"), ("before=1", "before"),
        ("order=newest&after=1", "after"), ("order=newest&wait=1", "wait"), ("type=x", "type"),
    ])
    func `what is no number is a 400`(query: String, field: String) async throws {
        try await TestApp.run { app in
            let key = try await APIKeyStore(db: app.db).create(name: "events", scope: .admin)
            let answer = try await app.get(
                "/v1/admin/events?\(query)", headers: [.authorization: "Bearer \(key)"])
            #expect((answer.status, answer["field"]) == (400, field), "\(answer.text)")
            guard query.hasPrefix("after=") else { return }
            try await app.signUp("ann")
            let value = String(query.dropFirst("after=".count))
            let stream = try await app.call(
                .get, "/v1/me/stream", as: "u-ann", headers: [.lastEventID: value])
            #expect((stream.status, stream["field"]) == (400, "Last-Event-ID"), "\(stream.text)")
            let asked = try await app.get("/v1/me/stream?\(query)", as: "u-ann")
            #expect((asked.status, asked["field"]) == (400, "after"), "\(asked.text)")
        }
    }

    @Test func `only an admin key reads the events of all`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            #expect(try await app.get("/v1/admin/events").status == 401)
            #expect(try await app.get("/v1/admin/events", as: "u-ann").status == 403)
            for scope in [APIKey.Scope.client, .server] {
                let key = try await APIKeyStore(db: app.db).create(name: "events", scope: scope)
                let answer = try await app.get("/v1/admin/events", headers: [.authorization: "Bearer \(key)"])
                #expect(answer.status == 403)
            }
        }
    }
}
