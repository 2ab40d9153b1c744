import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Imports
@testable import Kernel
@testable import Kith
@testable import Operations

@Suite(.inTurns) struct FriendshipImportTests {
    @Test func `a pair listed by one or both sides becomes friends on both sides, since the given time`()
        async throws
    {
        try await TestApp.run { app in
            try await app.importUsers(named: ["ann", "bob", "cat"])
            let report = try await app.importFriendships(
                "since,friend_uid,uid\n2021-02-03T04:05:06Z,u-bob,u-ann\n,u-ann,u-cat\n")
            #expect(report.lines == 2 && report.imported == 2 && report.found == [], "\(report)")
            for (one, other) in [("u-ann", "u-bob"), ("u-bob", "u-ann"), ("u-cat", "u-ann")] {
                #expect(try await app.relationship(of: one, to: other) == "friends")
            }
            let friends = try await app.get("/v1/friends", as: "u-bob")
            #expect(friends.text.contains("2021-02-03T04:05:06.000Z"))
            #expect(try await app.get("/v1/me", as: "u-ann")["counts.friends"] == "2")
            #expect(try await app.brokenMirrors() == 0)
            let changes = try await app.get("/v1/me/changes", as: "u-bob")
            #expect(changes.text.contains("u-ann"))
        }
    }

    @Test func `duplicate, self and unknown lines are counted and named`() async throws {
        try await TestApp.run { app in
            try await app.importUsers(named: ["ann", "bob", "cat"])
            let report = try await app.importFriendships(
                """
                uid,friend_uid,since
                u-ann,u-bob,
                u-ann,u-bob,
                u-bob,u-ann,
                u-ann,u-ann,
                u-ann,u-nobody,
                ,u-ann,
                u-ann,u-bob,2020-01-01
                u-ann,u-cat,2999-01-01
                """)
            #expect(report.lines == 8 && report.imported == 1)
            #expect(
                report.found == [
                    "duplicate 2 [3, 8]", "oneself 1 [5]", "time_invalid 1 [9]", "unknown_user 2 [6, 7]",
                ])
            #expect(try await app.count("relationships") == 2)
            #expect(try await app.get("/v1/friends", as: "u-ann").text.contains("2020-01-01"), "the earliest")
        }
    }

    @Test(arguments: [
        (Import.OneSided.friends, "friends", "friends", 2, ["made_whole 1 [4]"]),
        (.request, "outgoing", "incoming", 1, ["made_request 1 [4]"]),
        (.refuse, "none", "none", 1, ["one_sided 1 [4]"]),
    ])
    func `if both sides list pairs, a one-sided pair is imported as asked`(
        mode: Import.OneSided, lister: String, other: String, imported: Int, found: [String]
    ) async throws {
        try await TestApp.run { app in
            try await app.importUsers(named: ["ann", "bob", "cat"])
            let csv = "uid,friend_uid\nu-ann,u-bob\nu-bob,u-ann\nu-cat,u-ann\n"
            let report = try await app.importFriendships(csv, oneSided: mode)
            #expect(report.imported == imported)
            #expect(report.found == found)
            #expect(try await app.relationship(of: "u-cat", to: "u-ann") == lister)
            #expect(try await app.relationship(of: "u-ann", to: "u-cat") == other)
            #expect(try await app.relationship(of: "u-ann", to: "u-bob") == "friends")
            #expect(try await app.brokenMirrors() == 0)
        }
    }

    @Test(arguments: ["u-ann", "u-bob"])
    func `a block by either side stays, and the import changes nothing under it`(blocker: String) async throws
    {
        try await TestApp.run { app in
            try await app.importUsers(named: ["ann", "bob"])
            let other = blocker == "u-ann" ? "u-bob" : "u-ann"
            #expect(try await app.call(.put, "/v1/blocks/\(other)", as: blocker).status == 200)
            let rows = "SELECT string_agg(r::text, ' ' ORDER BY user_id) FROM relationships r"
            let before = try await app.db.read.first(Statement(text: rows)) {
                try $0.next(as: String.self)
            }
            for mode in Import.OneSided.allCases {
                let report = try await app.importFriendships(
                    "uid,friend_uid\nu-ann,u-bob\nu-bob,u-ann\n", oneSided: mode)
                #expect(report.imported == 0 && report.found == ["blocked 1 [2]"])
            }
            let after = try await app.db.read.first(Statement(text: rows)) {
                try $0.next(as: String.self)
            }
            #expect(before == after)
            #expect(try await app.relationship(of: blocker, to: other) == "blocked")
        }
    }

    @Test func `pairs who had asked, declined or ended become friends as by two requests`() async throws {
        try await TestApp.run { app in
            try await app.importUsers(named: ["ann", "asked", "declined", "parted", "pal"])
            for uid in ["asked", "declined", "parted", "pal"] {
                #expect(try await app.call(.put, "/v1/friends/u-ann", as: "u-\(uid)").status == 200)
            }
            for uid in ["parted", "pal"] {
                _ = try await app.call(.put, "/v1/friends/u-\(uid)", as: "u-ann")
            }
            for uid in ["declined", "parted"] {
                _ = try await app.call(.delete, "/v1/friends/u-\(uid)", as: "u-ann")
            }
            let report = try await app.importFriendships(
                "uid,friend_uid\nu-ann,u-asked\nu-ann,u-declined\nu-ann,u-parted\nu-ann,u-pal\n")
            #expect(report.imported == 3)
            #expect(report.found == ["already 1 [5]"])
            for uid in ["asked", "declined", "parted", "pal"] {
                #expect(try await app.relationship(of: "u-ann", to: "u-\(uid)") == "friends")
                #expect(try await app.relationship(of: "u-\(uid)", to: "u-ann") == "friends")
            }
            let left = try await app.db.read.first(
                """
                SELECT count(*) FROM relationships
                WHERE declines > 0 OR quiet_until IS NOT NULL OR asked_at IS NOT NULL OR heard_at IS NOT NULL
                """
            ) { try $0.next(as: Int.self) }
            #expect(left == 0)
            #expect(try await app.brokenMirrors() == 0)
        }
    }

    @Test func `nobody gets more friends than allowed, and the earliest lines win`() async throws {
        try await TestApp.run(configure: { $0.friends.friends = 3 }) { app in
            try await app.importUsers(named: ["ann", "bob", "cat", "dan", "eve", "fay"])
            #expect(try await app.importFriendships("uid,friend_uid\nu-ann,u-bob\n").imported == 1)
            let report = try await app.importFriendships(
                "uid,friend_uid\nu-ann,u-bob\nu-cat,u-ann\nu-ann,u-dan\nu-ann,u-eve\nu-fay,u-ann\nu-fay,u-eve\n"
            )
            #expect(report.imported == 3)
            #expect(report.found == ["already 1 [2]", "friend_limit 2 [5, 6]"])
            #expect(try await app.get("/v1/me", as: "u-ann")["counts.friends"] == "3")
            #expect(try await app.relationship(of: "u-fay", to: "u-eve") == "friends")
            #expect(try await app.brokenMirrors() == 0)
            // A request that would become a friendship counts as one for the limit.
            _ = try await app.call(.put, "/v1/friends/u-ann", as: "u-fay")
            #expect(
                try await app.importFriendships("uid,friend_uid\nu-ann,u-fay\n").found
                    == ["friend_limit 1 [2]"])
            #expect(try await app.relationship(of: "u-fay", to: "u-ann") == "outgoing")
        }
    }

    @Test func `nobody sends or receives more requests than allowed, and the earliest lines win`()
        async throws
    {
        try await TestApp.run(configure: { $0.friends.requests = 2 }) { app in
            try await app.importUsers(named: ["ann", "bob", "cat", "dan", "eve", "fay"])
            try await app.act(.want, "u-ann", on: "u-bob")
            let report = try await app.importFriendships(
                "uid,friend_uid\nu-ann,u-cat\nu-ann,u-dan\nu-eve,u-dan\nu-fay,u-dan\nu-cat,u-dan\nu-dan,u-cat\nu-bob,u-dan\n",
                oneSided: .request)
            #expect(report.imported == 1)
            #expect(report.found == ["made_request 2 [2, 4]", "request_limit 3 [3, 5, 8]"])
            #expect(try await app.requests("outgoing", "u-ann").sorted() == ["u-bob", "u-cat"])
            #expect(try await app.requests("incoming", "u-dan").sorted() == ["u-eve"])
            #expect(try await app.relationship("u-cat", "u-dan") == "friends")
            try await app.verify()
        }
    }

    @Test func `a suspended friend is imported, but hidden`() async throws {
        try await TestApp.run { app in
            try await app.importUsers(named: ["ann", "bob"])
            try await app.setStatus("suspended", of: "u-bob")
            #expect(try await app.importFriendships("uid,friend_uid\nu-ann,u-bob\n").imported == 1)
            #expect(try await app.get("/v1/me", as: "u-ann")["counts.friends"] == "0")
            try await app.setStatus("active", of: "u-bob")
            #expect(try await app.get("/v1/me", as: "u-ann")["counts.friends"] == "1")
        }
    }

    @Test func `the same file again changes nothing`() async throws {
        try await TestApp.run { app in
            let names = (0..<40).map { "user\($0)" }
            try await app.importUsers(named: names)
            let csv = "uid,friend_uid\n" + (1..<40).map { "u-user\($0),u-user\($0 / 2)\n" }.joined()
            #expect(try await app.importFriendships(csv).imported == 39)
            let state = "SELECT md5(string_agg(r::text, ' ' ORDER BY user_id, other_id)) FROM relationships r"
            let before = try await app.db.read.first(Statement(text: state)) {
                try $0.next(as: String.self)
            }
            let again = try await app.importFriendships(csv)
            #expect(again.imported == 0 && again.found == ["already 39 [2, 3, 4, 5, 6]"])
            let after = try await app.db.read.first(Statement(text: state)) {
                try $0.next(as: String.self)
            }
            #expect(before == after)
        }
    }

    private func waitUntilImportWaits(_ app: TestApp) async throws {
        try await waitUntil("the import waits for those who write relationships") {
            try await app.db.read.first(
                """
                SELECT count(*) FROM pg_locks JOIN pg_database d ON d.oid = database
                WHERE d.datname = current_database() AND relation = 'relationships'::regclass AND NOT granted
                """
            ) { try $0.next(as: Int.self) } == 1
        }
    }

    @Test
    func `after a rename or deletion during the import a user is a friend by the new name, or none`()
        async throws
    {
        try await TestApp.run { app in
            try await app.importUsers(named: ["ann", "bob", "cat"])
            try await app.db.withConnection { session in
                // The table is locked as by a writer, but no row or shard is.
                try await session.script("BEGIN; PREPARE writer AS DELETE FROM relationships")
                async let report = app.importFriendships(
                    "uid,friend_uid\nu-ann,u-bob\nu-ann,u-cat\nu-bob,u-cat\n")
                try await waitUntilImportWaits(app)
                try await app.rename("u-bob", to: "bert")
                #expect(try await app.call(.delete, "/v1/me", as: "u-cat").status == 204)
                try await session.script("COMMIT; DEALLOCATE writer")
                #expect(try await report.imported == 1)
            }
            #expect(try await app.list("/v1/friends", "friends", "username", as: "u-ann") == ["bert"])
            try await app.verify()
        }
    }

    @Test
    func `clients that write the same pairs during the import neither deadlock nor break mirrored rows`()
        async throws
    {
        try await TestApp.run { app in
            let names = (0..<30).map { "user\($0)" }
            try await app.importUsers(named: names)
            var csv = "uid,friend_uid\n"
            for one in 0..<30 { for other in 0..<one { csv += "u-user\(one),u-user\(other)\n" } }
            let file = csv
            let acts: [(HTTPMethodAndPath)] = [
                ("PUT", "friends"), ("DELETE", "friends"), ("PUT", "blocks"), ("DELETE", "blocks"),
            ]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<400 {
                    group.addTask {
                        let (one, other) = (number % 30, (number * 7 + number / 30 + 1) % 30)
                        guard one != other else { return 200 }
                        let (method, path) = acts[number / 3 % 4]
                        return try await app.call(
                            method == "PUT" ? .put : .delete, "/v1/\(path)/u-user\(other)", as: "u-user\(one)"
                        ).status
                    }
                }
                for _ in 0..<3 {
                    group.addTask {
                        do {
                            _ = try await app.importFriendships(file)
                        } catch ImportError.anotherUnderWay {}
                        return 200
                    }
                }
                return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            #expect(statuses.isSubset(of: [200, 409]), "\(statuses)")
            #expect(try await app.brokenMirrors() == 0)
            _ = try await app.importFriendships(file)
            #expect(try await app.brokenMirrors() == 0)
            let strangers = try await app.db.read.first(
                """
                SELECT count(*) FROM relationships WHERE since IS NULL AND NOT i_block AND NOT they_block
                """
            ) { try $0.next(as: Int.self) }
            #expect(strangers == 0, "all are friends, but those who block")
            try await app.verify()
        }
    }

    private typealias HTTPMethodAndPath = (String, String)
}
