import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Imports
@testable import Kernel
@testable import Operations

/// Links with a code, their uses, and who joined by whose invite.
@Suite(.inTurns) struct InviteImportTests {
    private static func code(_ letter: Character) -> String { String(repeating: letter, count: 16) }

    @Test func `each kind of bad line of invites is refused, and a code stays with its owner`() async throws {
        try await TestApp.run { app in
            try await app.importUsers(named: ["ann", "bob"])
            let (a, b) = (Self.code("a"), Self.code("b"))
            let first = "code,uid,kind,label,max_uses,expires_at,revoked_at\n\(a),u-ann,personal,,,,\n"
            #expect(try await app.import(.invites, first).imported == 1)
            let report = try await app.import(
                .invites,
                first + "\(a),u-ann,personal,,,,\n\(b),u-ann,personal,,,,\n\(b.dropLast()),u-ann,custom,,,,\n"
                    + "\(b),u-who,custom,,,,\n\(b),u-ann,other,,,,\n\(b),u-ann,custom,,0,,\n"
                    + "\(b),u-ann,custom,,,,2999-01-01\n\(b),u-bob,custom,\"x, y\",3,2999-01-01,\n")
            #expect(report.imported == 1)
            #expect(
                report.found == [
                    "already 2 [2, 3]", "code_invalid 1 [5]", "code_second 1 [4]", "invite_invalid 2 [7, 8]",
                    "time_invalid 1 [9]", "unknown_user 1 [6]",
                ])
            #expect(
                try await app.import(.invites, "code,uid,kind\n\(a),u-bob,custom\n").found == [
                    "code_taken 1 [2]"
                ])
            #expect(try await app.get("/v1/me/invite", as: "u-ann")["code"] == a)
            try await app.verify()
        }
    }

    @Test func `an invite is used up by those who used it, and no more`() async throws {
        try await TestApp.run { app in
            try await app.importUsers(named: ["ann", "bob", "cat", "dan"])
            let a = Self.code("a")
            #expect(
                try await app.import(.invites, "code,uid,kind,max_uses\n\(a),u-ann,custom,2\n").imported == 1)
            let report = try await app.import(
                .inviteUses,
                "code,uid,used_at\n\(Self.code("b")),u-bob,\n\(a),u-who,\n\(a),u-bob,2999-01-01\n\(a),u-bob,2024-01-01\n"
                    + "\(a),u-bob,\n\(a),u-cat,\n\(a),u-dan,\n")
            #expect(report.imported == 2)
            #expect(
                report.found == [
                    "duplicate 1 [6]", "time_invalid 1 [4]", "unknown_code 1 [2]", "unknown_user 1 [3]",
                    "use_limit 1 [8]",
                ])
            let late = try await app.post("/v1/invites/accept", as: "u-dan", ["code": a])
            #expect(late.code == "invite_exhausted", "\(late.text)")
            try await app.verify()
        }
    }

    @Test func `nobody gets another inviter, and no two invited each other`() async throws {
        try await TestApp.run { app in
            for name in ["ann", "zoe"] { try await app.signUp(name) }
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            try await app.importUsers(named: ["cat", "dan", "eve"])
            let report = try await app.import(
                .inviters,
                "uid,inviter_uid,code,accepted_at\nu-bob,u-ann,,\nu-bob,u-zoe,,\nu-ann,u-bob,,\nu-cat,u-dan,,\n"
                    + "u-dan,u-cat,,\nu-eve,u-eve,,\nu-eve,u-who,,\nu-zoe,u-ann,,2999-01-01\nu-eve,u-ann,,2024-01-01\n"
            )
            #expect(report.imported == 1, "\(report)")
            #expect(
                report.found == [
                    "already 1 [2]", "inviter_taken 4 [3, 4, 5, 6]", "oneself 1 [7]", "time_invalid 1 [9]",
                    "unknown_user 1 [8]",
                ])
            #expect(
                try await app.list("/v1/me/invitees", "invitees", as: "u-ann").sorted() == ["u-bob", "u-eve"])
            try await app.verify()
        }
    }
}
