import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting

/// Deletion of an account while others write.
@Suite(.inTurns) struct DeletionRaceTests {
    @Test func `an account deleted while others befriend, accept, sign up and rename keeps no friend`()
        async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "bob", "cat"] { try await app.signUp(name) }
            for round in 0..<12 {
                let (name, uid) = ("gone\(round)", "u-gone\(round)")
                try await app.signUp(name)
                _ = try await app.put("/v1/friends/\(uid)", as: "u-ann", [:])
                _ = try await app.put("/v1/friends/u-bob", as: uid, [:])
                let answers = try await withThrowingTaskGroup(of: TestApp.Answer.self) { group in
                    group.addTask { try await app.put("/v1/friends/u-ann", as: uid, [:]) }
                    group.addTask { try await app.put("/v1/friends/\(uid)", as: "u-bob", [:]) }
                    group.addTask { try await app.rename(uid, to: "other\(round)") }
                    group.addTask { try await app.call(.delete, "/v1/me", as: uid) }
                    group.addTask {
                        try await app.post("/v1/invites/accept", as: "u-cat", TestApp.link(name, uid))
                    }
                    group.addTask {
                        try await app.post(
                            "/v1/signup", as: "u-new\(round)",
                            ["username": "new\(round)", "invite": TestApp.link(name, uid)])
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(answers.allSatisfy { $0.status < 500 }, "\(answers.map(\.text))")
                #expect(answers.contains { $0.status == 204 })
            }
            let left = try await app.db.read.first(
                """
                SELECT (SELECT count(*) FROM relationships WHERE since IS NOT NULL),
                       (SELECT count(*) FROM relationships r JOIN users u ON u.id = r.user_id
                        WHERE u.status = 'deleted' AND (r.i_want OR r.i_block)),
                       (SELECT count(*) FROM usernames WHERE user_id IN (SELECT id FROM users WHERE status = 'deleted')),
                       (SELECT count(*) FROM signups WHERE inviter_uid LIKE 'u-gone%')
                """
            ) { row in try (0..<4).map { _ in try row.next(as: Int.self) } }
            #expect(left == [0, 0, 0, 0])
            try await app.verify()
        }
    }

    @Test func `concurrent deletions of mutual friends do not deadlock`() async throws {
        try await TestApp.run { app in
            let uids = try await app.circle(of: 8)
            let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                for uid in uids { group.addTask { try await app.call(.delete, "/v1/me", as: uid).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0 == 204 })
            #expect(try await app.count("relationships") == 0)
            try await app.verify()
        }
    }
}
