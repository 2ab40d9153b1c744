import Foundation
import Hummingbird
import TestSupport
import Testing

@testable import AppTesting
@testable import Events
@testable import Kernel
@testable import Webhooks

/// How an endpoint that fails is tried again.
@Suite(.inTurns) struct WebhookProbeTests {
    @Test func `events of one type that are refused of many users hold up no other user's for long`()
        async throws
    {
        try await WebhookStage.run({ ($0.firstProbe, $0.retries) = (1, [60]) }) { stage in
            let users = try await stage.app.signUpMany(12)
            let good = users[11]
            let (id, _) = try await stage.create(types: ["user.renamed"])
            stage.receiver.answer { Response(status: $0.uid == good ? .ok : .internalServerError) }
            for user in users.prefix(5) { try await stage.tell(user, count: 2) }
            try await waitUntil("it fails") { try await stage.show(id)["state"] == "failing" }
            for user in users[5..<11] { try await stage.tell(user, count: 2) }
            try await stage.tell(good, count: 3)
            try await waitUntil("the good ones") { stage.receiver.arrivals.count { $0.uid == good } == 3 }
            // Five until it failed, then one probe, or two if the first one was early.
            let before = stage.receiver.arrivals.prefix { $0.uid != good }
            #expect(before.count <= 8, "\(before.count)")
            stage.receiver.answer { _ in Response(status: .ok) }
            let refused = stage.receiver.arrivals.count
            #expect(try await stage.call(.patch, "/\(id)", ["paused": false]).status == 200)
            try await stage.waitUntilDone(id)
            let taken =
                stage.receiver.arrivals.prefix(refused).filter { $0.uid == good }
                + stage.receiver.arrivals.dropFirst(refused)
            #expect(Set(taken.map(\.id)).count == 25)
            for (uid, arrivals) in Dictionary(grouping: taken, by: \.uid) where uid != good {
                let ids = arrivals.compactMap { Int64($0.id) }
                // At least once: an event may come again.
                let first = ids.enumerated().filter { !ids.prefix($0).contains($1) }.map(\.element)
                #expect(first.count == 2 && first == first.sorted(), "\(ids)")
            }
        }
    }

    @Test func `another URL of an endpoint that fails is tried at once, with what waits`() async throws {
        try await WebhookStage.run({ ($0.firstProbe, $0.retries) = (600, [600]) }) { stage in
            let users = try await stage.app.signUpMany(6)
            let (id, _) = try await stage.create(types: ["user.renamed"])
            stage.receiver.answer { Response(status: $0.path == "/new" ? .ok : .internalServerError) }
            for user in users { try await stage.tell(user) }
            try await waitUntil("it fails") { try await stage.show(id)["state"] == "failing" }
            #expect(stage.receiver.arrivals(at: "/new").isEmpty)
            let since = try await stage.show(id)["failingSince"]
            let changed = try await stage.call(.patch, "/\(id)", ["url": stage.url("/new")])
            #expect(changed.status == 200 && since != nil && changed["failingSince"] != since)
            try await stage.waitUntilDone(id)
            #expect(Set(stage.receiver.arrivals(at: "/new").compactMap(\.uid)) == Set(users))
            #expect(try await stage.show(id)["state"] == "active")
        }
    }

    @Test
    func
        `a probe takes the oldest or the newest of those against which least speaks, and of each user the first`()
    {
        var window = DeliveryWindow(position: 0)
        for (id, uid) in [(1, "a"), (2, "b"), (3, "b"), (4, "c"), (5, "c")] {
            window.add(
                Event(
                    id: Int64(id), kind: .userRenamed, at: Date(),
                    userID: User.ID(of: User.UID(stored: uid)), user: .uid(User.UID(stored: uid))))
        }
        #expect(window.take(newest: true) { _ in 0 }?.id == 4)
        #expect(window.take(newest: false) { $0.id == 1 ? 2 : 1 }?.id == 2)
        #expect(window.take(newest: true) { _ in 0 }?.id == 1)
        #expect(window.take(newest: false) { _ in 0 } == nil)
    }
}
