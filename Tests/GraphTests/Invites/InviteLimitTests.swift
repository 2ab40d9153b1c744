import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kith
@testable import Web

/// The limit of links of a user, and what remains of dead ones.
@Suite(.inTurns) struct InviteLimitTests {
    @discardableResult
    private func issue(_ app: TestApp, _ body: Body = [:]) async throws -> String {
        let answer = try await app.post("/v1/invites", as: "u-ann", body)
        try #require(answer.status == 201, "\(answer.text)")
        return try #require(answer["code"])
    }

    @Test func `of many concurrent links only as many as the limit are made`() async throws {
        try await TestApp.run(configure: { $0.invites.links = 4 }) { app in
            try await app.signUp("ann")
            _ = try await app.get("/v1/me/invite", as: "u-ann")
            let answers = try await withThrowingTaskGroup(of: TestApp.Answer.self) { group in
                for _ in 0..<12 { group.addTask { try await app.post("/v1/invites", as: "u-ann") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0.status == 201 }.count == 4)
            #expect(answers.filter { $0.status == 409 && $0.code == "link_limit" }.count == 8)
            #expect(try await app.count("invites WHERE kind = 'custom'") == 4)
        }
    }

    @Test func `a revoked, expired or exhausted link makes room for another`() async throws {
        try await TestApp.run(configure: { $0.invites.links = 1 }) { app in
            try await app.signUp("ann")
            let key: HTTPFields = [.idempotencyKey: "k"]
            let first = try await app.post("/v1/invites", as: "u-ann", headers: key)
            #expect(try await app.post("/v1/invites", as: "u-ann").code == "link_limit")
            let replayed = try await app.post("/v1/invites", as: "u-ann", headers: key)
            #expect((replayed.status, replayed.bytes) == (201, first.bytes))
            _ = try await app.call(.delete, "/v1/invites/\(first["code"] ?? "")", as: "u-ann")
            let second = try await issue(app, ["expiresIn": 60])
            try await app.db.write.run("UPDATE invites SET expires_at = now() WHERE code = \(second)")
            let third = try await issue(app, ["maxUses": 1])
            #expect(try await app.post("/v1/invites", as: "u-ann").code == "link_limit")
            try await app.signUp("bob", invite: ["code": third])
            try await issue(app)
            try await app.verify()
        }
    }

    @Test
    func `the newest dead links stay, used or not, and users who joined by a deleted one stay attributed`()
        async throws
    {
        try await TestApp.run(configure: { ($0.invites.links, $0.invites.rotations) = (3, 100) }) { app in
            try await app.signUp("ann")
            let used = try await issue(app)
            try await app.signUp("bob", invite: ["code": used])
            _ = try await app.call(.delete, "/v1/invites/\(used)", as: "u-ann")
            var codes: [String] = []
            for round in 0..<6 {
                codes.append(try await issue(app, round % 2 == 0 ? ["maxUses": 1] : [:]))
                let invite: Body = ["code": codes[round]]
                let guest = try await app.signUp("guest\(round)")
                #expect(try await app.post("/v1/invites/accept", as: guest, invite).status == 200)
                guard round % 2 == 1 else { continue }
                _ = try await app.call(.delete, "/v1/invites/\(codes[round])", as: "u-ann")
            }
            let last = try await issue(app)
            #expect(
                try await app.list("/v1/invites", "invites", "code", as: "u-ann")
                    == [last] + codes.suffix(3).reversed())
            let counts = try await (
                app.count("invites_by_owner WHERE kind = 'custom'"),
                app.count("invites WHERE kind = 'custom'"),
                app.count("invite_uses")
            )
            #expect(counts == (4, 4, 3))
            let again = try await app.post("/v1/invites/accept", as: "u-bob", ["code": used])
            #expect((again.status, again.code) == (404, "invite_not_found"))
            #expect(try await app.list("/v1/me/invitees", "invitees", as: "u-ann") == ["u-bob"])
            try await app.verify()
        }
    }

    @Test func `a dead link with very many uses is deleted in parts, and never works meanwhile`()
        async throws
    {
        try await TestApp.run(configure: { $0.invites.links = 1 }) { app in
            try await app.signUp("ann")
            let used = try await issue(app, ["maxUses": 2100])
            try await app.people("p", 2100)
            try await app.db.write.batch([
                "INSERT INTO invite_uses (code, user_id) SELECT \(used), id FROM users WHERE uid LIKE 'u-p%'",
                "UPDATE invites SET uses = 2100 WHERE code = \(used)",
            ])
            var (left, statuses): ([Int], [Int]) = ([], [])
            for _ in 0..<4 {
                let code = try await issue(app)
                _ = try await app.call(.delete, "/v1/invites/\(code)", as: "u-ann")
                left.append(try await app.count("invite_uses"))
                statuses.append(try await app.get("/\(used)").status)
                try await app.verify()
            }
            #expect(left == [2100, 1100, 100, 0])
            #expect(statuses == [410, 410, 410, 404])
            #expect(try await app.count("invites WHERE kind = 'custom'") == 2)
        }
    }

    @Test func `issuing and revoking links does not allow more rotations`() async throws {
        try await TestApp.run(configure: { ($0.invites.links, $0.invites.rotations) = (3, 2) }) { app in
            try await app.signUp("ann")
            #expect(try await app.post("/v1/me/invite/rotate", as: "u-ann").status == 200)
            for _ in 0..<5 {
                let code = try await issue(app)
                _ = try await app.call(.delete, "/v1/invites/\(code)", as: "u-ann")
            }
            #expect(try await app.post("/v1/me/invite/rotate", as: "u-ann").code == "rotation_limit")
            try await app.db.write.run(
                "UPDATE invites_by_owner SET created_at = tests.earlier(created_at, 24) WHERE kind = 'personal'"
            )
            #expect(try await app.post("/v1/me/invite/rotate", as: "u-ann").status == 200)
            #expect(
                try await app.count("invites WHERE kind = 'personal'") == 1,
                "old codes are forgotten like others")
            try await app.verify()
        }
    }

    @Test func `a code can be rotated a limited number of times a day, and Retry-After says when again`()
        async throws
    {
        try await TestApp.run(configure: { $0.invites.rotations = 3 }) { app in
            try await app.signUp("ann")
            _ = try await app.get("/v1/me/invite", as: "u-ann")
            let answers = try await withThrowingTaskGroup(of: TestApp.Answer.self) { group in
                for _ in 0..<8 { group.addTask { try await app.post("/v1/me/invite/rotate", as: "u-ann") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0.status == 200 }.count == 2)
            let refused = try #require(answers.first { $0.code == "rotation_limit" })
            #expect(refused.status == 429)
            let wait = try #require(refused.headers[.retryAfter].flatMap { Int($0) })
            #expect((86_000...86_400).contains(wait))
            try await app.db.write.run(
                "UPDATE invites_by_owner SET created_at = tests.earlier(created_at, \(Double(wait) / 3600))")
            #expect(try await app.post("/v1/me/invite/rotate", as: "u-ann").status == 200)
            try await app.verify()
        }
    }
}
