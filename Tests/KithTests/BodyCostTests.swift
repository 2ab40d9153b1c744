import Foundation
import HTTPTypes
import Hummingbird
import TestSupport
import Testing

@testable import AppTesting
@testable import Kith

/// What the largest bodies cost a server: processor time that nobody else has meanwhile.
@Suite(.inTurns) struct BodyCostTests {
    /// Nearly 64 KiB of `part`.
    private static func many(_ part: String, _ separator: String = "", bytes: Int = 63_000) -> String {
        let count = bytes / (part.utf8.count + separator.utf8.count)
        return Array(repeating: part, count: count).joined(separator: separator)
    }

    private static func names(_ name: (Int) -> String, count: Int) -> String {
        (0..<count).map { "\"\(name($0))\":1" }.joined(separator: ",")
    }

    /// JSON values.
    private static let values: [(kind: String, json: String)] = [
        ("numbers", "[\(many("1", ","))]"), ("large numbers", "[\(many("1e308", ","))]"),
        ("small numbers", "[\(many("-0.1e-9", ","))]"), ("a long number", many("1")),
        ("a long fraction", "0.\(many("1"))"), ("escapes", "\"\(many(#"\u0041"#))\""),
        ("short escapes", "\"\(many(#"\n"#))\""), ("pairs", "\"\(many(#"\ud83d\ude00"#))\""),
        ("escaped texts", "[\(many(#""\n""#, ","))]"), ("words", "[\(many("false", ","))]"),
        ("empty objects", "[\(many("{}", ","))]"), ("empty arrays", "[\(many("[]", ","))]"),
        ("objects", "[\(many(#"{"a":1}"#, ","))]"), ("depth", many("[")),
        ("depth of objects", many(#"{"a":"#)),
        ("a long name", "{\"\(many("k"))\":1}"), ("a long escaped name", "{\"\(many(#"\u0041"#))\":1}"),
        ("many names", "{\(names({ "\($0)" }, count: 5800))}"),
        ("many long names", "{\(names({ String(repeating: "k", count: 90) + "\($0)" }, count: 600))}"),
        ("repeated names", "{\(names({ _ in "a" }, count: 10_000))}"),
        ("a long text", "\"\(many("a"))\""), ("blanks", many(" ") + "1"), ("lines", many("\n") + "1"),
        ("a fraction in front", "[1.5,\(many("1", ","))]"), ("broken at the end", "[\(many("1", ",")),x]"),
        ("broken texts", "[\(many(#""a""#, ",")),\"]"), ("broken objects", "[\(many("{}", ",")),}]"),
    ]

    /// Whole bodies of a call whose body may have this field.
    private static func bodies(_ field: String) -> [(kind: String, json: String)] {
        values.map { ($0.kind, "{\"\(field)\":\($0.json)}") } + [
            ("unknown names", "{\(names({ "\($0)" }, count: 5800))}"),
            ("repeated fields", "{\(many("\"\(field)\":1", ","))}"),
            ("a fraction first", "{\"\(field)\":1.5,\"\(field)2\":[\(many("1", ","))]}"),
            ("a fraction last", "{\"\(field)\":[\(many(#""a""#, ","))],\"phase\":1.5}"),
            ("no JSON", many("x")), ("an array", "[\(many("1", ","))]"), ("brackets", many("{")),
        ]
    }

    private func run(_ test: @Sendable (TestApp, BadInputTests.Sender) async throws -> Void) async throws {
        try await TestApp.run(configure: {
            TestApp.withLinks(&$0)
            PurchaseStage.withAppStore(&$0)
        }) { app in
            try await app.signUp("ann")
            try await test(app, BadInputTests.Sender(app))
        }
    }

    /// Expects that a call costs at most so many times what it costs with a plain body of the same size.
    private func expect(
        _ sender: BadInputTests.Sender, _ call: BadInputTests.Call, _ body: String, _ plain: Double,
        _ about: String, most: Double
    ) async throws {
        let (time, answer) = try await MeteredExecutor().measure {
            try await sender.send(call.method, call.path, body: Array(body.utf8))
        }
        #expect(answer.status < 500, "\(about): \(answer.text.prefix(300))")
        #expect(time < most * plain, "\(about): \(time) ms, a plain body \(plain) ms")
    }

    @Test func `whatever 64 KB of JSON hold, no route spends more on them than on some plain bodies`()
        async throws
    {
        try await run { app, sender in
            let calls = BadInputTests.calls + BadInputTests.firebaseCalls
            for route in app.app.router().routes where ![.get, .head].contains(route.method) {
                let name = "\(route.method) \(route.path)"
                let call = try #require(
                    calls.first { BadInputTests.pattern("\($0.method) \($0.path)") == name }, "\(name)")
                let sample = try JSONSerialization.jsonObject(with: Data((call.body?.json ?? "{}").utf8))
                let fields = (sample as? [String: Any])?.keys.sorted() ?? []
                let field = fields.first ?? "any"
                let plain = Array("{\"\(field)\":[\(Self.many(#""aaaaaaaaaaaaaaaaaaaaaaaa""#, ","))]}".utf8)
                let (cost, _) = try await MeteredExecutor().measure {
                    try await sender.send(call.method, call.path, body: plain)
                }
                for (kind, body) in TestPart.of(Self.bodies(field)) {
                    try await expect(sender, call, body, cost, "\(name): \(kind)", most: 25)
                }
                for field in fields.dropFirst() {
                    for (kind, json) in TestPart.of(Self.values) where kind.hasPrefix("a long") {
                        try await expect(
                            sender, call, "{\"\(field)\":\(json)}", cost, "\(field): \(kind)", most: 25)
                    }
                }
            }
        }
    }

    /// Of texts.
    private static let texts: [(kind: String, text: String)] = [
        ("accents", "e" + many("\u{301}\u{316}")), ("flags", many("🇯🇵")), ("joiners", many("👩\u{200D}")),
        ("jamo", many("\u{1100}")), ("ligatures", many("ﬁ")), ("ß", many("ß")), ("dotted", many("İ")),
        ("blanks", many(" ")), ("wide blanks", many("\u{3000}")), ("marks", many("\u{202E}")),
        ("percents", many("%41")), ("half percents", many("%")), ("pairs", many("a=b&")),
        ("addresses", many("https://join.example.com/ ")), ("slashes", many("/")), ("dots", many(".")),
        ("colons", many("://")), ("digits", many("1")), ("hyphens", many("a-")),
        ("wide dots", many("．")),
        ("a long path", "https://join.example.com/users/ann/" + many("a/", bytes: 60_000)),
        ("a long query", "https://join.example.com/users/ann?" + many("invitedBy=&", bytes: 60_000)),
        ("a long link", "https://go.example.com/?" + many("st=a&", bytes: 60_000)),
        ("a path that is read", "https://join.example.com/" + many("/a", bytes: 8_000)),
        (
            "a wrapped path",
            many("https://www.google.com/url?q=", bytes: 87) + "https://join.example.com/"
                + many("/a", bytes: 8_000)
        ),
        (
            "many links", many("https://join.example.com/users/a?b=%253D ", bytes: 8_000)
        ),
    ]

    @Test(arguments: BadInputTests.strings)
    func `whatever text a field has, no route spends more on it than on some plain bodies`(
        slot: BadInputTests.Slot
    ) async throws {
        try await run { app, sender in
            let call = BadInputTests.Call(slot.method, slot.path)
            let plain = slot.filled(Array("[\(Self.many(#""aaaaaaaaaaaaaaaaaaaaaaaa""#, ","))]".utf8))
            let (cost, _) = try await MeteredExecutor().measure {
                try await sender.send(call.method, call.path, body: plain)
            }
            for (kind, text) in TestPart.of(Self.texts) {
                let body = String(decoding: slot.filled(Array(text.json.utf8)), as: UTF8.self)
                try await expect(sender, call, body, cost, "\(slot.field): \(kind)", most: 10)
            }
        }
    }

    /// Bodies in which a link stands.
    private static let links = [
        BadInputTests.Slot(
            .post, "/fdl/v1/installAttribution", "link", #"{"uniqueMatchLinkToCheck":§}"#),
        BadInputTests.Slot(.post, "/fdl/v1/reopenAttribution", "link", #"{"requestedLink":§}"#),
        BadInputTests.Slot(.post, "/fdl/v1/shortLinks", "link", #"{"longDynamicLink":§}"#),
        BadInputTests.Slot(.post, "/fdl/v1/managedShortLinks:create", "link", #"{"longDynamicLink":§}"#),
        BadInputTests.Slot(
            .post, "/fdl/v1/shortLinks", "domain",
            #"{"dynamicLinkInfo":{"link":"https://example.com/","domainUriPrefix":§}}"#),
        BadInputTests.Slot(.post, "/v1/links/resolve", "url", #"{"url":§}"#),
        BadInputTests.Slot(.post, "/v1/invites/resolve", "url", #"{"url":§}"#),
        BadInputTests.Slot(.post, "/v1/signup", "invite.url", #"{"username":"bob","invite":{"url":§}}"#),
        BadInputTests.Slot(
            .post, "/v1/installs/claim", "pasteboard",
            #"{"platform":"ios","installationId":"i-1","pasteboard":§}"#),
        BadInputTests.Slot(
            .post, "/v1/installs/claim", "referrer",
            #"{"platform":"android","installationId":"i-1","referrer":§}"#),
    ]

    @Test(arguments: links)
    func `whatever stands behind a real link, no route spends more on it than on some plain bodies`(
        slot: BadInputTests.Slot
    ) async throws {
        try await run { app, sender in
            let call = BadInputTests.Call(slot.method, slot.path)
            let made = try await sender.send(
                .post, "/v1/links", body: Array(#"{"parameters":{"link":"https://example.com/party"}}"#.utf8))
            let short = try #require(made["url"], "\(made.text)")
            let plain = slot.filled(Array("[\(Self.many(#""aaaaaaaaaaaaaaaaaaaaaaaa""#, ","))]".utf8))
            let (cost, _) = try await MeteredExecutor().measure {
                try await sender.send(call.method, call.path, body: plain)
            }
            for front in [
                "\(short)?", "https://go.example.com/?link=https%3A%2F%2Fexample.com&",
                "\(TestApp.origin)/users/ann?invitedBy=u-ann&", "\(TestApp.origin)/users/",
            ] {
                let rests = [("&", 8000)] + ["&", "a&", "花", "．"].map { ($0, 62_000) }
                for (part, bytes) in rests {
                    let link = front + Self.many(part, bytes: bytes)
                    let text = slot.field == "referrer" ? "kith_link=\(link)" : link
                    let body = String(decoding: slot.filled(Array(text.json.utf8)), as: UTF8.self)
                    try await expect(sender, call, body, cost, "\(front) \(part) \(bytes)", most: 10)
                }
            }
        }
    }
}
