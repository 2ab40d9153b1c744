import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Imports
@testable import Kernel
@testable import Operations

/// What users did to others, as `kith export all` writes it.
@Suite(.inTurns) struct RelationshipImportTests {
    private static let header =
        "uid,other_uid,friends_since,asked_at,shown_at,blocked_at,declines,quiet_until,ended_at\n"

    @Test func `requests, blocks, declines and ends are as if users had done them here`() async throws {
        try await TestApp.run { app in
            try await app.importUsers(named: ["ann", "bob", "cat", "dan", "eve"])
            let report = try await app.import(
                .relationships,
                Self.header + "u-bob,u-ann,,2024-01-01,2024-01-02,,,,\nu-cat,u-ann,,2024-01-01,,,,,\n"
                    + "u-ann,u-cat,,,,,2,2999-01-01,\nu-ann,u-dan,,,,2024-01-03,,,\nu-dan,u-ann,,2024-01-01,,,,,\n"
                    + "u-ann,u-eve,,,,,,,2024-01-01\nu-eve,u-new,,2024-01-01,2024-01-01,,,,\n")
            #expect(report.imported == 7 && report.found == [], "\(report)")
            #expect(try await app.requests("incoming", "u-ann") == ["u-bob"])
            #expect(try await app.relationship("u-cat", "u-ann") == "outgoing")
            #expect(try await app.relationship("u-dan", "u-ann") == "outgoing", "it looks unanswered")
            #expect(try await app.relationship("u-ann", "u-dan") == "blocked")
            #expect(try await app.changes(as: "u-dan", after: nil).0 == ["u-ann": "outgoing"])
            #expect(
                try await app.changes(as: "u-ann", after: nil).0 == ["u-bob": "incoming", "u-dan": "blocked"])
            try await app.signUp("newbie", uid: "u-new")
            #expect(try await app.requests("incoming", "u-new") == ["u-eve"])
            try await app.act(.want, "u-ann", on: "u-cat")
            #expect(try await app.relationship("u-ann", "u-cat") == "friends")
            try await app.verify()
        }
    }

    @Test func `each kind of bad line is refused and named, and nothing that stands is changed`() async throws
    {
        try await TestApp.run { app in
            try await app.importUsers(named: ["ann", "bob", "cat", "dan"])
            try await app.befriend("u-ann", "u-bob")
            let report = try await app.import(
                .relationships,
                Self.header
                    + "u-who,u-ann,,2024-01-01,,,,,\nu-ann,,,2024-01-01,,,,,\nu-ann,u-ann,,2024-01-01,,,,,\n"
                    + "u-ann,u-cat,,,,,,,\nu-ann,u-cat,,2024-01-01,,2024-01-01,,,\nu-ann,u-cat,,,,,0,2999-01-01,\n"
                    + "u-ann,u-cat,,,2024-01-01,2024-01-01,,,\nu-ann,u-cat,,2999-01-01,,,,,\nu-ann,u-dan,,,,2024-01-01,,,\n"
                    + "u-ann,u-dan,,2024-01-01,,,,,\nu-ann,u-bob,,,,2024-01-01,,,\n")
            #expect(report.imported == 1)
            #expect(
                report.found == [
                    "duplicate 1 [11]", "oneself 1 [4]", "relationship_invalid 4 [5, 6, 7, 8]",
                    "stands_otherwise 1 [12]", "time_invalid 1 [9]", "uid_invalid 1 [3]",
                    "unknown_user 1 [2]",
                ])
            #expect(try await app.relationship("u-ann", "u-bob") == "friends")
            #expect(try await app.relationship("u-ann", "u-dan") == "blocked")
            try await app.verify()
        }
    }

    @Test func `friends of whom one is suspended come back when the user is restored`() async throws {
        try await TestApp.run { app in
            _ = try await app.importUsers(
                "uid,username,status\nu-ann,ann,\nu-bob,bob,suspended\nu-cat,cat,active\n")
            let report = try await app.import(
                .relationships,
                Self.header + "u-ann,u-bob,2024-01-01,,,,,,\nu-bob,u-ann,2024-01-01,,,,,,\n"
                    + "u-cat,u-bob,2024-01-01,2024-02-01,,,,,\nu-bob,u-cat,2024-01-01,,,,,,\n")
            #expect(report.imported == 4, "\(report)")
            #expect(try await app.get("/v1/users/u-bob", as: "u-ann").status == 404)
            #expect(try await app.changes(as: "u-ann", after: nil).0 == [:])
            #expect(try await app.requests("outgoing", "u-cat") == ["u-bob"])
            #expect(try await app.requests("outgoing", "u-ann") == [])
            try await app.setStatus("active", of: "u-bob")
            for uid in ["u-ann", "u-cat"] { #expect(try await app.friends(uid) == ["u-bob"]) }
            try await app.verify()
        }
    }
}
