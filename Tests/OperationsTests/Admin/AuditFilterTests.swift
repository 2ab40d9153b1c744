import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// Which acts the audit lists, and what it keeps of the command.
@Suite(.inTurns) struct AuditFilterTests {
    /// The reasons of the acts that a filter lists, newest first.
    private func reasons(_ app: TestApp, _ filter: String, _ admin: HTTPFields) async throws -> [String] {
        try await app.asked("/v1/admin/audit?\(filter)", admin).objects("acts").map {
            $0["reason"] as? String ?? ""
        }
    }

    @Test func `the audit is filtered by user, actor, act and time, each and together`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            let desk = try await APIKeyStore(db: app.db).create(name: "desk", scope: .support)
            let (admin, support) = (
                try await app.keyed(), [.authorization: "Bearer \(desk)"] as HTTPFields
            )
            for (uid, path, key, reason) in [
                ("u-ann", "suspension", admin, "1"), ("u-bob", "invite-freeze", admin, "2"),
                ("u-ann", "invite-freeze", support, "3"), ("u-bob", "suspension", support, "4"),
            ] {
                let answer = try await app.call(
                    .put, "/v1/admin/users/\(uid)/\(path)", headers: key,
                    body: ["reason": reason])
                #expect(answer.status == 200, "\(answer.text)")
            }
            for number in 1...4 {
                try await app.db.write.run(
                    "UPDATE audit SET at = \(Date(timeIntervalSince1970: 1_000_000_000 + Double(number))) WHERE reason = \(String(number))"
                )
            }
            let actor = "key:\(try #require(APIKey(desk)).id)"
            let all = try await app.asked("/v1/admin/audit", admin).objects("acts")
            #expect(all.first?["actor"] as? String == actor && all.first?["actorName"] as? String == "desk")
            let second = "2001-09-09T01:46:42Z"
            for (filter, expected) in [
                ("", "4321"), ("uid=u-ann", "31"), ("actor=\(actor)", "43"), ("act=suspend", "41"),
                ("from=\(second)", "432"), ("to=\(second)", "1"), ("from=\(second)&to=\(second)", ""),
                ("from=2001-09-09T10:46:42%2B09:00", "432"),
                ("from=\(second)&to=2001-09-09T01:46:43.5Z", "32"),
                ("uid=u-bob&actor=\(actor)&act=suspend&from=\(second)", "4"),
                ("uid=u-nobody", ""), ("actor=person:ann@example.com", ""), ("actor=key:gone", ""),
            ] {
                #expect(try await reasons(app, filter, admin).joined() == expected, "\(filter)")
            }
            let next = try #require(try await app.asked("/v1/admin/audit?act=suspend&limit=1", admin)["next"])
            #expect(try await reasons(app, "act=suspend&after=\(next)", admin) == ["1"])
            let other = try await app.get("/v1/admin/audit?act=freeze&after=\(next)", headers: admin)
            #expect((other.status, other["field"]) == (400, "after"), "each list takes only its own cursor")
        }
    }

    @Test(arguments: [
        ("uid", "%0A"), ("uid", ""), ("actor", "ann"), ("actor", "key:"), ("actor", "key:%20"),
        ("actor", "host:x"), ("actor", "command:a%00b"), ("actor", "key:a&actor=key:a"), ("act", "suspended"),
        ("act", ""), ("act", "suspend&act=suspend"), ("from", "yesterday"), ("to", "2026-02-30T00:00:00Z"),
        ("from", "2026-01-01T00:00:00Z&from=2026-01-01T00:00:00Z"), ("user", "u-ann"),
    ])
    func `a wrong filter is a 400 that names it`(field: String, value: String) async throws {
        try await TestApp.run { app in
            let answer = try await app.get(
                "/v1/admin/audit?\(field)=\(value)", headers: try await app.keyed())
            #expect((answer.status, answer["field"]) == (400, field), "\(answer.text)")
        }
    }

    @Test func `each key that the command makes or revokes leaves a row under who ran it`() async throws {
        try await TestApp.run { app in
            let environment = ["KITH_DATABASE_URL": app.app.config.database.url]
            func run(_ arguments: String...) async throws -> KithCommand.Outcome {
                try await KithCommand(["key"] + arguments, environment).run()
            }
            let made = try await run(
                "create", "--name", "shop", "--scope", "server", "--no-users", "--expires-in", "7")
            let id = try #require(APIKey(made.output.trimmingCharacters(in: .newlines))?.id)
            #expect(try await run("create", "--name", "app", "--scope", "client").status == 0)
            #expect(try await run("create", "--name", "", "--scope", "client").status == 1)
            #expect(try await run("revoke", id).status == 0)
            for gone in [id, "nothing"] {
                let outcome = try await run("revoke", gone)
                #expect(outcome.status == 1 && outcome.error.contains("no key \(gone) is in force"))
            }
            let actor = AuditActor.thisCommand.text
            #expect(actor.wholeMatch(of: /command:[^@]+@.+/) != nil, "\(actor)")
            let acts = try await app.asked(
                "/v1/admin/audit?actor=\(PercentEncoding.encode(actor))", app.keyed()
            ).objects("acts")
            #expect(
                acts.compactMap { $0["act"] as? String } == ["revoke_key", "create_key", "create_key"],
                "\(acts)")
            #expect(acts.allSatisfy { $0["actor"] as? String == actor && $0["uid"] == nil })
            let details = acts.compactMap { $0["details"] as? [String: String] }
            #expect(details.first == ["key": id])
            #expect(
                details.last == ["key": id, "scope": "server", "actsForUsers": "false", "days": "7"])
        }
    }

    @Test func `of many who revoke a key at once one does, and the audit has one row`() async throws {
        try await TestApp.run { app in
            let store = APIKeyStore(db: app.db)
            let id = try #require(APIKey(try await store.create(name: "x", scope: .server))?.id)
            let done = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 { group.addTask { try await store.revoke(id, by: .thisCommand) } }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(done == 1)
            #expect(try await app.count("audit WHERE act = 'revoke_key'") == 1)
        }
    }
}
