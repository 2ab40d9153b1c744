import Foundation
import HTTPTypes
import Postgres
import Schema
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Imports
@testable import Kernel
@testable import Operations
@testable import Web

/// `kith export all` and `kith import all`: what a team takes along, and that it comes back whole.
@Suite(.inTurns) struct FullExportTests {
    @Test func `a copy holds every invariant, and an export of it has the same bytes`() async throws {
        try await TestApp.runCopied { one, copy, _ in
            try await copy.verify()
            let (files, again) = (try await one.exported(), try await copy.exported())
            for file in ExportedFile.allCases {
                #expect(files[file] == again[file], "\(file.name)")
                #expect(files[file]?.split(separator: "\n").count ?? 0 > 1, "the world has no \(file.name)")
            }
        }
    }

    @Test func `every table is in an export, or the documents say why it is not`() throws {
        let page = try RepositoryFile.read("docs/commands.md")
        let list = try #require(page.firstMatch(of: /\| tables left out \|[\s\S]*?\n\n/)).output
        let rows = list.split(separator: "\n").dropFirst(2).map { $0.split(separator: "|") }
        let left = rows.flatMap { $0[0].matches(of: /`(\w+)`/).map { String($0.1) } }
        let exported = [
            "acceptances", "invite_uses", "invites", "invites_by_owner", "links", "relationships",
            "username_periods",
            "usernames", "users",
        ]
        #expect((left + exported).sorted() == Migration.tables)
        #expect(rows.allSatisfy { $0.count == 2 && $0[1].count > 10 })
    }

    @Test func `a second import changes nothing`() async throws {
        try await TestApp.runCopied { one, copy, _ in
            let footprint = try await copy.footprint()
            let links = try await copy.exported()[.links]
            for (file, report) in try await copy.importAll(try await one.exported()) {
                #expect(report.imported == 0, "\(file): \(report)")
                #expect(report.findings.allSatisfy { $0.reason == .already }, "\(file): \(report)")
            }
            #expect(try await copy.footprint() == footprint)
            #expect(try await copy.exported()[.links] == links)
        }
    }

    @Test func `links lead where they led, and the dead are dead`() async throws {
        try await TestApp.runCopied { one, copy, world in
            let uids = TestApp.everybody + ["u-second", "u-nobody", "provider|1"]
            let names = [
                "ann", "anna", "annie", "bob", "Bert", "hal", "hall", "gus", "jim", "ken", "sue", "john.doe",
                "j.d",
                "never_had", "joe",
            ]
            var urls = names.map { "/users/\($0)" }
            for name in names {
                urls += uids.map { "/users/\(name)?invitedBy=\(PercentEncoding.encode($0))" }
            }
            urls += (world.codes + [world.ofSue]).flatMap {
                ["/\($0)", "/users/annie?invitedBy=u-ann&code=\($0)"]
            }
            var statuses: Set<Int> = []
            for url in urls {
                let (before, after) = (try await one.get(url), try await copy.get(url))
                #expect(before.status == after.status, "\(url)")
                #expect(before.headers[.location] == after.headers[.location], "\(url)")
                statuses.insert(before.status)
            }
            #expect(statuses == [200, 302, 404, 410])
            #expect(try await copy.get("/users/ann?invitedBy=u-ann").status == 302)
            #expect(try await copy.get("/users/anna?invitedBy=u-ann").status == 404, "severed")
            #expect(try await copy.get("/users/old?invitedBy=provider%7C1").status == 302, "no history")
        }
    }

    @Test func `everybody sees the others as before, and nothing more`() async throws {
        try await TestApp.runCopied { one, copy, _ in
            for uid in TestApp.everybody {
                var (before, after) = (
                    try await one.seen(by: uid, others: TestApp.everybody),
                    try await copy.seen(by: uid, others: TestApp.everybody)
                )
                for path in before.keys {
                    // Cursors and ids of requests are of the server.
                    for key in ["requestId", "next"] {
                        before[path] = before[path]?.replacing(try Regex("\"\(key)\":\"[^\"]*\""), with: "")
                        after[path] = after[path]?.replacing(try Regex("\"\(key)\":\"[^\"]*\""), with: "")
                    }
                    #expect(before[path] == after[path], "\(uid) \(path)")
                }
                let me = (
                    "/v1/me", try await one.get("/v1/me", as: uid), try await copy.get("/v1/me", as: uid)
                )
                for field in [
                    "username", "displayName", "avatarUrl", "metadata.b", "invites", "createdAt", "code",
                ] {
                    #expect(me.1[field] == me.2[field], "\(uid) \(field)")
                }
            }
            // Phones are told of what their users see alone: ann of no block, bob of no ivy.
            for uid in ["u-ann", "u-bob", "u-dan", "u-una", "u-eve"] {
                let told = try await copy.changes(as: uid, after: nil).0
                let known = try await one.changes(as: uid, after: nil).0
                #expect(told == known.filter { $0.value != "none" }, "\(uid)")
            }
        }
    }

    @Test func `who blocked, declined or was suspended is as safe as before`() async throws {
        try await TestApp.runCopied { _, copy, _ in
            try await copy.act(.want, "u-una", on: "u-ann")
            try await copy.act(.want, "u-eve", on: "u-ann")
            #expect(try await copy.requests("incoming", "u-ann") == ["u-dan"])
            try await copy.act(.want, "u-gus", on: "u-bob")
            #expect(try await copy.get("/v1/me", as: "u-gus").code == "account_suspended")
            #expect(try await copy.get("/users/gus?invitedBy=u-gus").status == 404)
            #expect(try await copy.get("/v1/users/u-gus", as: "u-bob").status == 404)
            try await copy.act(.want, "u-ann", on: "u-fay")
            let asked = try await copy.post("/v1/signup", as: "u-nobody", ["username": "newbie"])
            #expect(asked.status == 201)
            #expect(try await copy.requests("incoming", "u-nobody") == ["u-bob"])
            try await copy.signUp("ghost")
            try await copy.act(.want, "u-ghost", on: "u-bob")
            #expect(try await copy.requests("incoming", "u-bob").contains("u-ghost") == false)
            // Ann ended her friendship with fay, so her invite leaves a request.
            try await copy.setStatus("active", of: "u-ivy")
            #expect(try await copy.relationship("u-bob", "u-ivy") == "friends")
            #expect(try await copy.relationship("u-ann", "u-ivy") == "friends")
            try await copy.verify()
        }
    }

    @Test func `a deleted uid stays dead, and names are held and reserved as before`() async throws {
        try await TestApp.runCopied { one, copy, _ in
            for uid in ["u-hal", "u-joe"] {
                let again = try await copy.post("/v1/signup", as: uid, ["username": "other"])
                #expect((again.status, again.code) == (403, "account_deleted"))
            }
            for name in ["hal", "hall", "ann", "anna", "bob", "bert", "joe", "free_one"] {
                for uid in ["u-ann", "u-bob", "u-second"] {
                    let path = "/v1/usernames/\(name)"
                    let (before, after) = (
                        try await one.get(path, as: uid)["available"],
                        try await copy.get(path, as: uid)["available"]
                    )
                    #expect(before == after, "\(name) for \(uid)")
                }
            }
            #expect(try await copy.rename("u-ann", to: "anna").status == 200, "back to the held name")
            try await copy.verify()
        }
    }

    @Test func `a printed code leads to its owner, and is used up as before`() async throws {
        try await TestApp.runCopied { _, copy, world in
            let party = try await copy.post("/v1/invites/resolve", as: "u-dan", ["code": world.party])
            #expect(party["inviter.uid"] == "u-ann", "\(party.text)")
            let used = try await copy.post(
                "/v1/signup", as: "u-new1", ["username": "new1", "invite": ["code": world.once]])
            #expect(used["invite.reason"] == "exhausted", "\(used.text)")
            for (name, reason) in [("new2", nil), ("new3", "exhausted")] {
                let answer = try await copy.post(
                    "/v1/signup", as: "u-\(name)", ["username": name, "invite": ["code": world.party]])
                #expect(answer["invite.reason"] == reason, "\(answer.text)")
            }
            #expect(try await copy.relationship("u-ann", "u-new2") == "friends")
            #expect(try await copy.get("/v1/me/invite", as: "u-ann")["code"] == world.personal)
            #expect(
                try await copy.list("/v1/me/invitees", "invitees", as: "u-ann").sorted() == [
                    "u-cat", "u-new2",
                ])
            // Joining once more by the same link counts no second use.
            _ = try await copy.post("/v1/invites/accept", as: "u-cat", ["code": world.party])
            try await copy.verify()
        }
    }

    @Test func `an export is of one moment, whatever is written meanwhile`() async throws {
        try await TestApp.run(configure: TestApp.withEverything) { one in
            for name in ["ann", "bob"] { try await one.signUp(name) }
            var files: [ExportedFile: String] = [:]
            var isFirst = true
            try await FullExportStore(one.db).run { file, lines, rows in
                files[file, default: ""] += lines
                if isFirst && rows > 0 {
                    isFirst = false
                    try await one.signUp("cat", invite: TestApp.link("ann", "u-ann"))
                    try await one.befriend("u-ann", "u-bob")
                }
            }
            let written = files
            #expect(written.values.allSatisfy { !$0.contains("cat") })
            try await TestApp.run(configure: TestApp.withEverything) { copy in
                for (file, report) in try await copy.importAll(written) {
                    #expect(report.findings == [], "\(file): \(report)")
                }
                try await copy.verify()
                #expect(try await copy.count("users") == 2)
                #expect(try await copy.count("relationships") == 0)
            }
        }
    }
}
