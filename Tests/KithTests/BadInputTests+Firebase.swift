import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Web

/// The calls of Firebase's API: errors have Google's form, whoever makes them.
extension BadInputTests {
    static let firebaseCalls = [
        Call(.post, "/fdl/v1/shortLinks", #"{"longDynamicLink":"https://go.example.com/?link=x"}"#),
        Call(.post, "/fdl/v1/managedShortLinks:create", #"{"dynamicLinkInfo":{"link":"x"}}"#),
        Call(.get, "/fdl/v1/x/linkStats"), Call(.post, "/fdl/v1/installAttribution", #"{"bundleId":"x"}"#),
        Call(.post, "/fdl/v1/reopenAttribution", #"{"requestedLink":"x"}"#),
    ]

    private func run(_ test: @Sendable (TestApp, Sender) async throws -> Void) async throws {
        try await TestApp.run(configure: TestApp.withLinks) { app in try await test(app, Sender(app)) }
    }

    /// Checks the rules for every answer to bad input; returns whether it was refused.
    @discardableResult
    private func judgeFirebase(_ answer: TestApp.Answer, _ status: Int?, _ about: String) -> Bool {
        #expect(answer.status < 500, "\(about): \(answer.text.prefix(300))")
        if let status { #expect(answer.status == status, "\(about): \(answer.text.prefix(300))") }
        guard answer.status >= 400 else { return false }
        #expect(answer.headers[.contentType] == JSON.mediaType, "\(about)")
        #expect(
            answer.json.count == 1 && answer["error.code"] == String(answer.status),
            "\(about): \(answer.text.prefix(300))")
        #expect(answer["error.message"]?.isEmpty == false, "\(about)")
        #expect(answer["error.status"]?.wholeMatch(of: /[A-Z]+(_[A-Z]+)*/) != nil, "\(about)")
        #expect(answer.bytes.count < 4096, "\(about)")
        return true
    }

    @Test(arguments: firebaseCalls)
    func `another method, a long URL and a strange one have errors of Google's form`(call: Call) async throws
    {
        try await run { _, sender in
            for method in [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete, .options, .trace]
            where method != call.method && !(method == .head && call.method == .get) {
                let answer = try await sender.send(method, call.path)
                #expect(answer.status == 405, "\(method)")
                #expect(answer.headers[.allow] == (call.method == .get ? "GET, HEAD" : "POST"), "\(method)")
                if method != .head { judgeFirebase(answer, 405, "\(method)") }
            }
            let long = "\(call.path)?x=\(String(repeating: "a", count: 9 * 1024))"
            judgeFirebase(try await sender.send(call.method, long), 414, "414")
            judgeFirebase(try await sender.send(call.method, "\(call.path)?é"), 400, "é")
            judgeFirebase(
                try await sender.send(call.method, call.path, [.kithUser: "u-ann"], body: Array("{}".utf8)),
                403,
                "for a user")
        }
    }

    @Test(arguments: firebaseCalls.filter { $0.body != nil })
    func `a body that is no object, too large, or of another type has an error of Google's form`(call: Call)
        async throws
    {
        try await run { app, sender in
            let before = try await contents(app)
            for (body, field) in Self.broken where field == nil && body.utf8.count < 60_000 {
                let answer = try await sender.send(call.method, call.path, body: Array(body.utf8))
                // A long name is no mistake where any is ignored.
                if body.hasPrefix("{\"kkk") { continue }
                judgeFirebase(answer, 400, String(body.prefix(60)))
            }
            let sent = try #require(call.body).json
            let inner = sent.dropFirst().dropLast()
            for body in ["{\(inner),\(inner)}", #"{"a":\#(String(repeating: "[", count: 60_000))"#] {
                judgeFirebase(
                    try await sender.send(call.method, call.path, body: Array(body.utf8)), 400,
                    String(body.prefix(60)))
            }
            let named =
                #"{"\#(String(repeating: "k", count: 60_000))":1,"\#(String(repeating: "k", count: 60_000))":2}"#
            judgeFirebase(
                try await sender.send(call.method, call.path, body: Array(named.utf8)), 413, "two long names")
            for type in [nil, "", "text/plain", "application/x-protobuf", "application/jsonp"] {
                judgeFirebase(
                    try await sender.send(call.method, call.path, body: Array(sent.utf8), type: type), 415,
                    type ?? "none")
            }
            judgeFirebase(
                try await sender.send(
                    call.method, call.path, [.contentEncoding: "gzip"], body: Array(sent.utf8)), 415, "gzip")
            let large =
                Array(#"{"x":""#.utf8) + [UInt8](repeating: 0x78, count: 64 * 1024) + Array(#""}"#.utf8)
            judgeFirebase(try await sender.send(call.method, call.path, body: large), 413, "413")
            #expect(try await contents(app) == before)
        }
    }

    private static let firebaseSlots: [(call: String, body: String)] =
        [("shortLinks", #"{"longDynamicLink":§}"#), ("managedShortLinks:create", #"{"longDynamicLink":§}"#)]
        + (LinkParameter.allCases.map(\.path) + ["domainUriPrefix", "dynamicLinkDomain"]).map { path in
            let names = path.split(separator: ".")
            let nested = names.reversed().reduce("§") { #"{"\#($1)":\#($0)}"# }.dropFirst().dropLast()
            let domain = path.contains("omain") ? "" : #""domainUriPrefix":"https://go.example.com","#
            let link = path == "link" ? "" : #""link":"https://example.com/","#
            return ("shortLinks", #"{"dynamicLinkInfo":{\#(domain)\#(link)\#(nested)}}"#)
        }
        + [
            (
                "shortLinks",
                #"{"suffix":{"option":§},"longDynamicLink":"https://go.example.com/?link=https%3A%2F%2Fexample.com"}"#
            ),
            (
                "shortLinks",
                #"{"suffix":{"option":3,"customSuffix":§},"longDynamicLink":"https://go.example.com/?link=https%3A%2F%2Fexample.com"}"#
            ),
            (
                "managedShortLinks:create",
                #"{"name":§,"longDynamicLink":"https://go.example.com/?link=https%3A%2F%2Fexample.com"}"#
            ),
            ("installAttribution", #"{"uniqueMatchLinkToCheck":§}"#),
            ("installAttribution", #"{"bundleId":§}"#),
            ("installAttribution", #"{"iosVersion":§}"#),
            ("installAttribution", #"{"appInstallationTime":§}"#),
            ("installAttribution", #"{"device":{"languageCode":§}}"#),
            ("installAttribution", #"{"device":{"deviceModelName":§}}"#),
            ("reopenAttribution", #"{"requestedLink":§}"#),
        ]

    @Test func `odd text in any field of a message is no server error`() async throws {
        try await run { app, sender in
            for (call, body) in Self.firebaseSlots {
                let slot = Slot(.post, "/fdl/v1/\(call)", "", body)
                for text in TestPart.of(OddText.all) where text.utf8.count < 60_000 {
                    let value = try JSONEncoder().encode(text)
                    let answer = try await sender.send(.post, slot.path, body: slot.filled(Array(value)))
                    judgeFirebase(answer, nil, "\(body) \(text.prefix(40))")
                }
                for value in Self.noStrings {
                    let answer = try await sender.send(.post, slot.path, body: slot.filled(value))
                    let about = "\(body) \(String(decoding: value, as: UTF8.self))"
                    let isNumber = ["1", "-1.5"].contains(String(decoding: value, as: UTF8.self))
                    let isTruth = body.contains("enableForcedRedirect") && value == Array("true".utf8)
                    let isRefused = judgeFirebase(answer, nil, about)
                    if !isNumber, !isTruth { #expect(isRefused, "\(about) was taken") }
                }
            }
        }
    }

    @Test func `odd text as a link or a query of statistics is no server error`() async throws {
        try await run { _, sender in
            for text in Self.inTargets {
                for path in [
                    "\(text)/linkStats?durationDays=7",
                    "https%3A%2F%2Fgo.example.com%2F\(text)/linkStats?durationDays=7",
                    "https%3A%2F%2Fgo.example.com%2Fx/linkStats?durationDays=\(text)", "\(text)", "x/\(text)",
                    "x/linkStats?\(text)", "x/linkStats?key=\(text)",
                ] {
                    judgeFirebase(try await sender.send(.get, "/fdl/v1/\(path)"), nil, path)
                }
            }
        }
    }

    @Test func `a refusal for too many calls, and one for want of a database, have Google's form`()
        async throws
    {
        try await TestApp.run(configure: {
            TestApp.withLinks(&$0)
            $0.rateLimits = (try? RateLimitConfig("keys=1/m")) ?? RateLimitConfig()
        }) { app in
            let sender = try await Sender(app)
            for call in Self.firebaseCalls.prefix(1) {
                _ = try await sender.send(call.method, call.path, body: Array("{}".utf8))
                let answer = try await sender.send(call.method, call.path, body: Array("{}".utf8))
                answer.isFirebaseError(429, "RESOURCE_EXHAUSTED")
                #expect(answer.headers[.retryAfter] != nil)
            }
        }
        try await TestApp.run(configure: TestApp.withLinks) { app in
            let key = try await app.keyed()
            let body: Body = ["requestedLink": "https://go.example.com/abc"]
            try await app.firebase("reopenAttribution", key, body).isFirebaseError(404, "NOT_FOUND")
            await app.db.close()
            try await app.firebase("reopenAttribution", key, body).isFirebaseError(503, "UNAVAILABLE")
        }
    }
}
