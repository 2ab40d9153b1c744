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

/// Events reach endpoints, over real connections.
@Suite(.inTurns) struct WebhookTests {
    @Test func `an event arrives once, signed, with the body that pages of events have`() async throws {
        try await WebhookStage.run { stage in
            let (id, secret) = try await stage.create()
            try await stage.app.signUp("bob")
            try await stage.waitUntilDone(id)
            let arrival = try #require(stage.receiver.arrivals.first { $0.type == "user.signed_up" })
            #expect(arrival.isSigned(by: secret))
            #expect(!arrival.isSigned(by: WebhookSecret(randomBytes: World.live.randomBytes).text))
            #expect(arrival.uid == "u-bob")
            #expect(arrival.timestamp.wholeMatch(of: /[0-9]{10}/) != nil)
            let page = try await stage.app.get(
                "/v1/admin/events?after=\(Int(arrival.id).map { $0 - 1 } ?? 0)", headers: stage.keys)
            let listed = (page.json["events"] as? [[String: Any]])?.first ?? [:]
            #expect(listed as NSDictionary == arrival.json as NSDictionary)
            #expect(stage.receiver.arrivals.count { $0.id == arrival.id } == 1)
        }
    }

    @Test func `an endpoint gets the types that it wants, and what happens from its creation on`()
        async throws
    {
        try await WebhookStage.run { stage in
            try await stage.tell(count: 3)
            try await waitUntil { try await stage.app.count("outbox") == 0 }
            let (id, _) = try await stage.create(types: ["user.suspended", "friend.created"])
            try await stage.tell()
            try await stage.tell(kind: .userSuspended)
            try await stage.waitUntilDone(id)
            #expect(stage.receiver.arrivals.map(\.type) == ["user.suspended"])
        }
    }

    @Test func `events of one user keep their order through random failures, and none is lost`() async throws
    {
        let failing = Mutex(SeededGenerator(14))
        try await WebhookStage.run({ $0.failures = .max }) { stage in
            let users = try await stage.app.signUpMany(12)
            let (id, _) = try await stage.create()
            stage.receiver.answer { _ in
                try? await Task.sleep(
                    for: .milliseconds(failing.withLock { .random(in: 0...10, using: &$0) }))
                let fails = failing.withLock { Int.random(in: 0..<4, using: &$0) } == 0
                return Response(status: fails ? .internalServerError : .ok)
            }
            for number in 0..<20 {
                for user in users {
                    try await stage.app.db.write.run(
                        EventStore.record(
                            .userRenamed, User.ID(of: User.UID(stored: user)), facts: ["number": "\(number)"])
                    )
                }
            }
            try await stage.waitUntilDone(id)
            let arrivals = stage.receiver.arrivals.filter { $0.type == "user.renamed" }
            for user in users {
                let ids = arrivals.filter { $0.uid == user }.compactMap { Int($0.id) }
                #expect(Set(ids).count == 20)
                // The same one may come several times, but none before an earlier one came for the last time.
                #expect(ids == ids.sorted(), "\(user)")
            }
            #expect(arrivals.count > 240)
            #expect(try await stage.app.count("webhook_deliveries") == 0)
        }
    }

    @Test
    func `an endpoint that always fails stands still, is probed, and gets all in order when it works again`()
        async throws
    {
        try await WebhookStage.run(answer: { _ in Response(status: .internalServerError) }) { stage in
            let users = try await stage.app.signUpMany(12)
            let (id, _) = try await stage.create()
            for user in users { try await stage.tell(user, count: 4) }
            try await waitUntil("failing") { try await stage.show(id)["state"] == "failing" }
            let state = try await stage.show(id)
            #expect(state["lastError"] == "it answers with status 500")
            #expect(stage.app.app.webhookMetrics.metricsText().contains(#"outcome="failed""#))
            let (before, waiting) = (
                stage.receiver.arrivals.count, try await stage.app.count("webhook_deliveries")
            )
            try await waitUntil("probes") { stage.receiver.arrivals.count > before + 2 }
            // A probe is of one user.
            let probes = stage.receiver.arrivals.count - before
            #expect(try await stage.app.count("webhook_deliveries") <= waiting + 4 * (probes + 1))
            #expect(try await stage.show(id)["state"] == "failing")
            stage.receiver.answer { _ in Response(status: .ok) }
            try await stage.waitUntilDone(id)
            #expect(try await stage.show(id)["state"] == "active")
            for user in users {
                let ids = stage.receiver.arrivals.filter { $0.uid == user }.compactMap { Int($0.id) }
                #expect(Set(ids).count == 4)
                #expect(ids == ids.sorted())
            }
        }
    }

    @Test func `an answer that comes too late counts as none, and the event comes again with its id`()
        async throws
    {
        let count = Mutex(0)
        try await WebhookStage.run({ $0.timeout = .milliseconds(300) }) { stage in
            let (id, secret) = try await stage.create()
            stage.receiver.answer { _ in
                if count.withLock({
                    $0 += 1; return $0
                }) <= 2 {
                    try? await Task.sleep(for: .milliseconds(600))
                }
                return Response(status: .ok)
            }
            try await stage.tell()
            try await stage.waitUntilDone(id)
            #expect(stage.receiver.arrivals.count == 3)
            #expect(Set(stage.receiver.arrivals.map(\.id)).count == 1)
            #expect(stage.receiver.arrivals.allSatisfy { $0.isSigned(by: secret) })
        }
    }

    @Test
    func `a worker that ends between the answer and its note leaves the event to the next, with the same id`()
        async throws
    {
        try await WebhookStage.run({ ($0.lease, $0.saving) = (1, .seconds(60)) }, isServed: false) { stage in
            let (id, _) = try await stage.create()
            let worker = stage.startWorker()
            try await stage.tell(count: 3)
            try await waitUntil { stage.receiver.arrivals.count == 3 }
            worker.cancel()
            _ = await worker.result
            #expect(
                try await stage.show(id)["position"].flatMap(Int.init) ?? 0 < Int(
                    stage.receiver.arrivals[0].id) ?? 0)
            let next = stage.startWorker { $0.saving = .milliseconds(50) }
            try await stage.waitUntilDone(id)
            next.cancel()
            _ = await next.result
            let ids = stage.receiver.arrivals.map(\.id)
            #expect(ids == Array(ids.prefix(3)) + Array(ids.prefix(3)))
        }
    }

    @Test func `two workers share the endpoints, and none delivers what the other does`() async throws {
        try await WebhookStage.run(isServed: false) { stage in
            // So many that one worker, which takes five a second, leaves some to one that a busy machine lets
            // begin late.
            let paths = (1...12).map { "/\($0)" }
            var ids: [String] = []
            for path in paths { ids.append(try await stage.create(path).id) }
            let metrics = [WebhookMetrics(), WebhookMetrics()]
            let workers = metrics.map { stage.startWorker(metrics: $0) }
            for _ in 0..<5 {
                try await stage.tell(count: 10)
                try await Task.sleep(for: .milliseconds(200))
            }
            for id in ids { try await stage.waitUntilDone(id) }
            for worker in workers {
                worker.cancel()
                _ = await worker.result
            }
            for one in metrics {
                #expect(!one.metricsText().contains(#"{outcome="delivered"} 0"#))
            }
            for path in paths {
                #expect(Set(stage.receiver.arrivals(at: path).map(\.id)).count == 50)
            }
            // At least once: on a busy machine an answer may come too late. Two that deliver the same would
            // double all.
            #expect(stage.receiver.arrivals.count < 12 * 55)
        }
    }

    @Test func `servers that ask for an endpoint at the same moment take one each`() async throws {
        try await WebhookStage.run(isServed: false) { stage in
            for path in ["/a", "/b"] { _ = try await stage.create(path) }
            let other = try Database(Database.Configuration(url: stage.app.app.config.database.url))
            @Sendable func take(_ db: Database) async throws -> UUID? {
                try await DeliveryStore(db: db).take(
                    .random(), for: 60, knowing: Event.Kind.allCases.map(\.rawValue), except: [])?.id
            }
            // So often that both ask for the same one first now and then.
            for _ in 0..<10 {
                async let one = take(stage.app.db)
                async let two = take(other)
                let taken = try await [one, two].compactMap(\.self)
                #expect(Set(taken).count == 2)
                try await stage.app.db.write.run("UPDATE webhooks SET holder = NULL, held_until = NULL")
            }
            await other.close()
        }
    }

    @Test func `an endpoint whose row somebody has locked keeps no other from being taken`() async throws {
        try await WebhookStage.run(isServed: false) { stage in
            var ids: [UUID] = []
            for path in ["/a", "/b", "/c"] {
                ids.append(try #require(UUID(uuidString: try await stage.create(path).id)))
            }
            let store = DeliveryStore(db: stage.app.db)
            let types = Event.Kind.allCases.map(\.rawValue)
            // Which one would come first by its id is locked.
            let locked = try #require(ids.min { $0.uuidString < $1.uuidString })
            try await stage.app.db.withConnection { session in
                try await session.script(
                    "BEGIN; UPDATE webhooks SET failures = failures WHERE id = '\(locked)'")
                var taken: Set<UUID> = []
                for _ in 0..<2 {
                    taken.insert(
                        try #require(try await store.take(UUID(), for: 60, knowing: types, except: [])).id)
                }
                #expect(taken == Set(ids).subtracting([locked]))
                let began = ContinuousClock.now
                #expect(try await store.take(UUID(), for: 60, knowing: types, except: []) == nil)
                #expect(ContinuousClock.now - began < .seconds(5))
                try await session.script("COMMIT")
            }
            #expect(try await store.take(UUID(), for: 60, knowing: types, except: [])?.id == locked)
        }
    }

    @Test func `an endpoint that is slow delays no other`() async throws {
        try await WebhookStage.run { stage in
            let slow = try await stage.create("/slow").id
            let quick = try await stage.create("/quick").id
            stage.receiver.answer { arrival in
                if arrival.path == "/slow" { try? await Task.sleep(for: .seconds(2)) }
                return Response(status: .ok)
            }
            let began = ContinuousClock.now
            try await stage.tell(count: 10)
            try await stage.waitUntilDone(quick)
            #expect(ContinuousClock.now - began < .seconds(15))
            #expect(stage.receiver.arrivals(at: "/slow").count < 10)
            #expect(try await stage.show(slow)["state"] == "active")
        }
    }

    @Test func `a database that was restored under a running server loses no event that waited there`()
        async throws
    {
        let policy: (inout WebhookPolicy) -> Void = { ($0.failures, $0.retries, $0.lease) = (.max, [60], 2) }
        try await WebhookStage.run(policy) { stage in
            let (id, _) = try await stage.create()
            let db = stage.app.db
            try await stage.tell()
            try await stage.waitUntilDone(id)
            try await db.write.run("CREATE TABLE backup AS SELECT * FROM webhooks")
            let isDown = Mutex(true)
            stage.receiver.answer { _ in Response(status: isDown.withLock { $0 } ? .badRequest : .ok) }
            try await stage.tell(count: 2)
            try await waitUntil("both wait, and the position is behind them") {
                let (last, state) = (try await EventStore(db: db).last(), try await stage.show(id))
                return state["waiting"] == "2" && state["position"] == "\(last)"
            }
            let refused = Set(stage.receiver.arrivals.map(\.id))
            isDown.withLock { $0 = false }
            try await db.write.batch([
                "DELETE FROM webhook_deliveries", "DELETE FROM webhooks",
                "INSERT INTO webhooks SELECT * FROM backup",
            ])
            try await stage.waitUntilDone(id)
            let all = stage.receiver.arrivals.map(\.id)
            #expect(Set(all).subtracting(refused).count == 1, "the second, which nobody tried before")
            #expect(all.count { refused.contains($0) } > refused.count, "the first once more")
        }
    }

    @Test func `an endpoint that is made before the first event missed none`() async throws {
        try await WebhookStage.run(isServed: false) { stage in
            try await stage.app.db.write.batch([
                "DELETE FROM events", "UPDATE event_numbers SET last = 0",
            ])
            let (id, _) = try await stage.create()
            let worker = stage.startWorker()
            try await stage.tell()
            try await stage.waitUntilDone(id)
            #expect(stage.receiver.arrivals.count == 1)
            #expect(try await stage.show(id)["missedUntil"] == nil)
            worker.cancel()
            _ = await worker.result
        }
    }
}
