import Foundation
import HTTPTypes
import Postgres
import Testing

@testable import Graph
@testable import Imports
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Operations
@testable import Web

/// Whole exports, as strings, and back.
extension TestApp {
    static func withEverything(_ config: inout Config) {
        withLinks(&config)
        config.avatarHosts = AvatarHosts("cdn.example.org") ?? .none
    }

    func exported() async throws -> [ExportedFile: String] {
        var files: [ExportedFile: String] = [:]
        try await FullExportStore(db).run { file, lines, _ in files[file, default: ""] += lines }
        return files
    }

    func importAll(_ files: [ExportedFile: String]) async throws -> [ExportedFile: ImportReport] {
        var reports: [ExportedFile: ImportReport] = [:]
        for file in ExportedFile.allCases {
            let csv = files[file] ?? ""
            guard let kind = file.kind else {
                var rest: [UInt8]? = Array(csv.utf8)
                reports[file] = try await ShortLinkImportStore(db, app.config).run(from: {
                    defer { rest = nil }
                    return rest
                })
                continue
            }
            reports[file] = try await `import`(kind, csv, chunk: 65_536)
        }
        return reports
    }

    /// Runs a test with an app in which all that can happen did, and with another into which an export of it
    /// was imported.
    static func runCopied(
        _ test: @Sendable (_ one: TestApp, _ copy: TestApp, PrintedCodes) async throws -> Void
    )
        async throws
    {
        try await run(configure: withEverything) { one in
            let world = try await one.makeWorld()
            try await run(configure: withEverything) { copy in
                let reports = try await copy.importAll(try await one.exported())
                for (file, report) in reports {
                    #expect(report.findings == [] && report.lines == report.imported, "\(file): \(report)")
                }
                try await test(one, copy, world)
            }
        }
    }

    /// Codes that the world has.
    struct PrintedCodes {
        /// Of ann: in force; used once, of two; revoked; used up; replaced.
        var personal = "", party = "", revoked = "", once = "", replaced = ""
        var codes: [String] { [personal, party, revoked, once, replaced] }
        /// Of sue, who is suspended.
        var ofSue = ""
    }

    static let everybody = [
        "ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal", "ivy", "jim", "ken", "sue", "joe", "una",
    ].map { "u-\($0)" }

    func makeWorld() async throws -> PrintedCodes {
        var world = PrintedCodes()
        try await makeUsers(&world)
        try await makeRelationships()
        try await makeNames()
        _ = try await importUsers(
            "uid,username,created_at\nprovider|1,john.doe,2019-01-02T03:04:05.678901Z\n\"u \"\"q\"\", 1\",花子,\n",
            keepNames: true)
        _ = try await importUsernames(
            "uid,username,valid_from,valid_to\nprovider|1,j.d,2017-01-01,2018-01-01\n")
        let made = try await post(
            "/v1/links", as: nil, headers: keyed(.server),
            [
                "parameters": ["link": "https://example.com/a,\"b\"?x=1", "st": "A \"b\", c"],
                "suffix": "short",
            ])
        #expect(made.status == 201, "\(made.text)")
        try await setStatus("suspended", of: "u-sue")
        try await setStatus("suspended", of: "u-ivy")
        let suspended = try await call(
            .put, "/v1/admin/users/u-gus/suspension", headers: keyed(),
            body: ["reason": "Spam, \"much\" of it"])
        #expect(suspended.status < 300, "\(suspended.text)")
        // Bob asks Ivy, a friend, again while she is away.
        try await act(.want, "u-bob", on: "u-ivy")
        let frozen = try await call(
            .put, "/v1/admin/users/u-jim/invite-freeze", headers: keyed(), body: ["reason": "Ring"])
        #expect(frozen.status == 200, "\(frozen.text)")
        try await setStatus("deleted", of: "u-hal")
        try await setStatus("deleted", of: "u-joe")
        try await verify()
        return world
    }

    private func makeUsers(_ world: inout PrintedCodes) async throws {
        let ann = try await post(
            "/v1/signup", as: "u-ann",
            [
                "username": "ann", "displayName": "=1+1, \"Ann\" 花",
                "avatarUrl": "https://cdn.example.org/a?b=c,d",
                "metadata": ["b": "x \"y\" \\ /", "a": "花"],
            ])
        #expect(ann.status == 201, "\(ann.text)")
        world.replaced = try #require(try await get("/v1/me/invite", as: "u-ann")["code"])
        let party: Body = ["label": "Party, \"big\"", "note": "-2 to go", "maxUses": 2]
        world.party = try await custom(party)
        world.revoked = try await custom(["expiresIn": 86_400, "friendship": "ask"])
        world.once = try await custom(["maxUses": 1])
        for name in ["bob", "dan", "eve", "fay", "gus", "hal", "ivy", "jim", "ken", "sue", "una"] {
            try await signUp(name)
        }
        try await signUp("cat", invite: ["code": world.party])
        try await signUp("joe", invite: ["code": world.once])
        #expect(try await post("/v1/me/invite/rotate", as: "u-ann").status == 200)
        world.personal = try #require(try await get("/v1/me/invite", as: "u-ann")["code"])
        #expect(try await call(.delete, "/v1/invites/\(world.revoked)", as: "u-ann").status < 300)
        world.ofSue = try #require(try await get("/v1/me/invite", as: "u-sue")["code"])
        _ = try await call(.patch, "/v1/me", as: "u-ken", body: ["invites": "off"])
    }

    private func custom(_ draft: Body) async throws -> String {
        try #require(try await post("/v1/invites", as: "u-ann", draft)["code"])
    }

    private func makeRelationships() async throws {
        for other in ["bob", "fay", "ivy"] { try await befriend("u-ann", "u-\(other)") }
        try await befriend("u-bob", "u-ivy")
        try await act(.unwant, "u-ann", on: "u-fay")
        for (asks, other) in [
            ("dan", "ann"), ("eve", "ann"), ("gus", "ann"), ("ann", "sue"), ("bob", "hal"), ("una", "ann"),
            ("ann", "ken"),
        ] { try await act(.want, "u-\(asks)", on: "u-\(other)") }
        try await act(.unwant, "u-ann", on: "u-eve")
        try await act(.block, "u-ann", on: "u-una")
        try await act(.block, "u-gus", on: "u-bob")
        try await act(.block, "u-bob", on: "u-gus")
        try await act(.block, "u-jim", on: "u-ann")
        // Dan must not hear of it.
        try await act(.block, "u-fay", on: "u-dan")
        try await act(.want, "u-ann", on: "u-jim")
        // Of whom nobody knows yet.
        try await act(.want, "u-bob", on: "u-nobody")
        try await act(.block, "u-bob", on: "u-ghost")
    }

    private func makeNames() async throws {
        for uid in ["u-ann", "u-hal", "u-bob"] { try await age(uid, hours: 24 * 400) }
        try await rename("u-ann", to: "anna")
        try await age("u-ann", hours: 24 * 20)
        try await rename("u-ann", to: "annie", oldLinks: "sever")
        try await rename("u-hal", to: "hall")
        try await age("u-hal", hours: 24 * 20)
        try await rename("u-bob", to: "Bert")
        try await age("u-bob", hours: 24 * 100)
        // Bob's name is free again, and somebody has it.
        try await signUp("bob", uid: "u-second")
    }
}
