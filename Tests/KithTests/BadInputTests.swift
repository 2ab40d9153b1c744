import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Events
@testable import Kernel
@testable import Kith
@testable import Web

/// Every route with every kind of bad input: no 5xx, a problem that names the field, and nothing written.
@Suite(.inTurns) struct BadInputTests {
    @Test func `the table above has every route`() async throws {
        try await TestApp.run { app in
            let routes = app.app.router().routes.map { "\($0.method) \($0.path)" }
            let tested = Set(
                (Self.calls + Self.firebaseCalls).map { "\($0.method) \($0.path)" }.map(Self.pattern))
            #expect(Set(routes.filter { !$0.hasPrefix("HEAD") }) == tested)
        }
    }

    static func pattern(_ call: String) -> String {
        call.replacing("/u-ann/u-bob", with: "/{uid}/{other}").replacing("/u-ann", with: "/{uid}").replacing(
            "/u-bob", with: "/{uid}"
        ).replacing(
            "/users/ann", with: "/users/{username}"
        )
        .replacing("/@ann", with: "/@{username}").replacing("/usernames/free", with: "/usernames/{username}")
        .replacing("0123456789abcdef", with: "{code}").replacing("/links/a/b+", with: "/links/**")
        .replacing("/x/linkStats", with: "/{dynamicLink}/linkStats")
        .replacing("/rewards/00000000-0000-4000-8000-000000000001", with: "/rewards/{reward}")
        .replacing("/programs/autumn/", with: "/programs/{program}/")
        .replacing("00000000-0000-4000-8000-000000000001", with: "{id}")
        .replacing("/offers/spring", with: "/offers/{campaign}")
        .replacing("/purchases/1", with: "/purchases/{originalTransactionId}")
        .replacing("/experiments/exp/", with: "/experiments/{experiment}/")
        .replacing("/items/values/a", with: "/items/{section}/{key}")
        .replacing("/publications/1", with: "/publications/{number}")
        .replacing("/hosts/x/", with: "/hosts/{host}/")
        .replacing("/drafts/a", with: "/drafts/{draft}").replacing(
            "/test-devices/a", with: "/test-devices/{device}"
        )
        .replacing("/people/ann@example.com", with: "/people/{email}").replacing(
            "/numbers/people.sign_ups", with: "/numbers/{measure}")
    }

    static var withBody: [Call] { calls.filter { $0.body != nil } }

    /// Sends bytes that need not be text, with a key that acts for a user.
    struct Sender {
        private let app: TestApp
        private let key: String

        init(_ app: TestApp) async throws {
            self.app = app
            key = try await APIKeyStore(db: app.db).create(name: "test", scope: .admin)
            // So that streams end at once.
            app.app.events.close()
        }

        func send(
            _ method: HTTPRequest.Method, _ path: String, as uid: String = "u-ann", _ more: HTTPFields = [:],
            body: [UInt8]? = nil, type: String? = "application/json"
        ) async throws -> TestApp.Answer {
            var headers: HTTPFields = [.authorization: "Bearer \(key)"]
            if !Call(method, path).isForKeys { headers[.kithUser] = uid }
            if body != nil, let type { headers[.contentType] = type }
            for header in more { headers[header.name] = header.value }
            return try await app.client.execute(
                uri: path, method: method, headers: headers, body: body.map { ByteBuffer(bytes: $0) }
            ) {
                TestApp.Answer(
                    status: $0.status.code, headers: $0.headers, bytes: Array($0.body.readableBytesView))
            }
        }
    }

    /// Runs a test with each of some inputs that change nothing.
    func onOneServer<Input: Sendable>(
        _ inputs: [Input], _ test: @Sendable (Input, TestApp, Sender) async throws -> Void
    ) async throws {
        try await TestApp.run(configure: PurchaseStage.withAppStore) { app in
            try await app.signUp("ann")
            let sender = try await Sender(app)
            for input in inputs { try await test(input, app, sender) }
        }
    }

    /// Checks the rules for every answer to bad input; returns whether it was refused.
    @discardableResult
    func judge(_ answer: TestApp.Answer, field: String? = nil, _ about: String) -> Bool {
        #expect(answer.status < 500, "\(about): \(answer.text.prefix(300))")
        guard answer.status >= 400 else { return false }
        if answer.status == 404, answer.headers[.contentType] == "text/html; charset=utf-8" {
            #expect(!answer.text.contains("<script>alert"), "\(about)")
            return true
        }
        #expect(answer.headers[.contentType] == "application/problem+json", "\(about)")
        #expect(answer.code?.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil, "\(about): \(answer.text)")
        #expect(answer["requestId"]?.isEmpty == false, "\(about)")
        #expect(answer["status"] == String(answer.status), "\(about)")
        #expect(answer["title"] != nil && answer["detail"] != nil && answer["type"] != nil, "\(about)")
        if let field { #expect(answer["field"] == field, "\(about): \(answer.text)") }
        return true
    }

    /// A hash of the whole database.
    func contents(_ app: TestApp) async throws -> String {
        let tables = [
            "users", "signups", "usernames", "username_periods", "relationships", "invites", "invite_uses",
            "invites_by_owner", "acceptances", "(SELECT id, revoked_at FROM api_keys)", "dismissals",
            // Such a call is noted before it is read.
            "purchases", "purchase_periods", "appstore_notifications", "links",
            "(SELECT * FROM audit WHERE act NOT IN ('act_as', 'call'))", "webhooks", "webhook_deliveries",
            "people", "sign_in_links", "sessions",
        ]
        let sums = tables.map { "(SELECT string_agg(t::text, '|' ORDER BY t::text) FROM \($0) t)" }
        let sql = "SELECT md5(concat_ws('#', \(sums.joined(separator: ", "))))"
        return try await app.db.write.first(Statement(text: sql)) { try $0.next() } ?? ""
    }
}

/// The request line and the headers.
extension BadInputTests {
    @Test func `another method is a 405 that names those allowed`() async throws {
        try await onOneServer(Self.calls) { call, app, sender in
            let allowed = Set(
                Self.calls.filter { Self.pattern($0.path) == Self.pattern(call.path) }.flatMap {
                    $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue]
                })
            for method in [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete, .options, .trace]
            where !allowed.contains(method.rawValue) {
                let answer = try await sender.send(method, call.path)
                #expect(answer.status == 405, "\(method)")
                #expect(answer.headers[.allow] == allowed.sorted().joined(separator: ", "), "\(method)")
                if method != .head { judge(answer, "\(method)") }
            }
        }
    }

    @Test func `a URL above 8 KiB is a 414`() async throws {
        try await onOneServer(Self.calls) { call, app, sender in
            let long = "\(call.path)?x=\(String(repeating: "a", count: 9 * 1024))"
            let answer = try await sender.send(call.method, long)
            judge(answer, "414")
            #expect(answer.status == 414)
            #expect(answer.code == "uri_too_long")
            let just = call.path + "?x=" + String(repeating: "a", count: 8192 - call.path.count - 3)
            #expect(try await sender.send(call.method, just).status != 414)
        }
    }

    @Test func `a request target with other than ASCII is a 400`() async throws {
        try await onOneServer(["é", "花", "a花b", "\u{202E}", "\u{E9}\u{301}", "%20花"]) { text, app, sender in
            for path in ["/users/\(text)", "/v1/users/\(text)", "/users/ann?invitedBy=\(text)", "/\(text)"] {
                let answer = try await sender.send(.get, path)
                judge(answer, path)
                #expect(answer.status == 400)
                #expect(answer.code == "malformed_url")
            }
        }
    }

    @Test(arguments: [
        "/v1/users/§", "/v1/usernames/§", "/v1/invites/§", "/v1/invites/§?after=§", "/v1/invites?after=§",
        "/v1/invites?limit=§", "/v1/friends?after=§", "/v1/friends?limit=§", "/v1/friends?order=§",
        "/v1/friends?prefix=§", "/v1/users?username=§", "/v1/friends/§/mutual", "/v1/friends/§/path",
        "/v1/friends/u-bob/mutual?after=§", "/v1/me/changes?after=§", "/v1/requests?direction=§",
        "/v1/requests?after=§", "/v1/blocks?after=§",
        "/v1/suggestions?limit=§", "/users/§", "/v1/admin/explain?url=§", "/v1/admin/explain?code=§",
        "/v1/admin/explain?username=§&invitedBy=§", "/v1/admin/users/§/timeline?after=§&limit=§",
        "/v1/policy?platform=ios&version=§&build=§&os=§", "/v1/policy?platform=§",
        "/v1/policy?platform=ios&app=§&language=§", "/v1/policy?platform=ios&country=§&installationId=§",
        "/v1/policy/remote-config?platform=ios&version=§", "/v1/values?platform=ios&unit=§",
        "/v1/values?platform=§", "/v1/values?platform=ios&version=§&country=§",
        "/v1/admin/experiments/§/results", "/v1/admin/experiments/exp/results?format=§&width=§",
        "/v1/admin/experiments/size?rate=§&lift=§", "/v1/admin/experiments/size?rate=5&lift=20&shares=§",
        "/v1/admin/experiments/size?rate=5&lift=20&daily=§&coverage=§",
        "/v1/admin/policies/evaluate?platform=ios&version=§&at=§",
        "/v1/admin/values/evaluate?platform=ios&unit=§&at=§", "/v1/admin/values/evaluate?platform=§&app=§",
        "/v1/admin/inviters?from=§&limit=§", "/v1/admin/inviters/growing?minutes=§",
        "/v1/admin/numbers/§", "/v1/admin/numbers/links.clicks?from=§&by=§&width=§",
        "/v1/admin/numbers/links.clicks?domain=§&per=§", "/v1/admin/numbers/links.clicks?utm_source=§&link=§",
        "/v1/admin/numbers/links.clicks?tag=§&format=§", "/v1/admin/numbers/people.sign_ups?app=§",
        "/v1/links?q=§", "/v1/links?tag=§", "/v1/links?keyId=§", "/v1/links?format=§",
        "/v1/admin/numbers/invites.funnel?from=§&to=§&format=§", "/v1/admin/numbers/invites.funnel?country=§",
        "/v1/admin/client-versions/adoption?platform=ios&app=§&versions=§",
        "/v1/admin/client-versions/adoption?platform=ios&app=§",
        "/v1/admin/client-versions/adoption?platform=§&days=§&to=§",
        "/v1/admin/client-versions?from=§&to=§", "/v1/admin/client-versions?platform=§",
        "/v1/admin/client-versions.svg?app=§&policy=§", "/v1/admin/client-versions.svg?hl=§&width=§",
        "/v1/admin/usernames/§?at=§", "/v1/admin/users?uid=§", "/v1/admin/users?username=§",
        "/v1/me/purchases?environment=§", "/v1/admin/purchases/§?environment=§",
        "/v1/admin/redemptions?environment=§", "/v1/admin/redemptions?orphans=§&after=§",
        "/v1/me/rewards?after=§&limit=§", "/v1/admin/rewards?program=§", "/v1/admin/rewards?state=§&after=§",
        "/v1/admin/rewards?uid=§", "/v1/admin/rewards/§", "/v1/admin/rewards/programs/§/report",
        "/v1/admin/users/§/purchases", "/v1/admin/users?code=§", "/v1/admin/audit?uid=§&after=§",
        "/v1/admin/audit?actor=§", "/v1/admin/audit?actor=key:§&act=§", "/v1/admin/audit?from=§&to=§",
        "/v1/admin/audit?code=§",
        "/v1/admin/friends/§/§?at=§",
        "/v1/admin/explain?url=https%3A%2F%2Fjoin.example.com%2Fusers%2F§%3FinvitedBy%3D§",
        "/@§", "/@ann?§=§", "/users/§?invitedBy=u-ann", "/users/§?invitedBy=§&code=§",
        "/users/ann?invitedBy=§", "/users/ann?§=§",
        "/users/ann?invitedBy=u-ann&code=§", "/users/§/qr.svg", "/users/§/card.jpg",
        "/users/ann/card.jpg?invitedBy=§", "/users/ann/card.jpg?hl=§", "/users/ann/qr.png?invitedBy=§", "/§",
        "/§/§", "/users/ann/qr.svg?logo=§", "/users/ann/qr.png?level=§&form=§&logo=§",
        "/§?§",
        "/users/ann?invitedBy=u-ann&x=§", "/v1/§", "//§", "/users//§", "/users/§/",
        "/users/old?invitedBy=u-ann&x=§",
    ])
    func `odd text in a path or query is refused, or taken literally`(path: String) async throws {
        try await TestApp.run(configure: { $0.app.vanityLinks = true }) { app in
            try await app.signUp("old", uid: "u-ann")
            try await app.rename("u-ann", to: "ann")
            let sender = try await Sender(app)
            let before = try await contents(app)
            for text in Self.inTargets {
                let path = path.replacing("§", with: text)
                for method in [HTTPRequest.Method.get, .head] {
                    let answer = try await sender.send(method, path)
                    #expect(answer.status < 500, "\(method) \(path)")
                    if method == .head {
                        #expect(answer.bytes.isEmpty)
                        continue
                    }
                    judge(answer, path)
                    if answer.headers[.contentType]?.hasPrefix("application/json") != true {
                        #expect(!answer.text.contains("<script>alert"), "\(path)")
                    }
                    if let location = answer.headers[.location] {
                        #expect(location.hasPrefix("\(TestApp.origin)/users/ann?"), "\(path): \(location)")
                        #expect(location.utf8.allSatisfy { (0x21...0x7E).contains($0) })
                    }
                }
            }
            #expect(try await contents(app) == before)
        }
    }

    @Test func `a repeated or invalid query key is a 400 that names it`() async throws {
        try await onOneServer([
            ("/users/ann?invitedBy=u-ann&invitedBy=u-ann", "invitedBy"),
            ("/users/ann?invitedBy=u-ann&%69nvitedBy=u-bob", "invitedBy"),
            ("/users/ann?invitedBy=u-ann&code=a&code=b", "code"),
            ("/users/ann/qr.svg?invitedBy=a&invitedBy=b", "invitedBy"),
            ("/users/ann/card.jpg?invitedBy=a&invitedBy=b", "invitedBy"),
            ("/users/ann/qr.svg?logo=a", "logo"),
            ("/v1/friends?limit=1&limit=2", "limit"), ("/v1/friends?after=a&after=b", "after"),
            ("/v1/friends?order=recent&order=recent", "order"), ("/v1/friends?order=random", "order"),
            ("/v1/friends?prefix=", "prefix"), ("/v1/users", "username"),
            ("/v1/users?username=a&username=b", "username"),
            ("/v1/friends?limit=501", "limit"), ("/v1/me/changes?limit=501", "limit"),
            ("/v1/requests?limit=101", "limit"), ("/v1/friends?order=recent&prefix=a", "order"),
            ("/v1/requests?direction=sideways", "direction"), ("/v1/me/changes?limit=0", "limit"),
            ("/v1/suggestions?limit=101", "limit"), ("/v1/invites?limit=1&limit=1", "limit"),
            ("/v1/invites?after=&after=", "after"),
            ("/users/ann?invitedBy=a&invitedBy=b", "invitedBy"), ("/v1/friends?limit=%FF", "limit"),
            ("/v1/me/purchases?environment=Xcode", "environment"),
            ("/v1/me/purchases?environment=sandbox&environment=sandbox", "environment"),
        ]) { item, app, sender in
            let (path, field) = item
            let answer = try await app.get(path, as: "u-ann")
            #expect(judge(answer, field: field, path))
            #expect(answer.status == 400)
        }
    }

    @Test(arguments: ["friends", "invites", "joined"])
    func `a made-up cursor is refused`(list: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let sender = try await Sender(app)
            let code = try #require(try await app.post("/v1/invites", as: "u-ann")["code"])
            let path = list == "joined" ? "/v1/invites/\(code)/joined" : "/v1/\(list)"
            let payloads = [
                "", "0|\(UUID())", "x|y", "|", "a\u{0}b", "花", String(repeating: "k", count: 5000),
            ]
            for payload in payloads {
                for version in [UInt8](0...4) {
                    for zeros in [0, 12, 28, 32] {
                        let head = [version] + [UInt8](repeating: 0, count: zeros)
                        let cursor = Data(head + Array(payload.utf8)).base64URL
                        let answer = try await sender.send(.get, "\(path)?after=\(cursor)")
                        #expect(judge(answer, field: "after", "\(version) \(payload.prefix(10))"))
                        #expect(answer.status == 400)
                    }
                }
            }
        }
    }

    @Test(arguments: ["friends", "blocks", "suggestions"])
    func `a uid of odd text in a path is taken literally, or refused`(list: String) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let sender = try await Sender(app)
            for text in Self.inTargets + ["%63ount", "%63hanges", "u-ann"] {
                for method in [HTTPRequest.Method.put, .delete]
                where list != "suggestions" || method == .delete {
                    let answer = try await sender.send(method, "/v1/\(list)/\(text)")
                    judge(answer, "\(method) \(text)")
                    if text.hasPrefix("%63") { #expect(answer.status < 300, "\(method) \(text)") }
                    if text == "u-ann" { #expect((answer.status, answer.code) == (422, "self_relationship")) }
                }
            }
        }
    }
}
