import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Imports
@testable import Kernel
@testable import Operations

@Suite(.inTurns) struct UsernameImportTests {
    private static let header = "uid,username,valid_from,valid_to\n"

    @Test func `links with names of another system redirect, by row 2`() async throws {
        try await TestApp.run { app in
            _ = try await app.importUsers("uid,username,created_at\nu-1,ann,2015-01-01\nu-2,anna,\n")
            let report = try await app.importUsernames(
                """
                valid_to,username,uid,severed,valid_from
                2016-01-01,Anna,u-1,,2015-01-01
                2017-01-01,annette,u-1,f,2016-01-01
                2018-06-01,gone,u-1,true,2018-01-01
                ,Ann,u-1,,2018-06-01
                """, complete: true)
            #expect(report.imported == 3)
            #expect(report.found == ["already 1 [5]", "start_moved 1 []"])
            for name in ["anna", "annette"] {
                let old = try await app.get("/users/\(name)?invitedBy=u-1")
                #expect(old.headers[.location]?.hasSuffix("/users/ann?invitedBy=u-1") == true, "row 2")
            }
            #expect(try await app.get("/users/gone?invitedBy=u-1").status == 404, "row 3")
            #expect(try await app.get("/users/unheard?invitedBy=u-1").status == 404, "row 5")
            #expect(try await app.get("/users/anna?invitedBy=u-2").status == 200, "stays the other's")
            let names = try await app.get("/v1/me/usernames", as: "u-1").json["usernames"] as? [[String: Any]]
            #expect(names?.map { $0["username"] as? String } == ["ann", "gone", "annette", "Anna"])
            #expect(names?.first?["from"] as? String == "2018-06-01T00:00:00.000Z")
        }
    }

    @Test func `a past name is free to others, but never taken from a user who has or holds it`() async throws
    {
        try await TestApp.run { app in
            try await app.importUsers(named: ["ann", "bob"])
            try await app.signUp("active")
            try await app.signUp("held")
            try await app.rename("u-held", to: "holder")
            let report = try await app.importUsernames(
                Self.header
                    + "u-ann,active,2015-01-01,2016-01-01\nu-ann,held,2016-01-01,2017-01-01\n"
                    + "u-ann,left,2017-01-01,2018-01-01\nu-bob,left,2018-02-01,2019-01-01\n")
            #expect(report.imported == 4)
            #expect(try await app.get("/users/active").status == 200)
            #expect(try await app.get("/v1/usernames/held", as: "u-held")["available"] == "1")
            #expect(try await app.get("/v1/usernames/held", as: "u-ann")["available"] == "0")
            for uid in ["u-ann", "u-bob"] {
                #expect(try await app.get("/users/left?invitedBy=\(uid)").status == 302)
            }
            try await app.signUp("left", uid: "u-other")
            #expect(try await app.get("/users/left?invitedBy=u-bob").status == 302)
        }
    }

    @Test func `each kind of bad line is refused and named`() async throws {
        try await TestApp.run { app in
            try await app.importUsers(named: ["ann"])
            let report = try await app.importUsernames(
                Self.header
                    + "u-nobody,old,2015-01-01,2016-01-01\nu-ann,,2015-01-01,2016-01-01\nu-ann,open,2015-01-01,\n"
                    + "u-ann,back,2016-01-01,2015-01-01\nu-ann,early,1950-01-01,1951-01-01\n"
                    + "u-ann,late,2020-01-01,2999-01-01\nu-ann,good,2015-01-01,2016-01-01\n"
                    + "u-ann,good,2015-01-01,2016-01-01\nu-ann,over,2015-06-01,2015-07-01\n")
            #expect(report.imported == 1)
            #expect(
                report.found == [
                    "duplicate 1 [9]", "period_open 1 [4]", "period_overlaps 1 [10]", "period_reversed 1 [5]",
                    "time_invalid 2 [6, 7]", "unknown_user 1 [2]", "username_invalid 1 [3]",
                ])
        }
    }

    @Test func `a history with refused lines is not complete`() async throws {
        try await TestApp.run { app in
            try await app.importUsers(named: ["ann", "bob"])
            _ = try await app.importUsernames(
                Self.header + "u-ann,anna,2015-01-01,2016-01-01\nu-ann,over,2015-02-01,2016-03-01\n"
                    + "u-bob,bobby,2015-01-01,2016-01-01\n", complete: true)
            #expect(try await app.get("/users/over?invitedBy=u-ann").status == 302)
            #expect(try await app.get("/users/over?invitedBy=u-bob").status == 404)
        }
    }

    @Test func `an imported period may not overlap one that began here`() async throws {
        try await TestApp.run { app in
            try await app.signUp("born")
            try await app.age("u-born", hours: 24 * 365)
            _ = try await app.importUsers("uid,username,created_at\nu-1,first,2020-01-01\n")
            try await app.rename("u-1", to: "second")
            let day = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: -86_400))
            let week = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: -7 * 86_400))
            let report = try await app.importUsernames(
                Self.header + "u-born,other,\(week),\(day)\nu-1,zeroth,2020-01-01,\(week)\n")
            #expect(report.found == ["period_overlaps 1 [2]", "start_moved 1 []"])
            #expect(try await app.get("/users/zeroth?invitedBy=u-1").status == 302)
            #expect(try await app.get("/users/first?invitedBy=u-1").status == 302)
        }
    }

    @Test func `the same file again changes nothing`() async throws {
        try await TestApp.run { app in
            try await app.importUsers(named: ["ann"])
            let csv = Self.header + "u-ann,anna,2015-01-01,2016-01-01\nu-ann,anne,2016-01-01,2017-01-01\n"
            #expect(try await app.importUsernames(csv).imported == 2)
            let again = try await app.importUsernames(csv)
            #expect(again.imported == 0 && again.found == ["already 2 [2, 3]"])
            #expect(try await app.count("username_periods") == 3)
        }
    }

    @Test func `names that nobody has now are held, reserved and free as the file says`() async throws {
        try await TestApp.run { app in
            try await app.importUsers(named: ["ann", "bob"])
            let report = try await app.import(
                .nameStates,
                "username,state,uid,held_until\nheld,held,u-ann,2999-01-01\nkept,reserved,,\nover,reserved,,2020-01-01\n"
                    + "free,released,u-bob,\nann,reserved,,\nother,held,,2999-01-01\nother,held,u-who,2999-01-01\n"
                    + "other,lost,,\nheld,held,u-ann,2999-01-01\n")
            #expect(report.imported == 4)
            #expect(
                report.found == [
                    "duplicate 1 [10]", "name_state_invalid 2 [7, 9]", "unknown_user 1 [8]",
                    "username_taken 1 [6]",
                ])
            for (name, owner) in [("held", "u-ann"), ("kept", nil), ("over", "u-bob"), ("free", "u-bob")] {
                let free = try await app.get("/v1/usernames/\(name)", as: "u-bob")["available"] == "1"
                #expect(free == (owner == "u-bob"), "\(name)")
            }
            #expect(try await app.get("/users/free?invitedBy=u-ann").status == 404, "somebody else had it")
            try await app.verify()
        }
    }
}
