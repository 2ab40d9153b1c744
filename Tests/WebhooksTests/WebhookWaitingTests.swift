import Foundation
import Hummingbird
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import AppTesting
@testable import Events
@testable import Kernel
@testable import Kith
@testable import Web
@testable import Webhooks

/// Events that an endpoint does not take, and what becomes of the others meanwhile.
@Suite(.inTurns) struct WebhookWaitingTests {
    private static func status(_ refused: Bool) -> Response { Response(status: refused ? .badRequest : .ok) }

    /// Bob's event keeps the position back, so whoever begins anew reads what waits of ann once more.
    @Test(arguments: ["an operator's change", "another server", "a lost lease"])
    func `what waits ahead of the position still comes, in order, after`(disturbance: String) async throws {
        let policy: (inout WebhookPolicy) -> Void = { ($0.failures, $0.retries, $0.lease) = (.max, [1.5], 2) }
        try await WebhookStage.run(policy, isServed: false) { stage in
            try await stage.app.signUp("bob")
            // What has no number yet when the endpoint is made happens after it.
            try await waitUntil("numbers") { try await stage.app.count("outbox") == 0 }
            let (id, _) = try await stage.create()
            let isDown = Mutex(true)
            stage.receiver.answer { arrival in
                guard arrival.uid == "u-bob" else { return Self.status(isDown.withLock { $0 }) }
                while isDown.withLock({ $0 }), !Task.isCancelled {
                    try? await Task.sleep(for: .milliseconds(20))
                }
                return Response(status: .ok)
            }
            func ofBob() -> Int { stage.receiver.arrivals.count { $0.uid == "u-bob" } }
            var worker = stage.startWorker()
            let before = ofBob()
            try await stage.tell("u-bob")
            try await stage.tell(count: 3)
            try await waitUntil("events wait") { try await stage.show(id)["waiting"] == "3" }
            try await waitUntil("bob's event") { ofBob() > before }
            for time in 4...5 {
                let begun = ofBob()
                switch disturbance {
                case "an operator's change": _ = try await stage.call(.post, "/\(id)/secret")
                case "another server":
                    worker.cancel()
                    _ = await worker.result
                    worker = stage.startWorker()
                default:
                    try await stage.app.db.write.run(
                        "UPDATE webhooks SET holder = \(UUID()), held_until = now() WHERE holder IS NOT NULL")
                }
                try await waitUntil("a new beginning") { ofBob() > begun }
                try await stage.tell()
                try await waitUntil("one more waits") { try await stage.show(id)["waiting"] == "\(time)" }
            }
            isDown.withLock { $0 = false }
            try await stage.waitUntilDone(id)
            let ids = stage.receiver.arrivals.filter { $0.uid == "u-ann" }.compactMap { Int64($0.id) }
            #expect(Set(ids).count == 5)
            #expect(ids == ids.sorted())
            #expect(try await stage.app.count("webhook_deliveries") == 0)
            worker.cancel()
            _ = await worker.result
        }
    }

    @Test func `one type that is refused of many users stops no other type`() async throws {
        try await WebhookStage.run({ $0.firstProbe = 0.2 }) { stage in
            let users = try await stage.app.signUpMany(20)
            let (id, _) = try await stage.create()
            stage.receiver.answer { Self.status($0.type == "invite.created") }
            for user in users.prefix(12) { try await stage.tell(user, kind: .inviteCreated) }
            try await waitUntil("refusals") { stage.receiver.arrivals.count >= 6 }
            try await stage.tell(users[12], count: 5)
            func others() -> Int { stage.receiver.arrivals.count { $0.type == "user.renamed" } }
            try await waitUntil("the other type") { others() == 5 }
            // More of both: each is tried, and those that are not refused come.
            for user in users.suffix(7) { try await stage.tell(user) }
            try await waitUntil("more") { others() == 12 }
            #expect(try await stage.show(id)["pausedAt"] == nil)
            stage.receiver.answer { _ in Response(status: .ok) }
            try await stage.waitUntilDone(id)
            #expect(Set(stage.receiver.arrivals.map(\.id)).count == 24)
        }
    }

    @Test func `one event that is refused often is no failing endpoint`() async throws {
        try await WebhookStage.run { stage in
            try await stage.app.signUp("bob")
            let (id, _) = try await stage.create()
            stage.receiver.answer { Self.status($0.uid == "u-ann") }
            try await stage.tell()
            try await waitUntil("refusals") { stage.receiver.arrivals.count { $0.uid == "u-ann" } >= 8 }
            #expect(try await stage.show(id)["state"] == "active")
            try await stage.tell("u-bob", count: 3)
            try await waitUntil("bob's") {
                stage.receiver.arrivals.count { $0.uid == "u-bob" && $0.type == "user.renamed" } == 3
            }
        }
    }

    @Test func `a user whose events are refused fills the place of nobody else, and all are kept`()
        async throws
    {
        try await WebhookStage.run({
            ($0.failures, $0.retries, $0.mostOfUser, $0.mostParked) = (.max, [0.05, 0.05, 5], 5, 30)
        }) { stage in
            try await stage.app.signUp("bob")
            let (id, _) = try await stage.create()
            stage.receiver.answer { Self.status($0.uid == "u-ann") }
            try await stage.tell(count: 100)
            try await stage.tell("u-bob", count: 3)
            try await waitUntil("bob's") {
                stage.receiver.arrivals.count { $0.uid == "u-bob" && $0.type == "user.renamed" } == 3
            }
            // While events are still to come, few may wait already.
            try await waitUntil("all are tried") { try await stage.show(id)["dead"] == "95" }
            #expect(try await stage.show(id)["waiting"] == "5")
            let letters = try await stage.call(.get, "/\(id)/dead")
            let errors = (letters.json["events"] as? [[String: Any]])?.compactMap {
                $0["lastError"] as? String
            }
            #expect(errors?.first == "it answers with status 400")
            #expect(errors?.last == "too many events of its user waited")
            #expect(stage.app.app.webhookMetrics.metricsText().contains(#"{outcome="dead"} 95"#))
            stage.receiver.answer { _ in Response(status: .ok) }
            #expect(try await stage.call(.post, "/\(id)/redeliver", ["dead": true])["dead"] == "95")
            #expect(try await stage.call(.patch, "/\(id)", ["paused": false]).status == 200)
            try await stage.waitUntilDone(id)
            #expect(Set(stage.receiver.arrivals.filter { $0.uid == "u-ann" }.map(\.id)).count == 100)
        }
    }

    @Test func `an endpoint for which too many events wait says that it is stalled`() async throws {
        try await WebhookStage.run({ ($0.failures, $0.mostParked) = (.max, 10) }) { stage in
            let (id, _) = try await stage.create()
            stage.receiver.answer { Self.status($0.uid == "u-ann") }
            try await stage.tell(count: 20)
            try await waitUntil("stalled") { try await stage.show(id)["state"] == "stalled" }
            stage.receiver.answer { _ in Response(status: .ok) }
            try await stage.waitUntilDone(id)
            #expect(try await stage.show(id)["state"] == "active")
        }
    }

    @Test func `an event that waits alone is late, and comes at once when an operator resumes the endpoint`()
        async throws
    {
        try await WebhookStage.run({ ($0.failures, $0.retries) = (.max, [3600]) }) { stage in
            let (id, _) = try await stage.create()
            stage.receiver.answer { _ in Response(status: .badRequest) }
            try await stage.tell(count: 2)
            try await waitUntil("it waits") {
                let last = try await EventStore(db: stage.app.db).last()
                let state = try await stage.show(id)
                return state["waiting"] == "2" && state["position"] == "\(last)"
            }
            try await Task.sleep(for: .milliseconds(100))
            let lag = try await stage.show(id).json["lagSeconds"] as? Double
            #expect(lag ?? 0 > 0.1)
            stage.receiver.answer { _ in Response(status: .ok) }
            #expect(try await stage.call(.patch, "/\(id)", ["paused": false]).status == 200)
            try await stage.waitUntilDone(id)
            #expect(try await stage.show(id).json["lagSeconds"] as? Double == 0)
        }
    }
}

/// Statements.
extension WebhookWaitingTests {
    @Test func `a user of whom much waits hides no other`() async throws {
        try await WebhookStage.run(isServed: false) { stage in
            let id = try #require(UUID(uuidString: try await stage.create().id))
            try await stage.app.db.write.run(
                """
                INSERT INTO webhook_deliveries (webhook_id, event_id, user_id, due_at)
                SELECT \(id), n, CASE WHEN n <= 600 THEN \(Self.user(1)) ELSE \(Self.user(2)) END, now() - interval '1 minute'
                FROM generate_series(1, 601) n
                """)
            let store = DeliveryStore(db: stage.app.db)
            let lines = try await store.due(id, at: Date(), limit: 64, except: [])
            #expect(lines.map(\.count).sorted() == [1, 20])
            let rest = try await store.due(id, at: Date(), limit: 64, except: [User.ID(Self.user(1))])
            #expect(rest.map { $0.map(\.id) } == [[601]])
        }
    }

    private static func user(_ number: UInt8) -> UUID {
        UUID(uuid: (number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }

    @Test func `to write the same progress again is harmless`() async throws {
        try await WebhookStage.run(isServed: false) { stage in
            _ = try await stage.create()
            let store = DeliveryStore(db: stage.app.db)
            let held = try #require(
                try await store.take(
                    UUID(), for: 60, knowing: Event.Kind.allCases.map(\.rawValue), except: []))
            var progress = DeliveryProgress(position: held.position)
            progress.missed = 3
            let user = User.ID(Self.user(1))
            progress.parked = [
                1: ParkedEvent(
                    id: 1, user: user, attempts: 1, dueAt: Date() + 3600, firstFailedAt: Date(),
                    lastError: "x"),
                2: ParkedEvent(id: 2, user: user),
            ]
            for _ in 0..<2 {
                let waiting = try await store.save(progress, of: held, for: 60, crowd: nil)
                #expect(waiting?.counts == [user: 2])
            }
            #expect(
                try await stage.app.db.write.first("SELECT missed FROM webhooks") {
                    try $0.next(as: Int64.self)
                } == 3)
            // Who begins anew knows only that they are there.
            progress.parked = [1: ParkedEvent(id: 1, user: user), 2: ParkedEvent(id: 2, user: user)]
            _ = try await store.save(progress, of: held, for: 60, crowd: nil)
            #expect(
                try await stage.app.db.write.first(
                    "SELECT attempts FROM webhook_deliveries WHERE event_id = 1 AND due_at > now() + interval '50 minutes'"
                ) { try $0.next(as: Int64.self) } == 1)
        }
    }

    @Test func `who goes back to a time after the position reads again what is no longer dead`() async throws
    {
        try await WebhookStage.run(isServed: false) { stage in
            let id = try await stage.create().id
            let uuid = try #require(UUID(uuidString: id))
            try await stage.tell(count: 3)
            try await waitUntil { try await stage.app.count("outbox") == 0 }
            let last = try await EventStore(db: stage.app.db).last()
            try await stage.app.db.write.run(
                """
                INSERT INTO webhook_deliveries (webhook_id, event_id, user_id, attempts, dead_at)
                VALUES (\(uuid), \(last), \(User.ID(of: User.UID(stored: "u-ann"))), 9, now())
                """)
            func revision() async throws -> Int64? {
                try await stage.app.db.write.first("SELECT revision FROM webhooks") { try $0.next() }
            }
            let before = try await revision()
            let since = JSON.timestamp(Date(microsecondsSince1970: last - 1000))
            #expect(try await stage.call(.post, "/\(id)/redeliver", ["since": since]).status == 202)
            #expect(try await stage.app.count("webhook_deliveries") == 0)
            #expect(try await revision() != before)
            let worker = stage.startWorker()
            try await stage.waitUntilDone(id)
            #expect(stage.receiver.arrivals.count == 3)
            // Before the first event there was nothing to miss.
            let long = "1999-01-01T00:00:00Z"
            #expect(try await stage.call(.post, "/\(id)/redeliver", ["since": long]).status == 202)
            try await waitUntil("all again") { stage.receiver.arrivals.count > 5 }
            try await stage.waitUntilDone(id)
            #expect(try await stage.show(id)["missedUntil"] == nil)
            worker.cancel()
            _ = await worker.result
        }
    }

    @Test func `sending again since a time after the position skips nothing`() async throws {
        try await WebhookStage.run(isServed: false) { stage in
            let id = try await stage.create().id
            try await stage.tell(count: 3)
            try await waitUntil { try await stage.app.count("outbox") == 0 }
            let last = try await EventStore(db: stage.app.db).last()
            // A text has milliseconds: the next one is after all three.
            let since = JSON.timestamp(Date(microsecondsSince1970: last + 1000))
            #expect(try await stage.call(.post, "/\(id)/redeliver", ["since": since]).status == 202)
            let worker = stage.startWorker()
            try await stage.waitUntilDone(id)
            #expect(stage.receiver.arrivals.count == 3)
            worker.cancel()
            _ = await worker.result
        }
    }

    @Test func `what operators do with webhooks is in the audit, for calls by a key`() async throws {
        try await WebhookStage.run(isServed: false) { stage in
            let id = try await stage.create(types: ["user.renamed"]).id
            _ = try await stage.call(.patch, "/\(id)", ["paused": true])
            _ = try await stage.call(.post, "/\(id)/secret")
            _ = try await stage.call(.post, "/\(id)/redeliver", ["dead": true])
            _ = try await stage.call(.delete, "/\(id)")
            #expect(try await stage.call(.delete, "/\(id)").status == 404)
            let audit = try await stage.app.get("/v1/admin/audit", headers: stage.keys)
            let acts = try #require(audit.json["acts"] as? [[String: Any]])
            let names = [
                "delete_webhook", "redeliver_webhook", "rotate_webhook", "change_webhook", "create_webhook",
            ]
            #expect(acts.compactMap { $0["act"] as? String } == names)
            let details = acts.compactMap { $0["details"] as? [String: String] }
            #expect(details.allSatisfy { $0["webhook"] == id })
            #expect(details.last?["host"] == "127.0.0.1" && details.last?["types"] == "user.renamed")
            #expect(details[3]["paused"] == "true")
            #expect(acts.allSatisfy { $0["uid"] == nil && $0["actorName"] != nil })
        }
    }
}
