import Foundation
import HTTPTypes
import Postgres
import Testing

@testable import Kith

/// Ann cannot tell who blocked her, declined her, is suspended, deleted, or never was.
@Suite struct InvisibilityTests {
    private static let hidden = ["u-blocker", "u-declined", "u-suspended", "u-deleted", "u-nobody"]

    private func withTargets(_ body: @Sendable (TestApp) async throws -> Void) async throws {
        try await TestApp.run { app in
            for name in ["ann", "blocker", "declined", "suspended", "deleted", "silent", "common"] {
                try await app.signUp("p_\(name)", uid: "u-\(name)")
            }
            // They know the same person, so that they could be suggested, and found on a path.
            for uid in ["u-ann", "u-blocker", "u-suspended", "u-deleted"] {
                try await app.befriend(uid, "u-common")
            }
            try await app.act(.block, "u-blocker", on: "u-ann")
            try await app.act(.want, "u-ann", on: "u-declined")
            try await app.act(.unwant, "u-declined", on: "u-ann")
            try await app.act(.unwant, "u-ann", on: "u-declined")
            try await app.setStatus("suspended", of: "u-suspended")
            #expect(try await app.call(.delete, "/v1/me", as: "u-deleted").status == 204)
            try await body(app)
        }
    }

    /// An answer with what differs from call to call taken out: the uid asked for, times and the request's id.
    private func normal(_ answer: TestApp.Answer, _ uid: String) -> String {
        let id = answer["requestId"] ?? "–"
        let headers = answer.headers.map { "\($0.name): \($0.value)" }.filter {
            !$0.hasPrefix("Content-Length")
        }
        return "\(answer.status)\n\(headers.sorted().joined(separator: "\n"))\n"
            + answer.text.replacing(id, with: "ID").replacing(uid, with: "UID")
            .replacing(/\d{4}-\d\d-\d\dT[0-9:.]+Z/, with: "TIME").replacing(/"next":"[^"]+"/, with: "NEXT")
    }

    @Test func `whatever Ann does towards them and asks of them, every byte is the same`() async throws {
        try await withTargets { app in
            var transcripts: [String: [String]] = [:]
            for uid in Self.hidden + ["u-silent"] {
                func note(_ answer: TestApp.Answer) {
                    transcripts[uid, default: []].append(normal(answer, uid))
                }
                func look() async throws {
                    note(try await app.post("/v1/relationships", as: "u-ann", "{\"uids\":[\"\(uid)\"]}"))
                    note(try await app.get("/v1/friends", as: "u-ann"))
                    note(try await app.get("/v1/requests?direction=incoming", as: "u-ann"))
                    note(try await app.get("/v1/blocks", as: "u-ann"))
                    note(try await app.get("/v1/friends/\(uid)/mutual", as: "u-ann"))
                    note(try await app.get("/v1/friends/\(uid)/path", as: "u-ann"))
                    note(try await app.get("/v1/suggestions", as: "u-ann"))
                    let listed = try await app.requests("outgoing", "u-ann")
                    transcripts[uid, default: []].append("\(listed.map { $0 == uid ? "UID" : $0 })")
                }
                try await look()
                for action in [FriendAction.want, .want, .unwant, .unwant, .want] {
                    note(try await app.act(action, "u-ann", on: uid))
                    try await look()
                }
                note(try await app.call(.delete, "/v1/suggestions/\(uid)", as: "u-ann"))
                note(try await app.act(.block, "u-ann", on: uid))
                note(try await app.act(.want, "u-ann", on: uid))
                note(try await app.act(.unblock, "u-ann", on: uid))
                try await look()
            }
            #expect(transcripts["u-nobody"]?.isEmpty == false)
            for uid in Self.hidden + ["u-silent"] where transcripts[uid] != transcripts["u-nobody"] {
                let pairs = zip(transcripts[uid] ?? [], transcripts["u-nobody"] ?? [])
                Issue.record("\(uid): \(pairs.first { $0 != $1 } ?? ("", ""))")
            }
        }
    }

    /// One who declined is there for Ann as for anybody: to vanish would tell her.
    @Test func `the profile of those who are not to be seen is the same 404`() async throws {
        try await withTargets { app in
            var answers: Set<String> = []
            for uid in Self.hidden where uid != "u-declined" {
                let answer = try await app.get("/v1/users/\(uid)", as: "u-ann")
                #expect(answer.status == 404)
                answers.insert(normal(answer, uid))
            }
            #expect(answers.count == 1)
            #expect(try await app.get("/v1/users/u-declined", as: "u-ann")["relationship"] == "none")
        }
    }

    @Test func `an outgoing request shows a name exactly where the profile can be seen`() async throws {
        try await withTargets { (app) async throws in
            for uid in Self.hidden { try await app.act(.want, "u-ann", on: uid) }
            let page = try await app.get("/v1/requests?direction=outgoing", as: "u-ann")
            let entries = page.json["requests"] as? [[String: Any]] ?? []
            #expect(entries.count == 5)
            for entry in entries {
                let isSeen = entry["uid"] as? String == "u-declined"
                #expect(
                    Set(entry.keys)
                        == (isSeen
                            ? ["uid", "username", "requestedAt", "mutualFriends"] : ["uid", "requestedAt"]))
            }
        }
    }

    @Test func `who was a friend sees a plain end of it, blocked or not`() async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 3)
            for uid in people.dropFirst() { try await app.befriend(people[0], uid) }
            try await app.act(.block, people[1], on: people[0])
            try await app.act(.unwant, people[2], on: people[0])
            #expect(try await app.relationships(people[0], Array(people.dropFirst())) == ["none", "none"])
            #expect(try await app.friends(people[0]) == [])
        }
    }

    @Test func `nothing is heard of a block, a declined request asked again, or their end, by syncing`()
        async throws
    {
        try await withTargets { app in
            let first = try await app.get("/v1/friends/changes", as: "u-ann")
            let after = try #require(first["next"])
            for uid in ["u-blocker", "u-silent"] {
                try await app.act(.unblock, uid, on: "u-ann")
                try await app.act(.block, uid, on: "u-ann")
                try await app.act(.unblock, uid, on: "u-ann")
            }
            // Ann declines Silent; what he asks then is not shown to her.
            try await app.act(.want, "u-silent", on: "u-ann")
            try await app.act(.unwant, "u-ann", on: "u-silent")
            let declined = try #require(
                try await app.get("/v1/friends/changes?after=\(after)", as: "u-ann")["next"])
            try await app.act(.unwant, "u-silent", on: "u-ann")
            try await app.act(.want, "u-silent", on: "u-ann")
            let quiet = try await app.get("/v1/friends/changes?after=\(declined)", as: "u-ann")
            #expect((quiet.json["changes"] as? [Any])?.isEmpty == true, "\(quiet.text)")
        }
    }
}
