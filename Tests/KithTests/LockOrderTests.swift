import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Operations

/// All writers at once, on one database and few users: a common order of locks prevents deadlocks.
///
/// `KITH_LOCK_TEST_SECONDS` sets the duration.
@Suite(.inTurns) struct LockOrderTests {
    private static let seconds =
        ProcessInfo.processInfo.environment["KITH_LOCK_TEST_SECONDS"].flatMap(Int.init) ?? 5

    @Test func `all writes at once cause no deadlock, and every invariant holds at the end`()
        async throws
    {
        try await TestApp.run(configure: {
            $0.usernames.cooldown = .zero
            $0.friends.ended = 2
            ($0.invites.rotations, $0.database.writers) = (100_000, 8)
        }) { app in
            let crowd = try await Crowd(app)
            let end = ContinuousClock.now + .seconds(Self.seconds)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<10 {
                    group.addTask {
                        var turn = 0
                        while await crowd.goesOn(after: end) {
                            try await crowd.act(writer, turn)
                            turn += 1
                        }
                    }
                }
                group.addTask {
                    var round = 0
                    while await crowd.goesOn(after: end) {
                        try await crowd.bringIn(round)
                        round += 1
                    }
                }
                group.addTask {
                    while await crowd.goesOn(after: end) {
                        try await crowd.breakSomething()
                        _ = try await VerifyStore(db: app.db, checks: App.checks).verify(repairing: true)
                    }
                }
                try await group.waitForAll()
            }
            let repaired = try await VerifyStore(db: app.db, checks: App.checks).verify(repairing: true)
            #expect(repaired.broken.isEmpty, "\(repaired.lines)")
            try await app.verify()
            #expect(await crowd.missing == [])
            #expect(try await deadlocksCounted(app) == 0)
        }
    }

    /// A backend reports its statistics when it ends at the latest, so all of them end first.
    private func deadlocksCounted(_ app: TestApp) async throws -> Int {
        await app.db.close()
        let db = try Database(Database.Configuration(url: app.app.config.database.url))
        defer { Task { await db.close() } }
        try await waitUntil("all other connections ended") {
            try await db.read.first(
                """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                AND pid <> pg_backend_pid() AND application_name LIKE 'kith%'
                """
            ) { try $0.next(as: Int.self) } == 0
        }
        return try await db.read.first(
            "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        ) { try $0.next() } ?? -1
    }
}

/// Users who write at random.
private struct Crowd: Sendable {
    let app: TestApp
    let people: [String]
    let operators: HTTPFields
    let outcomes = Outcomes()

    private static let size = 16

    init(_ app: TestApp) async throws {
        self.app = app
        people = try await app.people("p", Self.size)
        operators = try await app.keyed()
        for (one, other) in zip(people, people.dropFirst()) { try await app.befriend(one, other) }
    }

    /// The number of successful answers of each act.
    actor Outcomes {
        var answered: [String: Int] = [:]

        func count(_ name: String) { answered[name, default: 0] += 1 }
    }

    enum Act: CaseIterable {
        case signUp, signUpByCode, accept, friend, rename, respell, displayName, suspend, restore, freeze,
            undo,
            unfreeze
        case delete, rotate, issue, change, revoke, invites, dismiss, sync
    }

    private static let importNames = ["users", "usernames", "friendships"]

    /// The acts that have not yet succeeded.
    var missing: [String] {
        get async {
            let done = await outcomes.answered
            return (Act.allCases.map { "\($0)" } + Self.importNames).filter { done[$0] == nil }
        }
    }

    /// Waits for the first success of each act, which takes longer on a busy machine.
    func goesOn(after end: ContinuousClock.Instant) async -> Bool {
        let now = ContinuousClock.now
        if now < end { return true }
        guard now < end + .seconds(120) else { return false }
        return await !missing.isEmpty
    }

    func act(_ writer: Int, _ turn: Int) async throws {
        let act = Act.allCases[(turn + writer) % Act.allCases.count]
        let answer = try await answer(act, "n\(writer)x\(turn)", Array(people.shuffled().prefix(2)))
        #expect(answer.status < 500 || answer.status == 503, "\(act): \(answer.text)")
        if answer.status < 300 { await outcomes.count("\(act)") }
    }

    private func answer(_ act: Act, _ new: String, _ pair: [String]) async throws -> TestApp.Answer {
        let (me, other) = (pair[0], pair[1])
        switch act {
        case .sync: return try await app.get("/v1/me/changes", as: me)
        case .signUp: return try await signUp(new, TestApp.link(String(me.dropFirst(2)), me))
        case .signUpByCode:
            let code = try await app.get("/v1/me/invite", as: me)["code"] ?? ""
            return try await signUp(new, ["code": code])
        case .accept:
            let code = try await app.post("/v1/invites", as: me, ["maxUses": 3])["code"] ?? ""
            return try await app.post("/v1/invites/accept", as: other, ["code": code])
        case .friend: return try await app.act(FriendAction.allCases.randomElement() ?? .want, me, on: other)
        case .rename: return try await app.rename(me, to: me.dropFirst(2) + (Bool.random() ? "a" : "b"))
        case .respell:
            let name = try await app.get("/v1/me", as: me)["username"] ?? "x"
            return try await app.rename(me, to: Bool.random() ? name.uppercased() : name.lowercased())
        case .displayName:
            return try await app.call(.patch, "/v1/me", as: me, body: ["displayName": new])
        case .suspend:
            return try await app.call(.put, "/v1/admin/users/\(me)/suspension", headers: operators, body: [:])
        case .restore:
            for uid in people {
                _ = try await app.call(.delete, "/v1/admin/users/\(uid)/suspension", headers: operators)
            }
            return try await app.call(.delete, "/v1/admin/users/\(me)/suspension", headers: operators)
        case .freeze:
            return try await app.call(
                .put, "/v1/admin/users/\(me)/invite-freeze", headers: operators, body: ["reason": "x"])
        case .undo:
            return try await app.post(
                "/v1/admin/users/\(me)/undo-invites", as: nil, headers: operators, ["reason": "x"])
        case .unfreeze:
            for uid in people {
                _ = try await app.call(.delete, "/v1/admin/users/\(uid)/invite-freeze", headers: operators)
            }
            return try await app.call(.delete, "/v1/admin/users/\(me)/invite-freeze", headers: operators)
        case .delete:
            _ = try await signUp(new, TestApp.link(String(me.dropFirst(2)), me))
            _ = try await app.act(.want, "u-\(new)", on: other)
            return try await app.call(.delete, "/v1/me", as: "u-\(new)")
        case .rotate, .issue, .change, .revoke, .invites: return try await change(act, me, other)
        case .dismiss: return try await app.call(.delete, "/v1/suggestions/\(other)", as: me)
        }
    }

    /// Writes of links, and of what they do.
    private func change(_ act: Act, _ me: String, _ other: String) async throws -> TestApp.Answer {
        if act == .rotate { return try await app.post("/v1/me/invite/rotate", as: me) }
        if act == .invites {
            let choice = Bool.random() ? "ask" : "auto"
            return try await app.call(.patch, "/v1/me", as: me, body: ["invites": .some(choice)])
        }
        let made = try await app.post("/v1/invites", as: me)
        let path = "/v1/invites/\(made["code"] ?? "")"
        switch act {
        case .revoke: return try await app.call(.delete, path, as: me)
        case .change:
            async let used = app.post("/v1/invites/accept", as: other, ["code": made["code"] ?? ""])
            let body: Body = ["friendship": "ask", "maxUses": 9]
            let changed = try await app.call(.patch, path, as: me, body: body)
            _ = try await used
            return changed
        default: return made
        }
    }

    private func signUp(_ new: String, _ invite: Body) async throws -> TestApp.Answer {
        try await app.post("/v1/signup", as: "u-\(new)", ["username": new, "invite": invite])
    }

    /// The three imports: new users, old names of some of them, and friendships with and within the crowd.
    func bringIn(_ round: Int) async throws {
        let me = people.randomElement() ?? ""
        let lines = people.shuffled().prefix(6).map { "imp\(round),\($0)\n\(me),\($0)\n" }.joined()
        _ = try await app.importUsers(
            "uid,username,created_at\nimp\(round),imp\(round),2020-01-01T00:00:00Z\n")
        await outcomes.count("users")
        let day = "2001-\(10 + round % 3)-\(10 + round / 3 % 20)"
        _ = try await app.importUsernames(
            """
            uid,username,valid_from,valid_to
            imp\(round),was\(round),2019-01-01T00:00:00Z,2021-01-01T00:00:00Z
            \(me),old\(round),\(day)T00:00:00Z,\(day)T12:00:00Z

            """, complete: true)
        await outcomes.count("usernames")
        _ = try await app.importFriendships("uid,friend_uid\n" + lines)
        await outcomes.count("friendships")
        if round % 2 == 1 { _ = try await app.call(.delete, "/v1/me", as: "imp\(round - 1)") }
    }

    /// Breaks one row of each kind for the repairs of `kith verify`.
    func breakSomething() async throws {
        let me = User.ID(of: User.UID(stored: people.randomElement() ?? ""))
        try await app.db.write.run("UPDATE users SET history_complete = false WHERE id = \(me)")
        try await app.db.write.run(
            """
            UPDATE usernames SET state = 'released' WHERE state = 'active' AND name_key = (
                SELECT lower(username) FROM users WHERE id = \(me))
            """)
        try await app.db.write.run(
            """
            UPDATE relationships SET since = tests.earlier(since, 24) WHERE since IS NOT NULL AND user_id = \(me)
            AND other_id = (SELECT other_id FROM relationships WHERE user_id = \(me) AND since IS NOT NULL LIMIT 1)
            """)
        try await app.db.write.run(
            """
            UPDATE invites SET uses = uses + 1 WHERE code = (SELECT invite_code FROM users WHERE id = \(me))
            """)
    }
}
