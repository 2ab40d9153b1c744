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
@testable import Web

@Suite(.inTurns) struct UserImportTests {
    @Test func `imported users are like users who signed up`() async throws {
        try await TestApp.run { app in
            let report = try await app.importUsers(
                """
                \u{FEFF}"username",created_at,uid,display_name\r
                Ann,2020-02-03T04:05:06Z,provider|1,"Ann, of ""Green"" 花子"\r
                bob,,u 2,  \r

                """)
            #expect(report.lines == 2 && report.imported == 2 && report.found == [])
            let me = try await app.get("/v1/me", as: "provider|1")
            #expect(me["username"] == "Ann")
            #expect(me["displayName"] == "Ann, of \"Green\" 花子")
            #expect(me["createdAt"] == "2020-02-03T04:05:06.000Z")
            let bob = try await app.get("/v1/me", as: "u 2")
            #expect(bob.status == 200 && bob["displayName"] == nil)
            #expect(try await app.get("/v1/usernames/ANN")["available"] != "1")
            #expect(try await app.get("/users/Ann?invitedBy=provider%7C1").status == 200)
            let names = try await app.get("/v1/me/usernames", as: "provider|1")
            #expect(names.text.contains("2020-02-03T04:05:06.000Z"))
            #expect(try await app.rename("u 2", to: "bobby").status == 200)
        }
    }

    @Test func `a duplicate uid or name counts once`() async throws {
        try await TestApp.run { app in
            let report = try await app.importUsers(
                "uid,username\nu-1,ann\nu-1,ann\nu-2,ANN\nu-3,cat\nu-1,dora\n")
            #expect(report.imported == 2)
            #expect(report.found == ["uid_twice 2 [3, 6]", "username_twice 1 [4]"])
            #expect(try await app.get("/v1/me", as: "u-1")["username"] == "ann")
            #expect(try await app.get("/v1/me", as: "u-2").status == 403)
        }
    }

    @Test func `existing users stay as they are, and keep their names`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.signUp("held")
            try await app.rename("u-held", to: "holder")
            try await app.db.write.run(
                "INSERT INTO usernames (name_key, state) VALUES ('operator', 'reserved')")
            let report = try await app.importUsers(
                "uid,username\nu-ann,Ann\nu-ann2,ann\nu-held,other\nu-new,held\nu-new2,operator\nu-new3,new\n"
            )
            #expect(report.imported == 1)
            #expect(
                report.found == ["already 1 [2]", "uid_taken 1 [4]", "username_taken 3 [3, 5, 6]"])
            #expect(try await app.get("/v1/me", as: "u-ann")["username"] == "ann")
            #expect(try await app.get("/v1/me", as: "u-new").status == 403)
        }
    }

    @Test func `a released name can be imported`() async throws {
        try await TestApp.run { app in
            try await app.signUp("held")
            try await app.rename("u-held", to: "holder")
            try await app.age("u-held", hours: 24 * 100)
            #expect(try await app.importUsers("uid,username\nu-new,held\n").imported == 1)
            #expect(try await app.get("/users/held?invitedBy=u-new").status == 200)
            #expect(try await app.get("/users/held?invitedBy=u-held").status == 302)
        }
    }

    @Test func `names that users may not choose are refused, unless they are to be kept`() async throws {
        let lines =
            "u-1,jo\nu-2,john.doe\nu-3,花子\nu-4,admin\nu-5,kith_x\nu-6,a__b\nu-7,\(String(repeating: "n", count: 31))\nu-8,1st\n"
        try await TestApp.run { app in
            let report = try await app.importUsers("uid,username\n\(lines)")
            #expect(report.imported == 0)
            #expect(report.found == ["username_not_allowed 8 [2, 3, 4, 5, 6]"])
            let kept = try await app.importUsers("uid,username\n\(lines)", keepNames: true)
            #expect(kept.imported == 8 && kept.found == [])
            #expect(try await app.get("/users/john.doe?invitedBy=u-2").status == 200)
            #expect(try await app.get("/users/%E8%8A%B1%E5%AD%90?invitedBy=u-3").status == 200)
        }
    }

    @Test(arguments: [true, false])
    func `a username of one or two dots is refused, since browsers remove it from links`(keepNames: Bool)
        async throws
    {
        try await TestApp.run { app in
            let report = try await app.importUsers(
                "uid,username\nu-1,.\nu-2,fine\nu-3,..\n", keepNames: keepNames)
            #expect(report.imported == 1 && report.found == ["username_no_link 2 [2, 4]"])
            #expect(report.description.contains("username is . or .., which no link can carry (lines 2, 4)"))
            guard keepNames else { return }
            #expect(try await app.importUsers("uid,username\nu-4,...\n", keepNames: true).imported == 1)
        }
    }

    @Test func `the operator's reserved words apply, too`() async throws {
        try await TestApp.run(configure: { $0.usernames.rules.reserved = ["brand", "team*"] }) {
            app in
            let report = try await app.importUsers("uid,username\nu-1,Brand\nu-2,teammate\nu-3,branded\n")
            #expect(report.found == ["username_not_allowed 2 [2, 3]"])
        }
    }

    @Test func `text that cannot be stored is refused, even if names are kept`() async throws {
        try await TestApp.run { app in
            let report = try await app.importUsers(
                """
                uid,username,created_at
                ,nouid,
                \(String(repeating: "x", count: 129)),long,
                "a\tb",tab,
                u-1,,
                u-2,\(String(repeating: "n", count: 65)),
                u-3,"a\u{7F}b",
                u-4,future,2999-01-01
                u-5,past,1969-12-31T23:59:59Z
                u-6,never,infinity
                """, keepNames: true)
            #expect(report.imported == 0)
            #expect(
                report.found == [
                    "time_invalid 3 [8, 9, 10]", "uid_invalid 3 [2, 3, 4]", "username_invalid 3 [5, 6, 7]",
                ])
        }
    }

    @Test(arguments: [
        "Ann", " Ann ", "", "  ", "\u{3000}花\u{00A0}", "a\tb", "\u{202E}evil", "\u{200B}", "\u{200B}a",
        "👩‍👩‍👧", "line\nbreak", "\u{2028}", "\u{FE0F}", "\u{E0041}", "\u{AD}\u{3164}", "ok\u{2066}",
        "\u{2800}", "\u{2800} \u{FFFC}", "\u{2800}a",
        String(repeating: "語", count: 100), String(repeating: "語", count: 101),
    ])
    func `a display name is one that the API would accept, or dropped`(name: String) async throws {
        try await TestApp.run { app in
            let report = try await app.importUsers(
                "uid,username,display_name\nu-1,ann,\"\(name)\"\nu-2,jo,\n")
            #expect(report.imported == 1)
            let expected = DisplayName(name)?.text
            if name.hasPrefix("\u{2800}") { #expect((expected == nil) == !name.hasSuffix("a")) }
            #expect(try await app.get("/v1/me", as: "u-1")["displayName"] == expected)
            let isDropped = expected == nil && !name.trimmingCharacters(in: .whitespaces).isEmpty
            #expect(report.found.contains("display_name_dropped 1 [2]") == isDropped)
            let breaks = name.count { $0 == "\n" }
            #expect(report.found.contains("username_not_allowed 1 [\(3 + breaks)]"), "the line in the file")
        }
    }

    @Test func `old links of imported users redirect, by row 5, until their history is known`() async throws {
        try await TestApp.run { app in
            _ = try await app.importUsers("uid,username\nu-1,ann\nu-2,bob\n")
            _ = try await app.importUsers("uid,username\nu-3,cat\n", historyComplete: true)
            let old = try await app.get("/users/anna?invitedBy=u-1&x=1")
            #expect(old.status == 302)
            #expect(old.headers[.location]?.hasSuffix("/users/ann?invitedBy=u-1&x=1") == true)
            #expect(try await app.get("/users/bob?invitedBy=u-1").status == 404, "someone else's")
            #expect(try await app.get("/users/kitty?invitedBy=u-3").status == 404, "nothing unknown")
        }
    }

    @Test func `a suspended user comes suspended, a deleted uid dead, and what an account has comes with it`()
        async throws
    {
        try await TestApp.run(configure: { $0.avatarHosts = AvatarHosts("cdn.example.org") ?? .none }) {
            app in
            let report = try await app.importUsers(
                """
                uid,username,avatar_url,metadata,status,reason,invites,history_complete,username_since
                u-ann,ann,https://cdn.example.org/a,"{""b"": ""2"", ""a"": ""\\u82b1""}",active,,off,true,2024-01-01
                u-sue,sue,,,suspended," Spam\n",,,
                u-hal,,,,deleted,,,,
                u-bob,bob,http://cdn.example.org/a,"{""a"": 1}",,,,,
                u-dan,dan,,,away,,,,
                u-eve,eve,,,,,maybe,,
                u-fay,fay,,,,,,,2999-01-01
                """)
            #expect(report.imported == 4)
            #expect(
                report.found == [
                    "avatar_dropped 1 [6]", "invites_invalid 1 [8]", "metadata_dropped 1 [6]",
                    "status_invalid 1 [7]",
                    "time_invalid 1 [9]",
                ], "\(report)")
            let ann = try await app.get("/v1/me", as: "u-ann")
            #expect(
                ann["avatarUrl"] == "https://cdn.example.org/a" && ann["metadata.a"] == "花", "\(ann.text)")
            #expect(try await app.get("/users/old?invitedBy=u-ann").status == 404, "the history is complete")
            #expect(
                try await app.get("/v1/me/usernames", as: "u-ann").text.contains("2024-01-01T00:00:00.000Z"))
            #expect(try await app.get("/v1/me", as: "u-sue").code == "account_suspended")
            #expect(try await app.get("/users/sue?invitedBy=u-sue").status == 404)
            let again = try await app.post("/v1/signup", as: "u-hal", ["username": "other"])
            #expect((again.status, again.code) == (403, "account_deleted"))
            let differ = try await app.importUsers(
                "uid,username,status\nu-ann,ann,suspended\nu-sue,sue,\nu-bob,,deleted\nu-hal,,deleted\nu-hal,hal,\n"
            )
            #expect(
                differ.found == ["already 2 [3, 5]", "status_differs 2 [2, 4]", "uid_twice 1 [6]"],
                "\(differ)")
            try await app.verify()
        }
    }

    @Test func `the same file again changes nothing`() async throws {
        try await TestApp.run { app in
            let csv = "uid,username\n" + (1...300).map { "u-\($0),name\($0)\n" }.joined()
            #expect(try await app.importUsers(csv).imported == 300)
            let footprint = try await app.footprint()
            let again = try await app.importUsers(csv)
            #expect(again.imported == 0)
            #expect(again.found == ["already 300 [2, 3, 4, 5, 6]"])
            #expect(try await app.footprint() == footprint)
        }
    }

    @Test func `sign-ups and renames during an import of the same names succeed or fail as a whole`()
        async throws
    {
        try await TestApp.run { app in
            for number in 0..<20 { try await app.signUp("early\(number)") }
            let csv = "uid,username\n" + (0..<3000).map { "u-import\($0),name\($0)\n" }.joined()
            async let report = app.importUsers(csv)
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        _ = try? await app.rename("u-early\(number)", to: "name\(number * 3)")
                        let body: Body = ["username": "name\(number * 5)"]
                        _ = try? await app.post("/v1/signup", as: "u-import\(number)", body)
                    }
                }
            }
            let sum = try await report
            #expect(sum.imported + sum.findings.reduce(0) { $0 + $1.count } == 3000, "\(sum)")
            try await app.verify()
        }
    }
}
