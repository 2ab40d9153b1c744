import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Web

/// Keys that admins make and revoke by calls.
@Suite(.inTurns) struct KeyRoutesTests {
    private static let keys = "/v1/admin/keys"

    @Test func `a key is in the answer that creates it alone, works, and ends once`() async throws {
        try await TestApp.run { app in
            let admin = try await app.keyed()
            let body: Body = ["name": " desk ", "scope": "support", "expiresInDays": 7]
            let made = try await app.call(.post, Self.keys, headers: admin, body: body)
            #expect(made.status == 201 && made.headers[.cacheControl] == "no-store", "\(made.text)")
            #expect((made["name"], made["scope"], made["actsForUsers"]) == ("desk", "support", "0"))
            let (text, id) = (try #require(made["key"]), try #require(made["id"]))
            let own: HTTPFields = [.authorization: "Bearer \(text)"]
            #expect(try await app.get("/v1/admin/me", headers: own)["actor"] == "key:\(id)")
            #expect(try await app.call(.post, Self.keys, headers: own, body: body).status == 403)

            let listed = try await app.get(Self.keys, headers: admin)
            let row = try #require(listed.objects("keys").first { $0["id"] as? String == id })
            #expect(row["createdBy"] as? String == made["createdBy"])
            #expect(made["createdBy"]?.hasPrefix("key:") == true)
            #expect(row["expiresAt"] != nil && row["revokedAt"] == nil && row["key"] == nil)
            let secret = String(text.suffix(32))
            let kept: Statement = "SELECT string_agg(a::text, ' ') FROM audit a"
            let audit = try await app.db.read.first(kept) { try $0.next(as: String.self) } ?? ""
            #expect(audit.contains("create_key") && !audit.contains(secret) && !listed.text.contains(secret))

            #expect(try await app.call(.delete, "\(Self.keys)/\(id)", headers: admin).status == 204)
            let again = try await app.call(.delete, "\(Self.keys)/\(id)", headers: admin)
            #expect((again.status, again.code) == (404, "key_not_found"))
            #expect(try await app.count("audit WHERE act = 'revoke_key'") == 1)
            try await waitUntil("a server knows") {
                try await app.get("/v1/admin/me", headers: own).status == 401
            }
        }
    }

    @Test func `the same key for idempotency makes one key, whose secret only the first answer has`()
        async throws
    {
        try await TestApp.run { app in
            var admin = try await app.keyed()
            admin[.idempotencyKey] = "form-1"
            let body: Body = ["name": "desk", "scope": "server", "actsForUsers": true, "expiresInDays": 7]
            let answers = try await withThrowingTaskGroup(of: TestApp.Answer.self) { [admin] group in
                for _ in 0..<4 {
                    group.addTask { try await app.call(.post, Self.keys, headers: admin, body: body) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 201 }, "\(answers.map(\.text))")
            #expect(Set(answers.compactMap { $0["id"] }).count == 1)
            #expect(answers.compactMap { $0["key"] }.count == 1)
            #expect(answers.count { $0.headers[.idempotentReplayed] == "true" } == 3)
            #expect(try await app.count("api_keys WHERE name = 'desk'") == 1)
            #expect(try await app.count("audit WHERE act = 'create_key'") == 1)
            let others: [Body] = [
                ["name": "till", "scope": "server", "actsForUsers": true, "expiresInDays": 7],
                ["name": "desk", "scope": "server", "actsForUsers": false, "expiresInDays": 7],
                ["name": "desk", "scope": "server", "actsForUsers": true],
            ]
            for other in others {
                let answer = try await app.call(.post, Self.keys, headers: admin, body: other)
                #expect((answer.status, answer.code) == (422, "idempotency_key_reused"))
            }
            // Another caller's key is another one.
            var ben = try await app.keyed()
            ben[.idempotencyKey] = "form-1"
            #expect(try await app.call(.post, Self.keys, headers: ben, body: body)["key"] != nil)
            ben[.idempotencyKey] = "a b"
            let wrong = try await app.call(.post, Self.keys, headers: ben, body: body)
            #expect((wrong.status, wrong["field"]) == (400, "Idempotency-Key"))
        }
    }

    @Test func `a key acts for users only if one says so, and its scope may`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let admin = try await app.keyed()
            for (acts, status) in [(true, 200), (false, 403)] {
                let body: Body = ["name": "backend", "scope": "server", "actsForUsers": acts]
                let made = try await app.call(.post, Self.keys, headers: admin, body: body)
                var own: HTTPFields = [.authorization: "Bearer \(made["key"] ?? "")"]
                own[.kithUser] = "u-ann"
                #expect(try await app.get("/v1/me", headers: own).status == status, "\(acts)")
            }
            let wrong: [(field: String, body: Body)] = [
                ("actsForUsers", ["name": "x", "scope": "growth", "actsForUsers": true]),
                ("scope", ["name": "x", "scope": "root"]), ("name", ["name": "  ", "scope": "client"]),
                ("expiresInDays", ["name": "x", "scope": "client", "expiresInDays": 0]),
                ("expiresInDays", ["name": "x", "scope": "client", "expiresInDays": 36_501]),
            ]
            for (field, body) in wrong {
                let answer = try await app.call(.post, Self.keys, headers: admin, body: body)
                #expect((answer.status, answer["field"]) == (400, field), "\(answer.text)")
            }
        }
    }
}
