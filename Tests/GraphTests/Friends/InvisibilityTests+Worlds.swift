import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Events
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Web

/// The worlds, and what Ann asks in each.
extension InvisibilityTests {
    /// What Tim did, or what happened to Tim's account: before everything else, or while Ann's request is
    /// pending.
    enum World: String, CaseIterable {
        case silent, blocksFirst, blocksLater, declines
        case suspended, deleted, nobody

        static let answerless: [World] = [.silent, .blocksFirst, .blocksLater, .declines]
        static let gone: [World] = [.nobody, .suspended, .deleted]
    }

    /// Ann; Cat, who is a friend of Ann and of Tim; and Tom, who is a friend of Tim alone.
    @discardableResult
    func run(
        _ world: World, configure: @Sendable (inout Config) -> Void = { _ in },
        _ body: @Sendable (TestApp, SeenAnswers) async throws -> Void
    ) async throws -> [String] {
        let transcript = SeenAnswers()
        try await TestApp.run(configure: configure) { app in
            for name in ["ann", "cat", "tom"] + (world == .nobody ? [] : ["tim"]) {
                try await app.signUp(name)
                // The code of a permanent link differs from world to world.
                await transcript.hide(try await app.get("/v1/me/invite", as: "u-\(name)")["code"])
            }
            try await app.befriend("u-ann", "u-cat")
            if world != .nobody {
                for other in ["u-cat", "u-tom"] { try await app.befriend("u-tim", other) }
            }
            for friendship in ["ask", "auto"] {
                let code =
                    world == .nobody
                    ? String(repeating: friendship == "ask" ? "a" : "b", count: 16)
                    : try await app.post("/v1/invites", as: "u-tim", ["friendship": friendship])[
                        "code"]
                await transcript.add(code: try #require(code), as: friendship)
            }
            switch world {
            case .blocksFirst: try await app.act(.block, "u-tim", on: "u-ann")
            case .suspended, .deleted: try await app.setStatus(world.rawValue, of: "u-tim")
            case .silent, .blocksLater, .declines, .nobody: break
            }
            try await app.act(.want, "u-ann", on: "u-tim")
            switch world {
            case .blocksLater: try await app.act(.block, "u-tim", on: "u-ann")
            case .declines: try await app.act(.unwant, "u-tim", on: "u-ann")
            case .silent, .blocksFirst, .suspended, .deleted, .nobody: break
            }
            try await body(app, transcript)
            await transcript.note("events", try await toldEvents(app))
            try await app.verify()
        }
        return await transcript.entries
    }

    /// All that Ann was told, without times.
    private func toldEvents(_ app: TestApp) async throws -> TestApp.Answer {
        try await app.numberEvents()
        let told = try await app.eventStore.read(
            of: User.ID(of: User.UID(stored: "u-ann")), after: 0, limit: 10_000
        ).events
        let texts = try told.filter(\.kind.isForUser).map { event in
            var event = event
            (event.id, event.at) = (0, .distantPast)
            return String(decoding: try JSON.data(EventResponse(event: event)), as: UTF8.self)
        }
        return TestApp.Answer(status: 200, headers: [:], bytes: Array(texts.joined(separator: "\n").utf8))
    }

    func expectAlike(_ worlds: [World], _ transcripts: [[String]]) {
        #expect(transcripts.first?.isEmpty == false)
        for (world, transcript) in zip(worlds, transcripts) where transcript != transcripts[0] {
            let pairs = zip(transcript, transcripts[0]).first { $0 != $1 }
            Issue.record("\(world): \(pairs?.0 ?? "") instead of \(pairs?.1 ?? "")")
        }
    }

    /// Everything that Ann can ask about Tim without changing anything.
    func look(_ app: TestApp, _ seen: SeenAnswers, _ name: String = "tim") async throws {
        for path in [
            "/users/\(name)?invitedBy=u-tim", "/users/\(name)/qr.svg?invitedBy=u-tim",
            "/users/\(name)/qr.png?invitedBy=u-tim", "/users/\(name)/card.jpg?invitedBy=u-tim",
        ] {
            await seen.note(path, try await app.get(path), isLanding: true)
        }
        for path in [
            "/v1/users/u-tim", "/v1/friends", "/v1/friends?order=name", "/v1/users?username=tim",
            "/v1/requests?direction=incoming", "/v1/requests?direction=outgoing", "/v1/blocks",
            "/v1/friends/u-tim/mutual", "/v1/friends/u-tim/path", "/v1/me/changes",
            "/v1/me/invitees", "/v1/me/export", "/v1/suggestions", "/v1/friends/u-tom/mutual",
            "/v1/friends/u-tom/path",
        ] {
            await seen.note(path, try await app.get(path, as: "u-ann"))
        }
        for body: Body in [["uids": ["u-tim"]], ["usernames": ["tim", name]]] {
            await seen.note("look-up \(body)", try await app.post("/v1/users", as: "u-ann", body))
        }
        let me = try await app.get("/v1/me", as: "u-ann")
        let counts = ["friends", "incoming", "outgoing"].map { me["counts.\($0)"] ?? "–" }.joined(
            separator: " ")
        await seen.hide(me["link.code"])
        await seen.note("counts", TestApp.Answer(status: me.status, headers: [:], bytes: Array(counts.utf8)))
        let codes = await seen.codes
        let invites: [Body] =
            [TestApp.link(name, "u-tim"), ["username": name]]
            + codes.sorted { $0.value < $1.value }.map { ["code": $0.key] }
        for invite in invites {
            await seen.note(
                "resolve \(invite)", try await app.post("/v1/invites/resolve", as: "u-ann", invite))
        }
        // The changes since the look before.
        if let cursor = await seen.cursor {
            let changes = try await app.get("/v1/me/changes?after=\(cursor)", as: "u-ann")
            await seen.note("changes since", changes)
            await seen.go(on: changes["next"])
        } else {
            await seen.go(on: try await app.get("/v1/me/changes", as: "u-ann")["next"])
        }
    }

    func ask(_ app: TestApp, _ seen: SeenAnswers, _ name: String = "tim") async throws {
        for action in [FriendAction.want, .unwant, .unwant, .want, .block, .want, .unblock, .want] {
            await seen.note("\(action)", try await app.act(action, "u-ann", on: "u-tim"))
            try await look(app, seen, name)
        }
        let codes = await seen.codes
        let code = codes.first { $0.value == "ask" }?.key ?? ""
        for invite in [TestApp.link(name, "u-tim"), ["username": name], ["code": code]] {
            for _ in 1...2 {
                try await app.act(.unwant, "u-ann", on: "u-tim")
                await seen.note(
                    "accept \(invite)", try await app.post("/v1/invites/accept", as: "u-ann", invite))
                try await look(app, seen, name)
            }
        }
        await seen.note("dismiss", try await app.call(.delete, "/v1/suggestions/u-tim", as: "u-ann"))
        try await look(app, seen, name)
    }
}

/// An answer without the parts that differ from call to call: times, cursors, and the request's id.
func withoutWhatDiffers(_ answer: TestApp.Answer) -> String {
    let id = answer.headers[.xRequestID] ?? "–"
    let headers = answer.headers.filter { $0.name != .xRequestID }.map { "\($0.name): \($0.value)" }
    return "\(answer.status)\n\(headers.sorted().joined(separator: "\n"))\n"
        + answer.text.replacing(id, with: "ID")
        .replacing(/\d{4}-\d\d-\d\dT[0-9:.]+Z/, with: "TIME").replacing(/"next":"[^"]+"/, with: "NEXT")
}

/// All answers in one world.
actor SeenAnswers {
    private(set) var entries: [String] = []
    /// Codes that are made anew in each world, and whether they `ask`.
    private(set) var codes: [String: String] = [:]
    /// The cursor of the next delta sync.
    private(set) var cursor: String?

    func add(code: String, as friendship: String) { codes[code] = friendship }
    func go(on cursor: String?) { self.cursor = cursor }

    private var hidden: Set<String> = []

    /// Hides a random code that differs from world to world, as that of somebody's permanent link.
    func hide(_ code: String?) { if let code { hidden.insert(code) } }

    /// - Parameter isLanding: whether it is a picture or a page, whose bytes are not compared.
    func note(_ what: String, _ answer: TestApp.Answer, isLanding: Bool = false) {
        var answer = answer
        // The length differs by a digit of times and cursors; the body itself is compared.
        answer.headers[.contentLength] = nil
        if isLanding, answer.status == 200 { answer.bytes = [] }
        // It is a hash of the body as it is, with its times.
        answer.headers[.eTag] = nil
        var text = "\(what)\n\(withoutWhatDiffers(answer))"
        for code in hidden { text = text.replacing(code, with: "CODE") }
        for (code, friendship) in codes { text = text.replacing(code, with: "CODE-\(friendship)") }
        entries.append(text)
    }
}
