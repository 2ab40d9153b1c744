import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// Strings in bodies.
extension BadInputTests {
    /// A field of a body; § is replaced by the value.
    struct Slot: Sendable, CustomTestStringConvertible {
        let method: HTTPRequest.Method
        let path: String
        let field: String
        let body: String
        var testDescription: String { "\(path) \(field)" }

        init(_ method: HTTPRequest.Method, _ path: String, _ field: String, _ body: String) {
            (self.method, self.path, self.field, self.body) = (method, path, field, body)
        }

        func filled(_ value: [UInt8]) -> [UInt8] {
            let parts = body.components(separatedBy: "§").map { Array($0.utf8) }
            return parts[0] + value + parts[1]
        }
    }

    private static let references = [
        ("url", #"{"url":§}"#), ("code", #"{"code":§}"#),
        ("username", #"{"username":§,"invitedBy":"u-ann"}"#),
        ("invitedBy", #"{"username":"ann","invitedBy":§}"#),
    ]

    static let strings: [Slot] =
        [
            Slot(.post, "/v1/signup", "username", #"{"username":§}"#),
            Slot(.post, "/v1/signup", "displayName", #"{"username":"NAME","displayName":§}"#),
            Slot(.patch, "/v1/me", "displayName", #"{"displayName":§}"#),
            Slot(.post, "/v1/signup", "avatarUrl", #"{"username":"NAME","avatarUrl":§}"#),
            Slot(.patch, "/v1/me", "avatarUrl", #"{"avatarUrl":§}"#),
            Slot(.put, "/v1/me/username", "username", #"{"username":§}"#),
            Slot(.put, "/v1/me/username", "oldLinks", #"{"username":"ann","oldLinks":§}"#),
            Slot(.post, "/v1/invites", "label", #"{"label":§}"#),
            Slot(.post, "/v1/invites", "note", #"{"note":§}"#),
            Slot(.post, "/v1/invites", "friendship", #"{"friendship":§}"#),
            Slot(.post, "/v1/admin/webhooks", "url", #"{"url":§}"#),
            Slot(.post, "/v1/admin/webhooks", "types", #"{"url":"https://backend.example.com/","types":§}"#),
            Slot(.patch, "/v1/admin/webhooks/00000000-0000-4000-8000-000000000001", "url", #"{"url":§}"#),
            Slot(
                .post, "/v1/admin/webhooks/00000000-0000-4000-8000-000000000001/redeliver", "eventId",
                #"{"eventId":§}"#),
            Slot(
                .post, "/v1/admin/webhooks/00000000-0000-4000-8000-000000000001/redeliver", "since",
                #"{"since":§}"#),
            Slot(.put, "/v1/admin/offers/spring", "appStoreId", #"{"appStoreId":§,"offer":"x"}"#),
            Slot(.put, "/v1/admin/offers/spring", "offer", #"{"appStoreId":"1","offer":§}"#),
            Slot(.post, "/v1/admin/keys", "name", #"{"name":§,"scope":"client"}"#),
            Slot(.post, "/v1/admin/keys", "scope", #"{"name":"x","scope":§}"#),
            Slot(.post, "/v1/links", "name", #"{"parameters":{},"name":§}"#),
            Slot(.post, "/v1/link-sheets", "csv", #"{"csv":§}"#),
            Slot(.post, "/v1/link-sheets", "domain", #"{"csv":"link\nx","domain":§}"#),
            Slot(.post, "/v1/links", "note", #"{"parameters":{},"note":§}"#),
            Slot(.post, "/v1/links", "tags", #"{"parameters":{},"tags":[§]}"#),
            Slot(.post, "/v1/links", "code", #"{"parameters":{},"suffix":"custom","code":§}"#),
            Slot(.post, "/v1/links", "domain", #"{"parameters":{},"domain":§}"#),
            Slot(.post, "/v1/links/resolve", "url", #"{"url":§}"#),
            Slot(
                .post, "/v1/links/resolve", "platform", #"{"url":"https://go.example.com/c","platform":§}"#),
            Slot(.post, "/v1/links", "parameters.link", #"{"parameters":{"link":§}}"#),
            Slot(
                .post, "/v1/installs/claim", "pasteboard",
                #"{"platform":"ios","installationId":"i-1","pasteboard":§}"#),
        ]
        + purchases + ofExperiments + rewardStrings
        + references.flatMap { field, body in
            [
                Slot(.post, "/v1/signup", "invite.\(field)", #"{"username":"NAME","invite":\#(body)}"#),
                Slot(.post, "/v1/invites/resolve", field, body),
                Slot(.post, "/v1/invites/accept", field, body),
            ]
        }

    /// Values that are not strings; the error must name the field.
    static let noStrings: [[UInt8]] =
        [
            "1", "-1.5", "true", "[]", "[\"x\"]", "{}", #""\u0000""#, #""a\u0000b""#, #""\ud800""#,
            #""\udc00x""#,
            #""\ud800\ud800""#, "\"a\u{0}b\"", "\"a\u{1}b\"", "\"line\nbreak\"",
        ].map { Array($0.utf8) }
        + [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE3, 0x81]].map {
            Array("\"a".utf8) + $0 + Array("b\"".utf8)
        }

    @Test func `a field that is not a string is refused and named`() async throws {
        try await onOneServer(Self.strings) { slot, app, sender in
            let before = try await contents(app)
            for (number, value) in Self.noStrings.enumerated() {
                let uid = slot.path == "/v1/signup" ? "new\(number)" : "u-ann"
                let answer = try await sender.send(slot.method, slot.path, as: uid, body: slot.filled(value))
                let about = String(decoding: value, as: UTF8.self)
                #expect(judge(answer, field: slot.field, about), "\(about) was taken")
                #expect(answer.status == 400, "\(about)")
                #expect(try await contents(app) == before, "\(about)")
            }
        }
    }

    @Test(arguments: strings)
    func `a field with odd text is refused by a rule, or stored unchanged`(slot: Slot) async throws {
        try await TestApp.run(configure: PurchaseStage.withAppStore) { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            let sender = try await Sender(app)
            let caller = slot.path == "/v1/invites/accept" ? "u-bob" : "u-ann"
            for (number, text) in TestPart.of(Array(OddText.all.enumerated())) {
                let before = try await contents(app)
                let uid = slot.path == "/v1/signup" ? "new\(number)" : caller
                let body = String(
                    decoding: slot.filled(try JSONEncoder().encode(text).map { $0 }), as: UTF8.self
                )
                .replacing("NAME", with: "name\(number)")
                let answer = try await sender.send(slot.method, slot.path, as: uid, body: Array(body.utf8))
                if judge(answer, text) {
                    #expect(try await contents(app) == before, "\(text)")
                    if answer.status == 400 || answer.status == 422 {
                        #expect(
                            answer["field"] != nil || answer.code == "self_invite", "\(text): \(answer.text)")
                    }
                } else if ["displayName", "label", "note"].contains(slot.field), !text.isEmpty {
                    let encoder = JSONEncoder()
                    encoder.outputFormatting = .withoutEscapingSlashes
                    let kept = try encoder.encode(text.trimmingCharacters(in: .whitespaces))
                    #expect(Data(answer.bytes).firstRange(of: kept) != nil, "\(text): \(answer.text)")
                }
            }
        }
    }

    @Test(arguments: [
        ("username", 422), ("displayName", 422), ("invite.url", 201), ("invite.code", 201),
        ("invite.username", 201), ("invite.invitedBy", 201),
    ])
    func `a long string is validated, and a body above 64 KiB is a 413`(field: String, status: Int)
        async throws
    {
        try await TestApp.run(configure: PurchaseStage.withAppStore) { app in
            try await app.signUp("ann")
            let slot = try #require(Self.strings.first { $0.path == "/v1/signup" && $0.field == field })
            let sender = try await Sender(app)
            for (size, expected) in [(60_000, status), (64 * 1024, 413), (10_000_000, 413)] {
                let value = Array("\"".utf8) + [UInt8](repeating: 0x78, count: size) + Array("\"".utf8)
                let body = slot.filled(value)
                let answer = try await sender.send(.post, "/v1/signup", as: "new", body: body)
                judge(answer, "\(size)")
                #expect(answer.status == expected, "\(size): \(answer.text.prefix(200))")
                if expected == 413 { #expect(answer.code == "body_too_large") }
            }
        }
    }
}

/// Bodies as a whole.
extension BadInputTests {
    @Test func `each route takes a body as large as it says, and a larger one is a 413`() async throws {
        try await onOneServer(Self.withBody) { call, app, sender in
            let route = try #require(
                app.app.routes.first {
                    "\($0.rules.method) \($0.rules.path)" == Self.pattern("\(call.method) \(call.path)")
                }, "\(call.path)")
            let most = route.rules.bodyLimit.bytes
            for (size, isTaken) in [(most, true), (most + 1, false)] {
                // No call takes a list.
                let body = Array("[".utf8) + [UInt8](repeating: 0x20, count: size - 2) + Array("]".utf8)
                let answer = try await sender.send(call.method, call.path, body: body)
                judge(answer, "\(call.path): \(size)")
                #expect((answer.code != "body_too_large") == isTaken, "\(call.path): \(answer.text)")
            }
        }
    }

    /// The longest name that an error may quote.
    private static let longest = String(repeating: "k", count: 128)

    static let broken: [(body: String, field: String?)] = [
        ("", nil), (" ", nil), ("[]", nil), ("[{}]", nil), ("null", nil), ("1", nil), ("\"x\"", nil),
        ("{", nil),
        ("{}{}", nil), ("{]", nil), (#"{"a"}"#, nil), ("{'a':1}", nil), (#"{"nonsense":1}"#, "nonsense"),
        (#"{"nonsense":1,"nonsense":1}"#, "nonsense"), (#"{"constructor":{"prototype":1}}"#, "constructor"),
        (#"{"__proto__":{}}"#, "__proto__"), (#"{"":1}"#, ""), ("\u{FEFF}{}", nil), ("{\"\u{0}\":1}", nil),
        (#"{"username ":"x"}"#, "username "), (#"{"Username":"newname"}"#, "Username"),
        (#"{"\#(longest)":1}"#, longest), (#"{"\#(longest)k":1}"#, nil),
        (#"{"nonsense":"# + String(repeating: "[", count: 60_000), nil),
        (#"{"nonsense":"# + String(repeating: #"{"a":"#, count: 12_000), nil),
        ("username=newname", nil), ("<a/>", nil),
    ]

    @Test func `a body that is not an object with known fields is a 400`() async throws {
        try await onOneServer(Self.withBody.filter { !$0.takesUnknownFields }) { call, app, sender in
            let before = try await contents(app)
            for (body, field) in Self.broken {
                let about = String(body.prefix(60))
                let answer = try await sender.send(call.method, call.path, body: Array(body.utf8))
                #expect(judge(answer, field: field == "" ? nil : field, about), "\(about) was taken")
                #expect(answer.status == 400, "\(about)")
            }
            for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf32BigEndian] {
                let body = try #require(call.body?.json.data(using: encoding))
                let answer = try await sender.send(call.method, call.path, body: Array(body))
                judge(answer, "\(encoding)")
                #expect(answer.status == 400)
            }
            #expect(try await contents(app) == before)
        }
    }

    @Test func `a field given twice is a 400 that names it`() async throws {
        try await onOneServer(Self.withBody.filter { $0.body?.json != "{}" }) { call, app, sender in
            let before = try await contents(app)
            let inner = try #require(call.body).json.dropFirst().dropLast()
            let field = try #require(inner.split(separator: "\"").first)
            let escaped = inner.replacing(
                "\"\(field)\"",
                with: "\"\\u00\(String(field.utf8.first ?? 0, radix: 16))\(field.dropFirst())\"")
            for body in ["{\(inner),\(inner)}", "{\(inner),\(escaped)}"] {
                let answer = try await sender.send(call.method, call.path, body: Array(body.utf8))
                #expect(judge(answer, field: String(field), body))
                #expect(answer.status == 400)
            }
            #expect(try await contents(app) == before)
        }
    }

    @Test func `a missing field, a null and a wrong type are a 400 that names it`() async throws {
        try await onOneServer([
            ("/v1/signup", "{}", "username"), ("/v1/signup", #"{"displayName":"x"}"#, "username"),
            ("/v1/signup", #"{"username":null}"#, "username"),
            ("/v1/signup", #"{"username":"new","invite":1}"#, "invite"),
            ("/v1/signup", #"{"username":"new","invite":{}}"#, "invite"),
            ("/v1/signup", #"{"username":"new","invite":{"code":"a","url":"b"}}"#, "invite"),
            ("/v1/signup", #"{"username":"new","invite":{"invitedBy":"u-ann"}}"#, "invite"),
            ("/v1/signup", #"{"username":"new","invite":{"code":"a","x":1}}"#, "invite.x"),
            ("/v1/invites", #"{"maxUses":"1"}"#, "maxUses"), ("/v1/invites", #"{"maxUses":1.5}"#, "maxUses"),
            ("/v1/invites", #"{"maxUses":0}"#, "maxUses"), ("/v1/invites", #"{"maxUses":-1}"#, "maxUses"),
            ("/v1/invites", #"{"maxUses":1000001}"#, "maxUses"),
            ("/v1/invites", #"{"maxUses":1e400}"#, "maxUses"),
            ("/v1/invites", #"{"maxUses":99999999999999999999}"#, "maxUses"),
            ("/v1/invites", #"{"maxUses":true}"#, "maxUses"),
            ("/v1/invites", #"{"expiresIn":0}"#, "expiresIn"),
            ("/v1/invites", #"{"expiresIn":-9223372036854775808}"#, "expiresIn"),
            ("/v1/invites", #"{"expiresIn":9223372036854775807}"#, "expiresIn"),
            ("/v1/invites", #"{"expiresIn":"1h"}"#, "expiresIn"),
            ("/v1/invites", #"{"expiresIn":[60]}"#, "expiresIn"),
            ("/v1/invites", #"{"friendship":"AUTO"}"#, "friendship"), ("/v1/invites/resolve", "{}", "url"),
            ("/v1/invites/resolve", #"{"url":null}"#, "url"), ("/v1/invites/accept", "{}", "url"),
            ("/v1/invites/accept", #"{"url":"a","code":"b"}"#, "url"),
        ]) { item, app, sender in
            let (path, body, field) = item
            let before = try await app.footprint()
            let answer = try await app.post(
                path, as: path == "/v1/signup" ? "new" : "u-ann", Body(stringLiteral: body))
            #expect(judge(answer, field: field, body))
            #expect(answer.status == 400)
            #expect(try await app.footprint() == before)
        }
    }

    @Test func `a body without its media type is a 415`() async throws {
        try await onOneServer(Self.withBody) { call, app, sender in
            let before = try await contents(app)
            let types = [
                nil, "", "text/plain", "text/json", "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x",
                "application/jsonp", "application/json-patch+json", "application /json", ";application/json",
                "json",
                "text/plain, application/json",
            ]
            for type in types {
                let body = Array(try #require(call.body).json.utf8)
                let answer = try await sender.send(call.method, call.path, body: body, type: type)
                #expect(judge(answer, type ?? "none"))
                #expect(answer.status == 415, "\(type ?? "none")")
                #expect(answer.code == "unsupported_media_type")
            }
            #expect(try await contents(app) == before)
            for type in ["application/json; charset=utf-8", "Application/JSON", "application/json;x=y"] {
                let answer = try await sender.send(call.method, call.path, body: Array("[]".utf8), type: type)
                #expect(answer.status != 415, "\(type)")
            }
        }
    }
}
