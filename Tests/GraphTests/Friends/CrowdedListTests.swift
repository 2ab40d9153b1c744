import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel

@Suite(.inTurns) struct CrowdedListTests {
    @Test func `one user's many calls for lists do not fill the shared lane`() async throws {
        var limits = try await Database.Configuration(url: TestPostgres.shared.migratedDatabase())
        limits.lists = .init(connections: 1, deadline: .seconds(120), lockTimeout: .seconds(60), waiting: 40)
        let db = try Database(limits)
        let blocker = Task {
            try await db.lists.with(deadline: .seconds(600)).run("SELECT pg_sleep(600)")
        }
        try await waitUntil { db.statistics.lists.inFlight == 1 }
        let (lists, busy) = (FriendListStore(db: db), User.ID(of: User.UID(stored: "busy")))
        let waiting = (0..<10).map { _ in
            Task { try await lists.friends(of: busy, after: nil, limit: 1).rows.count }
        }
        try await waitUntil { db.statistics.lists.waiting == 10 }
        for (name, call) in calls(db, busy) {
            do {
                try await call()
                Issue.record("\(name) waited")
            } catch PostgresError.overloaded {
            } catch {
                Issue.record("\(name): \(error)")
            }
        }
        let other = Task {
            try await lists.friends(of: User.ID(of: User.UID(stored: "calm")), after: nil, limit: 1).rows
                .count
        }
        try await waitUntil { db.statistics.lists.waiting == 11 }
        blocker.cancel()
        for task in waiting + [other] { #expect(try await task.value == 0) }
        await db.close()
    }

    /// Every statement of a user's requests on this lane.
    private func calls(_ db: Database, _ user: User.ID) -> [(String, () async throws -> Void)] {
        let (lists, names, invites) = (
            FriendListStore(db: db), UsernameStore(db: db, policy: UsernamePolicy()), InviteStore(db: db)
        )
        return [
            ("friends", { _ = try await lists.friends(of: user, after: nil, limit: 1) }),
            ("by name", { _ = try await lists.friendsByName(of: user, prefix: nil, after: nil, limit: 1) }),
            ("start", { _ = try await MeStore(db: db).start(of: user) }),
            ("incoming", { _ = try await lists.incoming(to: user, after: nil, limit: 1) }),
            ("outgoing", { _ = try await lists.outgoing(from: user, after: nil, limit: 1) }),
            ("blocked", { _ = try await lists.blocked(by: user, after: nil, limit: 1) }),
            ("look-up", { _ = try await lists.relationships(of: user, to: []) }),
            ("changes", { _ = try await FriendSyncStore(db: db).changes(of: user, from: nil, limit: 1) }),
            ("names", { _ = try await names.periods(of: user, after: nil, limit: 1) }),
            ("history", { _ = try await names.history(of: user) }),
            ("invites", { _ = try await invites.list(of: user, after: nil, limit: 1) }),
            ("invitees", { _ = try await InviteTreeStore(db: db).invitees(of: user, after: nil, limit: 1) }),
        ]
    }
}
