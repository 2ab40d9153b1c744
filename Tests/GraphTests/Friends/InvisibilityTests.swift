import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kith

/// Whole answers of every route, in worlds that differ only in what one user, Tim, did.
///
/// Ann cannot tell whether Tim blocks her, declined her, or does not answer; nor whether they are suspended,
/// deleted, or never were.
@Suite(.inTurns) struct InvisibilityTests {
    @Test func `a user who blocks Ann or declined her looks in every answer like one who has not answered`()
        async throws
    {
        var transcripts: [[String]] = []
        for world in World.answerless {
            transcripts.append(
                try await run(world) { app, seen in
                    try await look(app, seen)
                    try await ask(app, seen)
                    // Tim's later changes look the same in all worlds, too.
                    try await app.rename("u-tim", to: "timothy")
                    try await look(app, seen, "timothy")
                    try await app.rename("u-tim", to: "Timothy")
                    let body: Body = ["displayName": "Tim Tom"]
                    #expect(try await app.call(.patch, "/v1/me", as: "u-tim", body: body).status == 200)
                    try await look(app, seen, "Timothy")
                    try await ask(app, seen, "Timothy")
                    try await app.setStatus("suspended", of: "u-tim")
                    try await look(app, seen, "Timothy")
                    try await ask(app, seen, "Timothy")
                    try await app.setStatus("active", of: "u-tim")
                    await seen.note("want", try await app.act(.want, "u-ann", on: "u-tim"))
                    try await look(app, seen, "Timothy")
                    #expect(
                        try await app.requests("incoming", "u-tim") == (world == .silent ? ["u-ann"] : []))
                })
        }
        expectAlike(World.answerless, transcripts)
    }

    @Test func `a suspended or deleted user looks in every answer like one who never existed`() async throws {
        var transcripts: [[String]] = []
        for world in World.gone {
            transcripts.append(
                try await run(world) { app, seen in
                    try await look(app, seen)
                    try await ask(app, seen)
                })
        }
        expectAlike(World.gone, transcripts)
        #expect(transcripts[0].contains { $0.contains("/v1/users/u-tim\n404") })
    }

    /// The world in which Tim only does not answer is left out: there Tim's code makes them friends.
    @Test func `a code that makes friends leaves a request if its owner blocks or declined`() async throws {
        let worlds = World.answerless.filter { $0 != .silent }
        var transcripts: [[String]] = []
        for world in worlds {
            transcripts.append(
                try await run(world) { app, seen in
                    try await app.act(.unwant, "u-ann", on: "u-tim")
                    let code = await seen.codes.first { $0.value == "auto" }?.key ?? ""
                    for _ in 1...2 {
                        let answer = try await app.post(
                            "/v1/invites/accept", as: "u-ann", ["code": code])
                        #expect(answer["friendship"] == "requested")
                        await seen.note("accept", answer)
                        try await look(app, seen)
                    }
                    #expect(try await app.requests("incoming", "u-tim") == [])
                    #expect(Set(try await app.friends("u-tim")) == ["u-cat", "u-tom"])
                })
        }
        expectAlike(worlds, transcripts)
    }

    /// If Ann has done nothing to Tim, only Tim's block could remove Tim from her suggestions.
    @Test func `a user who blocks Ann is suggested to her, and paths lead over them`() async throws {
        try await run(.blocksFirst) { app, _ in
            try await app.act(.unwant, "u-ann", on: "u-tim")
            #expect(try await app.list("/v1/suggestions", "suggestions", as: "u-ann", limit: 20) == ["u-tim"])
            let path = try await app.get("/v1/friends/u-tom/path", as: "u-ann")
            #expect(path["degrees"] == "3")
            #expect(try await app.list("/v1/suggestions", "suggestions", as: "u-tim", limit: 20) == [])
        }
    }

    @Test(arguments: ["frozen", "full", "caller full", "crowded"])
    func `limits and freezing answer the same for a user who blocks`(what: String) async throws {
        var transcripts: [[String]] = []
        for world in World.answerless {
            let configure: @Sendable (inout Config) -> Void = { config in
                if what.contains("full") { config.friends.friends = what == "full" ? 3 : 2 }
                if what == "crowded" { config.friends.requests = 1 }
            }
            transcripts.append(
                try await run(world, configure: configure) { app, seen in
                    try await app.signUp("dan")
                    if what == "full" { try await app.befriend("u-tim", "u-dan") }
                    if what == "caller full" { try await app.befriend("u-ann", "u-dan") }
                    if what == "frozen" {
                        try await app.db.write.run(
                            "UPDATE users SET frozen_at = now(), frozen_reason = 'x' WHERE uid = 'u-tim'")
                    }
                    if what == "crowded" {
                        try await app.act(.unwant, "u-ann", on: "u-tim")
                        try await app.act(.want, "u-ann", on: "u-dan")
                    }
                    let codes = await seen.codes
                    let invites: [Body] =
                        [TestApp.link("tim", "u-tim"), ["username": "tim"]]
                        + codes.sorted { $0.value < $1.value }.map { ["code": $0.key] }
                    for invite in invites {
                        await seen.note(
                            "resolve", try await app.post("/v1/invites/resolve", as: "u-ann", invite))
                        // If there is room for a friend, a code of a Tim who only does not answer makes them
                        // friends.
                        let makesFriends = codes.contains {
                            invite.json.contains($0.key) && $0.value == "auto"
                        }
                        guard what != "crowded" || !makesFriends else { continue }
                        await seen.note(
                            "accept", try await app.post("/v1/invites/accept", as: "u-ann", invite))
                    }
                    await seen.note("ask", try await app.act(.want, "u-ann", on: "u-tim"))
                })
        }
        expectAlike(World.answerless, transcripts)
    }

    @Test func `Ann cannot tell whether a friend was suspended or deleted`() async throws {
        var transcripts: [[String]] = []
        for world in [World.suspended, .deleted] {
            transcripts.append(
                try await run(.silent) { app, seen in
                    try await app.befriend("u-ann", "u-tim")
                    try await look(app, seen)
                    try await app.setStatus(world.rawValue, of: "u-tim")
                    try await look(app, seen)
                    try await app.act(.unwant, "u-ann", on: "u-tim")
                    try await look(app, seen)
                    try await ask(app, seen)
                })
        }
        expectAlike([.suspended, .deleted], transcripts)
    }

    @Test func `a former friend sees the same end of the friendship, whether blocked or not`() async throws {
        var transcripts: [[String]] = []
        for action in [FriendAction.unwant, .block] {
            transcripts.append(
                try await run(.silent) { app, seen in
                    try await app.befriend("u-ann", "u-tim")
                    try await look(app, seen)
                    try await app.act(action, "u-tim", on: "u-ann")
                    try await look(app, seen)
                    try await ask(app, seen)
                })
        }
        expectAlike([.silent, .blocksLater], transcripts)
    }

    @Test func `syncing does not reveal a block, a repeated declined request, or their end`()
        async throws
    {
        try await TestApp.run { app in
            let (ann, people) = ("u-p0", try await app.people("p", 3))
            let first = try await app.get("/v1/me/changes", as: ann)
            let after = try #require(first["next"])
            for action in [FriendAction.block, .unblock, .block] {
                try await app.act(action, people[1], on: ann)
            }
            let quiet = try await app.get("/v1/me/changes?after=\(after)", as: ann)
            #expect((quiet.json["changes"] as? [Any])?.isEmpty == true, "\(quiet.text)")
            // Ann declines, and does not see their later requests.
            try await app.act(.want, people[2], on: ann)
            try await app.act(.unwant, ann, on: people[2])
            let declined = try #require(
                try await app.get("/v1/me/changes?after=\(after)", as: ann)["next"])
            try await app.act(.unwant, people[2], on: ann)
            try await app.act(.want, people[2], on: ann)
            let silent = try await app.get("/v1/me/changes?after=\(declined)", as: ann)
            #expect((silent.json["changes"] as? [Any])?.isEmpty == true, "\(silent.text)")
        }
    }

    /// The uid was blocked before it signed up. The answer is the one to any request.
    @Test func `a user who signs up by the link of one who blocks them leaves a request that nobody sees`()
        async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "eve"] { try await app.signUp(name) }
            let codes = try await ["ask", "auto"].asyncMap { friendship in
                try #require(
                    try await app.post("/v1/invites", as: "u-ann", ["friendship": friendship])[
                        "code"])
            }
            let invites: [Body] =
                [TestApp.link("ann", "u-ann"), ["username": "ann"]]
                + codes.map { ["code": $0] }
            for (number, invite) in invites.enumerated() {
                let (one, other) = ("bob\(number)", "cat\(number)")
                try await app.act(.block, "u-ann", on: "u-\(one)")
                let answer = try await app.post(
                    "/v1/signup", as: "u-\(one)", ["username": one, "invite": invite])
                #expect(answer["invite.outcome"] == "accepted" && answer["invite.friendship"] == "requested")
                #expect(try await app.requests("outgoing", "u-\(one)") == ["u-ann"])
                #expect(try await app.relationship("u-ann", "u-\(one)") == "blocked")
                guard number == 1 || number == 2 else { continue }
                // An invite that only asks answers everybody the same.
                let usual = try await app.post(
                    "/v1/signup", as: "u-\(other)", ["username": other, "invite": invite])
                let (own, others) = (answer["link.code"] ?? "", usual["link.code"] ?? "")
                #expect(
                    withoutWhatDiffers(answer).replacing(one, with: other).replacing(own, with: others)
                        == withoutWhatDiffers(usual))
            }
            #expect(try await app.requests("incoming", "u-ann") == ["u-cat2", "u-cat1"])
            #expect(try await app.friends("u-ann") == [])
            try await app.verify()
        }
    }
}

extension Array {
    fileprivate func asyncMap<Other>(_ transform: (Element) async throws -> Other) async throws -> [Other] {
        var all: [Other] = []
        for element in self { all.append(try await transform(element)) }
        return all
    }
}
