import Crypto
import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Web

/// The second call with an `Idempotency-Key`.
@Suite(.inTurns) struct InviteReplayTests {
    private static let key: HTTPFields = [.idempotencyKey: "k-1"]

    @Test func `of eight calls at once with a key one makes a link, and all get its answer`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let answers = try await withThrowingTaskGroup(of: TestApp.Answer.self) { group in
                for number in 0..<8 {
                    let key: HTTPFields = [.idempotencyKey: number < 4 ? "k-1" : "\"k-1\""]
                    group.addTask {
                        try await app.post(
                            "/v1/invites", as: "u-ann", headers: key, ["label": "x", "expiresIn": 3600])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 201 })
            #expect(answers.count { $0.headers[.idempotentReplayed] == "true" } == 7)
            #expect(Set(answers.map(\.bytes)).count == 1)
            #expect(try await app.count("invites WHERE kind = 'custom'") == 1)
            let shown = try await app.get("/v1/invites/\(answers[0]["code"] ?? "")", as: "u-ann")
            #expect(shown.bytes == answers[0].bytes, "the stored times are those of the link")
            try await app.verify()
        }
    }

    @Test func `a replay repeats the first answer, whatever the link and its owner are now`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let odd = #""createdAt":"0001-01-01T00:00:00.000Z"#
            for draft: Body in [
                [:], ["label": odd, "note": "Bring cake", "expiresIn": 60],
                ["label": "\\\"'’", "maxUses": 1, "friendship": "ask"],
            ] {
                let key: HTTPFields = [.idempotencyKey: "\(UUID())"]
                let first = try await app.post("/v1/invites", as: "u-ann", headers: key, draft)
                let code = try #require(first["code"])
                #expect(first.bytes == (try await app.get("/v1/invites/\(code)", as: "u-ann")).bytes)
                _ = try await app.call(.delete, "/v1/invites/\(code)", as: "u-ann")
                try await app.rename("u-ann", to: first["label"] == nil ? "anna" : "ann")
                let again = try await app.post("/v1/invites", as: "u-ann", headers: key, draft)
                #expect((again.status, again.text) == (201, first.text))
                #expect(again.headers[.contentType] == first.headers[.contentType])
                #expect(again.headers[.idempotentReplayed] == "true")
                #expect(first.headers[.idempotentReplayed] == nil)
            }
            let rotated = try await app.post("/v1/me/invite/rotate", as: "u-ann", headers: Self.key)
            _ = try await app.post("/v1/me/invite/rotate", as: "u-ann")
            let again = try await app.post("/v1/me/invite/rotate", as: "u-ann", headers: Self.key)
            #expect((again.status, again.text) == (200, rotated.text))
            #expect(again.headers[.idempotentReplayed] == "true")
        }
    }

    @Test func `the same call is one that means the same, however its JSON is written`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let first = try await app.post(
                "/v1/invites", as: "u-ann", headers: Self.key, ["label": "x", "maxUses": 2])
            #expect(first.status == 201)
            for same in [
                #"{"maxUses":2,"label":"x"}"#, #" { "label" : "\u0078", "maxUses": 2.0 } "#,
                #"{"label":"x","maxUses":2,"expiresIn":null,"friendship":null}"#,
                #"{"label":"x","maxUses":2,"friendship":"auto"}"#,
            ] {
                let again = try await app.post(
                    "/v1/invites", as: "u-ann", headers: Self.key, Body(stringLiteral: same))
                #expect((again.status, again.bytes) == (201, first.bytes), "\(same)")
            }
            for other: Body in [
                [:], ["label": "x"], ["label": "X", "maxUses": 2], ["label": "x", "maxUses": 3],
            ] {
                let refused = try await app.post("/v1/invites", as: "u-ann", headers: Self.key, other)
                #expect((refused.status, refused.code) == (422, "idempotency_key_reused"), "\(other)")
            }
            let elsewhere = try await app.post("/v1/me/invite/rotate", as: "u-ann", headers: Self.key)
            #expect(elsewhere.code == "idempotency_key_reused")
            #expect(try await app.count("invites WHERE kind = 'custom'") == 1)
        }
    }

    /// Servers of two releases may answer a call and its replay.
    @Test func `the stored hash is that of the canonical JSON`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            _ = try await app.post(
                "/v1/invites", as: "u-ann", headers: Self.key, ["label": "x", "maxUses": 2])
            let stored = try await app.db.read.first(
                "SELECT request_sha256 FROM invites_by_owner WHERE kind = 'custom'"
            ) {
                try $0.next(as: [UInt8].self)
            }
            let json = "issue\n" + #"{"friendship":"auto","label":"x","maxUses":2}"#
            #expect(stored == Array(SHA256.hash(data: Data(json.utf8))))
        }
    }
}
