import Foundation
import Postgres
import Testing

@testable import AppTesting
@testable import Graph

/// Visits that a phone began and went on with later.
extension FriendChangesTests {
    @Test func `a visit that was interrupted says at its end that there is more by now`() async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 5)
            for uid in people[1...3] { try await app.act(.want, uid, on: people[0]) }
            func page(after: String?) async throws -> TestApp.Answer {
                let after = after.map { "&after=\($0)" } ?? ""
                return try await app.get("/v1/me/changes?limit=2\(after)", as: people[0])
            }
            let first = try await page(after: nil)
            #expect(first["hasMore"] == "1")
            try await app.act(.want, people[4], on: people[0])
            let last = try await page(after: first["next"])
            #expect((last.json["changes"] as? [Any])?.count == 1)
            #expect(last["hasMore"] == "1")
            let next = try await page(after: last["next"])
            #expect((next.json["changes"] as? [[String: Any]])?.map { $0["uid"] as? String } == [people[4]])
            #expect(next["hasMore"] == "0")
        }
    }

    @Test func `while nobody can write, a visit tells what is known, and a later one the rest`() async throws
    {
        try await TestApp.run { app in
            let people = try await app.people("p", 3)
            var phone = SyncingPhone(app, people[0])
            try await app.befriend(people[0], people[1])
            try await phone.sync()
            try await app.befriend(people[0], people[2])
            try await app.db.withConnection { connection in
                try await connection.script("BEGIN; LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE")
                try await phone.sync()
                #expect(phone.known == [people[1]: "friends"])
                #expect(try await app.get("/v1/me/changes", as: people[0]).status == 503)
                try await connection.script("COMMIT")
            }
            try await phone.sync()
            #expect(phone.known == [people[1]: "friends", people[2]: "friends"])
            #expect(phone.reloads == 0)
        }
    }
}
