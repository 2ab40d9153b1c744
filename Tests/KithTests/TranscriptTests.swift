import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import AppTesting
@testable import Console
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Web

/// One whole answer of each route, as text in `Tests/transcripts.txt`: a change of the wire shows there as a
/// diff.
@Suite(.inTurns) struct TranscriptTests {
    private static let file = "Tests/transcripts.txt"

    @Test func `each route answers as Tests/transcripts.txt shows`() async throws {
        // Codes ascend in the order in which they are made, as the lists by code show them.
        let numbers = Numbers()
        var world = World.live
        world.randomBytes = { [UInt8](repeating: numbers.next(), count: $0) }
        world.lookup = HostLookup { _ in [] }
        try await TestApp.run(
            configure: {
                $0.friends.ended = 1
                ($0.app.iosTeamID, $0.app.iosBundleID) = ("ABCDE12345", "com.example.app")
                $0.app.androidFingerprints = String(repeating: "ab", count: 32)
                $0.app.androidPackage = "com.example.app"
                $0.appStoreRoots = AppStoreSigner.shared.roots
                $0.secretsKey = SecretsKey(Data(repeating: 7, count: 32).base64EncodedString())
                $0.console.url = TestApp.console
                ($0.app.linkDomains, $0.app.vanityLinks) = ("https://go.example.com", true)
            }, world: world
        ) { app in
            let transcript = Transcript(app)
            try await transcript.tellOfAccounts()
            try await transcript.tellOfInvites()
            try await transcript.tellOfFriends()
            try await transcript.tellOfPages()
            try await transcript.tellOfOperators()
            try await transcript.refuse()
            try await transcript.tellOfEnds()
            let routes = app.app.router().routes.map { "\($0.method) \($0.path)" }.filter {
                !$0.hasPrefix("HEAD ")
            }
            #expect(Set(routes).subtracting(transcript.routes) == [], "a route without a transcript")
            if ProcessInfo.processInfo.environment["KITH_TEST_WRITE_TRANSCRIPTS"] != nil {
                let file = RepositoryFile.root.appending(path: Self.file)
                try transcript.text.write(to: file, atomically: true, encoding: .utf8)
            }
            let answers = transcript.text.components(separatedBy: "\n\n")
            let pinned = try RepositoryFile.read(Self.file).components(separatedBy: "\n\n")
            for (answer, pinned) in zip(answers, pinned) {
                #expect(
                    answer == pinned,
                    "If the wire is meant to change, write the file anew with KITH_TEST_WRITE_TRANSCRIPTS=1.")
            }
            #expect(answers.count == pinned.count)
            try await transcript.refuseWithoutDatabase()
            try compareExamples(transcript.examples)
        }
    }

    private func compareExamples(_ examples: OpenAPIExamples) throws {
        let document = try RepositoryFile.read("openapi.yaml")
        let (text, missing) = examples.fill(document)
        #expect(missing == [], "a response in openapi.yaml without an answer in this test")
        if ProcessInfo.processInfo.environment["KITH_TEST_WRITE_TRANSCRIPTS"] != nil {
            let file = RepositoryFile.root.appending(path: "openapi.yaml")
            try text.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(
                text == document,
                "The examples in openapi.yaml are older than the answers: KITH_TEST_WRITE_TRANSCRIPTS=1 writes them."
            )
        }
    }
}

private final class Numbers: Sendable {
    private let last = Atomic<UInt8>(0)

    func next() -> UInt8 { last.add(1, ordering: .relaxed).newValue }
}

/// Calls the product, and records each request and answer with the parts masked that differ each time.
final class Transcript {
    let app: TestApp
    /// Texts that differ each time, and their replacements.
    private var masks: [(text: String, mask: String)] = []
    private(set) var routes: Set<String> = []
    private(set) var examples = OpenAPIExamples()
    private(set) var text = """
        One whole answer of each route. Tests/KithTests/TranscriptTests.swift makes it and compares it; what differs each
        time is masked as <…>, the digits of a time as 0. Left out is what every answer has (Content-Length, Date, X-Request-Id,
        and X-Content-Type-Options: nosniff), and the style of pages.

        """

    init(_ app: TestApp) {
        self.app = app
    }

    /// - Parameters:
    ///   - route: as in the table of routes.
    ///   - values: the values for `{…}` in the path, in order.
    @discardableResult
    func add(
        _ method: HTTPRequest.Method, _ route: String, _ values: String..., query: String = "",
        as uid: String? = nil,
        headers: HTTPFields = [:], body: Body? = nil
    ) async throws -> TestApp.Answer {
        routes.insert("\(method) \(route)")
        let path = values.reduce(route) { $0.replacing(/\{\w+\}|\*\*/, with: $1, maxReplacements: 1) }
        let answer = try await app.call(method, path + query, as: uid, headers: headers, body: body)
        learn(from: answer)
        examples.note("\(method) \(route)", answer)
        var lines = ["", "\(method) \(path)\(query)" + (uid.map { " as \($0)" } ?? "")]
        lines += headers.filter { $0.name != .authorization }.map { "\($0.name): \($0.value)" }
        if let body { lines.append(body.json) }
        lines.append("\(answer.status)")
        let ofEveryAnswer: Set<HTTPField.Name> = [.contentLength, .xContentTypeOptions, .xRequestID]
        lines += answer.headers.filter { !ofEveryAnswer.contains($0.name) }.map { "\($0.name): \($0.value)" }
            .sorted()
        if !answer.bytes.isEmpty { lines.append(content(of: answer)) }
        text += lines.map { masked($0) + "\n" }.joined()
        return answer
    }

    private func content(of answer: TestApp.Answer) -> String {
        if answer.headers[.contentType] == "image/png" { return "<PNG>" }
        if answer.headers[.contentType] == "image/jpeg" { return "<JPEG>" }
        return answer.text.replacing(/\ d="[^"]+"/, with: " d=\"<path>\"")
            .replacing(/<style>[\s\S]*?<\/style>/, with: "<style>…</style>")
            .replacing(/;base64,[\w+\/=]+/, with: ";base64,<picture>")
            .replacing(/\w{3} \d+(, \d{4})? – \w{3} \d+, \d{4}/, with: "<days>")
            .split(separator: "\n").joined(separator: "\n")
    }

    private func learn(from answer: TestApp.Answer) {
        guard answer.status < 300, let code = answer.code, !masks.contains(where: { $0.text == code }) else {
            return
        }
        masks.append((code, "<code \(masks.count + 1)>"))
    }

    private func masked(_ line: String) -> String {
        masks.reduce(line) { $0.replacing($1.text, with: $1.mask) }
            .replacing(/\d{4}-\d\d-\d\d([T ][\d:.]+Z?)?/) { $0.output.0.replacing(/\d/, with: "0") }
            .replacing(/"requestId":"[^"]+"/, with: #""requestId":"<id>""#)
            .replacing(/"day":"[\d-]+"/, with: #""day":"<day>""#)
            .replacing(/"next":"[^"]+"/, with: #""next":"<cursor>""#)
            .replacing(/"version":\d{16}/, with: #""version":1790847000000000"#)
            .replacing(/If-Match: "\d{16}"/, with: #"If-Match: "<version>""#)
            .replacing(/"id":"\d{16}"/, with: #""id":"<number>""#)
            .replacing(/"id":"[0-9a-z]{12}"/, with: #""id":"<key>""#)
            .replacing(/"position":"\d{16}"/, with: #""position":"<number>""#)
            .replacing(/"lagSeconds":[\d.]+/, with: #""lagSeconds":0"#)
            .replacing(/"milliseconds":\d+/, with: #""milliseconds":0"#)
            .replacing(/id: \d{16}/, with: "id: <number>")
            .replacing(/"keyId":"[^"]+"/, with: #""keyId":"<key>""#).replacing(/key:\w+/, with: "key:<key>")
            .replacing(/"assignment":"[^"]+"/, with: #""assignment":"<mark>""#)
            .replacing(/ETag: "[^"]+"/, with: #"ETag: "<tag>""#)
            .replacing(/Kith-Signature: \S+/, with: "Kith-Signature: <signature>")
            .replacing(/eyJ[\w-]+\.[\w-]+\.[\w-]+/, with: "<signed>")
            .replacing(/"id":"sim-[\w-]+"/, with: #""id":"<id>""#)
            .replacing(/"id":"[\da-f-]{36}","kind":"re/, with: #""id":"<posting>","kind":"re"#)
            .replacing(/"reverses":"[^"]+"/, with: #""reverses":"<posting>""#)
            .replacing(/v=[\w-]{16}/, with: "v=<hash>")
            .replacing(/'sha256-[^']+'/, with: "'<hash>'")
    }
}

extension Transcript {
    func tellOfAccounts() async throws {
        try await add(
            .post, "/v1/signup", as: "u-ann", body: ["username": "ann", "displayName": "Ann 花"])
        try await add(.post, "/v1/signup", as: "u-ann", body: ["username": "ann"])
        try await add(.post, "/v1/signup", as: "u-bob", body: ["username": "ann"])
        try await add(
            .post, "/v1/signup", as: "u-bob",
            body: ["username": "bob", "invite": ["url": "\(TestApp.origin)/users/ann?invitedBy=u-ann"]])
        for name in ["cat", "dan", "eve"] { try await app.signUp(name) }
        try await add(.get, "/v1/me", as: "u-ann")
        try await add(.get, "/v1/me")
        try await add(.get, "/v1/me", as: "u-nobody")
        try await add(.patch, "/v1/me", as: "u-ann", body: ["displayName": "Ann \"花\" </script>"])
        _ = try await app.call(.patch, "/v1/me", as: "u-ann", body: ["displayName": "Ann"])
        try await add(.put, "/v1/me/username", as: "u-ann", body: ["username": "anna"])
        try await add(.get, "/v1/me/usernames", as: "u-ann")
        try await add(.get, "/v1/usernames/{username}", "ann", as: "u-bob")
        try await add(.get, "/v1/usernames/{username}", "free", as: "u-bob")
        try await add(.get, "/v1/users/{uid}", "u-ann", as: "u-bob")
    }

    func tellOfInvites() async throws {
        try await add(.get, "/v1/me/invite", as: "u-ann")
        try await add(.post, "/v1/me/invite/rotate", as: "u-ann", body: [:])
        let draft: Body = ["label": "poster", "maxUses": 3, "expiresIn": 3600]
        let issued = try await add(
            .post, "/v1/invites", as: "u-ann", headers: [.idempotencyKey: "k-1"], body: draft)
        try await add(.post, "/v1/invites", as: "u-ann", headers: [.idempotencyKey: "k-1"], body: draft)
        let code = try #require(issued.code)
        try await add(.post, "/v1/invites/resolve", as: "u-cat", body: ["code": code])
        try await add(.post, "/v1/invites/accept", as: "u-cat", body: ["code": code])
        let link = "\(TestApp.origin)/users/anna?invitedBy=u-ann"
        try await add(
            .post, "/v1/installs/claim", as: "u-new",
            body: ["platform": "ios", "installationId": "i-1", "pasteboard": link])
        for store in ["app-store", "play-store"] {
            try await add(.get, "/users/{username}/\(store)", "anna", query: "?invitedBy=u-ann")
        }
        try await add(.patch, "/v1/invites/{code}", code, as: "u-ann", body: ["note": "Bring cake"])
        try await add(.get, "/v1/invites/{code}", code, as: "u-ann")
        try await add(.get, "/v1/invites/{code}/joined", code, as: "u-ann")
        try await add(.get, "/v1/invites/{code}/stats", code, as: "u-ann")
        try await add(.get, "/v1/me/invite/stats", query: "?days=7", as: "u-ann")
        learn(from: try await app.post("/v1/invites", as: "u-ann"))
        try await add(.get, "/v1/invites", query: "?limit=1", as: "u-ann")
        try await add(.get, "/{code}", code, query: "?utm_source=x")
        try await add(.get, "/{code}/qr.svg", code)
        try await add(.get, "/{code}/qr.png", code)
        try await add(.delete, "/v1/invites/{code}", code, as: "u-ann")
        try await add(.get, "/{code}", code)
        try await add(.get, "/v1/me/invitees", as: "u-ann")
    }

    func tellOfFriends() async throws {
        try await add(.get, "/v1/friends", query: "?limit=1", as: "u-ann")
        try await add(.get, "/v1/users", query: "?username=BOB", as: "u-ann")
        try await add(.get, "/v1/config")
        try await add(.post, "/v1/requests", as: "u-ann", body: ["uids": ["u-bob", "u-ann"]])
        try await add(.get, "/v1/me/changes", query: "?limit=1", as: "u-ann")
        try await add(.put, "/v1/friends/{uid}", "u-ann", as: "u-dan")
        try await add(.get, "/v1/requests", as: "u-ann")
        try await add(.get, "/v1/requests", query: "?direction=outgoing", as: "u-dan")
        try await add(.delete, "/v1/friends/{uid}", "u-ann", as: "u-dan")
        try await app.befriend("u-bob", "u-dan")
        try await add(.get, "/v1/friends/{uid}/mutual", "u-dan", as: "u-ann")
        try await add(.get, "/v1/friends/{uid}/path", "u-dan", as: "u-ann")
        try await add(.get, "/v1/suggestions", as: "u-ann")
        try await add(.delete, "/v1/suggestions/{uid}", "u-dan", as: "u-ann")
        try await add(.put, "/v1/blocks/{uid}", "u-eve", as: "u-ann")
        try await add(.get, "/v1/blocks", as: "u-ann")
        try await add(
            .post, "/v1/users", as: "u-ann", body: ["uids": ["u-bob", "u-eve", "u-nobody"]])
        try await add(.put, "/v1/friends/{uid}", "u-eve", as: "u-ann")
        try await add(.delete, "/v1/blocks/{uid}", "u-eve", as: "u-ann")
    }

    func tellOfPages() async throws {
        try await add(.get, "/users/{username}", "anna", query: "?invitedBy=u-ann")
        try await add(.get, "/users/{username}", "ann", query: "?invitedBy=u-ann")
        try await add(.get, "/users/{username}", "anna", query: "?invitedBy=u-bob")
        try await add(.get, "/@{username}", "anna")
        try await add(.get, "/users/{username}/qr.svg", "anna", query: "?invitedBy=u-ann")
        try await add(.get, "/users/{username}/qr.png", "anna", query: "?invitedBy=u-ann")
        try await add(.get, "/users/{username}/card.jpg", "anna", query: "?invitedBy=u-ann")
        try await add(.get, "/users/{username}/card.jpg", "ann", query: "?invitedBy=u-ann&v=1")
        try await add(.get, "/")
        try await add(.get, "/robots.txt")
        try await add(.get, "/icon.png")
        try await add(.get, "/.well-known/apple-app-site-association")
        try await add(.get, "/apple-app-site-association")
        try await add(.get, "/.well-known/assetlinks.json")
    }

    /// Refusals, only for the examples in openapi.yaml.
    func refuse() async throws {
        try await note(.post, "/v1/invites", body: ["maxUses": 0])
        try await note(.get, "/v1/users/{uid}")
        for name in ["dana", "dann", "danny", "dane"] {
            try await note(.put, "/v1/me/username", as: "u-dan", body: ["username": name])
        }
        try await note(.post, "/v1/signup", body: ["username": "1st"])
        try await note(.post, "/v1/invites", body: ["label": String(repeating: "x", count: 65_536)])
        try await note(.post, "/v1/invites", headers: [.contentType: "text/plain"], body: [:])
        try await note(.get, "/v1/me", query: "?" + String(repeating: "x", count: 8192))
        let before = try await app.get("/v1/me/changes", as: "u-ann")["next"] ?? ""
        for uid in ["u-1", "u-2"] {
            try await app.act(.want, "u-ann", on: uid)
            try await app.act(.unwant, "u-ann", on: uid)
        }
        try await note(.get, "/v1/me/changes", query: "?after=\(before)")
    }

    func refuseWithoutDatabase() async throws {
        await app.db.close()
        try await note(.get, "/v1/me")
    }

    private func note(
        _ method: HTTPRequest.Method, _ route: String, query: String = "", as uid: String = "u-ann",
        headers: HTTPFields = [:], body: Body? = nil
    ) async throws {
        let answer = try await app.call(method, route + query, as: uid, headers: headers, body: body)
        examples.note("\(method) \(route)", answer)
    }

    func tellOfEnds() async throws {
        try await add(.get, "/v1/me/export", as: "u-ann")
        try await add(.delete, "/v1/me", as: "u-ann")
        try await add(.get, "/v1/me", as: "u-ann")
    }
}
