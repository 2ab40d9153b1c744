import Foundation
import HTTPTypes
import HummingbirdTesting
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Web

/// Claims by address, system and language alone (`KITH_INSTALL_MATCHING=likely`).
@Suite(.inTurns) struct LikelyClaimTests {
    /// A server that sees the addresses of phones.
    private func run(
        _ matching: InstallPolicy.Matching = .likely, world: World = .live,
        _ test: @Sendable (TestApp) async throws -> Void
    ) async throws {
        let proxies = [try #require(AddressRange("127.0.0.0/8"))]
        try await TestApp.run(
            configure: {
                TestApp.withStores(&$0)
                $0.server.trustedProxies.ranges = proxies
                $0.rateLimits = RateLimitConfig()
                $0.installs.matching = matching
            }, world: world, .live, test)
    }

    private struct Phone {
        var address = "203.0.113.7"
        var system = "18.6"
        var language = "ja"
        /// Whose link is tapped, and which app starts.
        var host = "join.example.com"

        var headers: HTTPFields {
            var headers = HTTPFields.iPhone
            let agent = (headers[.userAgent] ?? "")
                .replacing("18_6", with: system.replacing(".", with: "_"))
                .replacing("Version/18.6", with: "Version/\(system)")
            headers[.userAgent] = agent
            headers[.acceptLanguage] = language
            headers[.xForwardedFor] = address
            headers[.testHost] = host
            return headers
        }
    }

    private func tap(_ app: TestApp, _ name: String, _ phone: Phone = Phone()) async throws {
        let answer = try await app.get(
            "/users/\(name)/app-store?invitedBy=u-\(name)", headers: phone.headers)
        try #require(answer.status == 302, "\(answer.text.prefix(300))")
    }

    /// The first start on a phone: whose link it came by, and how sure that is.
    private func start(
        _ app: TestApp, _ installation: String, _ phone: Phone = Phone(), key: String
    ) async throws -> TestApp.Answer {
        try await app.post(
            "/v1/installs/claim", as: nil,
            headers: [
                .authorization: "Bearer \(key)", .xForwardedFor: phone.address, .testHost: phone.host,
            ],
            [
                "platform": "ios", "installationId": installation,
                "facts": ["osVersion": "\(phone.system).1", "language": "\(phone.language)-JP"],
            ])
    }

    private func key(_ app: TestApp) async throws -> String {
        try await APIKeyStore(db: app.db).create(name: "app", scope: .client)
    }

    @Test func `a tap at the host of one app is nothing to another`() async throws {
        try await run { app in
            try await app.apply(
                "apps: {staging: {hosts: [https://staging.example.com], ios: {storeId: 2}}}")
            try await app.signUp("ann")
            let key = try await key(app)
            try await tap(app, "ann", Phone(host: "staging.example.com"))
            #expect(try await start(app, "i-1", key: key).status == 404)
            let claim = try await start(app, "i-1", Phone(host: "staging.example.com"), key: key)
            #expect(claim["confidence"] == "likely", "\(claim.text)")
        }
    }

    @Test func `the only tap of such a phone within the hour is likely, and the newcomer is asked`()
        async throws
    {
        try await run { app in
            try await app.signUp("ann")
            let key = try await key(app)
            try await tap(app, "ann")
            let claim = try await start(app, "i-1", key: key)
            #expect(claim["confidence"] == "likely", "\(claim.text)")
            #expect(claim["friendship"] == "incoming")
            #expect(try await start(app, "i-1", key: key)["claim"] == claim["claim"])
            #expect(try await start(app, "i-2", key: key).status == 404)
            try await signUp(app, by: claim, makes: "incoming")
            #expect(try await app.list("/v1/requests", "requests", as: "u-bob") == ["u-ann"])
            try await accept(app, claim, makes: "friends")
            try await app.verify()
        }
    }

    @Test func `a likely claim makes no friend of a newcomer whom the inviter asked before`() async throws {
        try await run { app in
            try await app.signUp("ann")
            try await app.act(.want, "u-ann", on: "u-bob")
            try await tap(app, "ann")
            let claim = try await start(app, "i-1", key: key(app))
            try await signUp(app, by: claim, makes: "incoming")
            #expect(try await app.friends("u-ann") == [])
            try await app.verify()
        }
    }

    @Test(arguments: [false, true])
    private func
        `a likely claim of an inviter who wants to be asked, or blocks, leaves only who invited whom`(
            blocks: Bool
        ) async throws
    {
        try await run { app in
            try await app.signUp("ann")
            if blocks {
                try await app.act(.block, "u-ann", on: "u-bob")
            } else {
                _ = try await app.call(.patch, "/v1/me", as: "u-ann", body: ["invites": "ask"])
            }
            try await tap(app, "ann")
            let claim = try await start(app, "i-1", key: key(app))
            try await signUp(app, by: claim, makes: "none")
            #expect(try await app.get("/v1/me/invitees", as: "u-ann").text.contains("u-bob"))
            for direction in ["incoming", "outgoing"] {
                let path = "/v1/requests?direction=\(direction)"
                #expect(try await app.list(path, "requests", as: "u-bob") == [], "\(direction)")
            }
            try await accept(app, claim, makes: "requested")
            try await app.verify()
        }
    }

    private func signUp(_ app: TestApp, by claim: TestApp.Answer, makes result: String) async throws {
        let invite: Body = ["claim": claim["claim"] ?? ""]
        let told = try await app.post("/v1/invites/resolve", as: "u-bob", invite)
        let made = try await app.post("/v1/signup", as: "u-bob", ["username": "bob", "invite": invite])
        #expect(made["invite.friendship"] == result, "\(made.text)")
        // A block stays untold.
        if claim["friendship"] == result { #expect(told["friendship"] == result, "\(told.text)") }
    }

    private func accept(_ app: TestApp, _ claim: TestApp.Answer, makes result: String) async throws {
        let accepted = try await app.post(
            "/v1/invites/accept", as: "u-bob", ["claim": claim["claim"] ?? ""])
        #expect(accepted["friendship"] == result, "\(accepted.text)")
    }

    @Test(arguments: [
        (Phone(address: "203.0.113.8"), "another address"), (Phone(system: "17.5"), "another system"),
        (Phone(language: "en"), "another language"),
    ])
    private func `a phone that differs gets nothing`(phone: Phone, difference: String) async throws {
        try await run { app in
            try await app.signUp("ann")
            try await tap(app, "ann")
            #expect(try await start(app, "i-1", phone, key: key(app)).status == 404, "\(difference)")
        }
    }

    @Test func `if two such phones tapped links of two inviters, both get nothing`() async throws {
        try await run { app in
            for name in ["ann", "ben"] {
                try await app.signUp(name)
                try await tap(app, name)
            }
            let key = try await key(app)
            for installation in ["i-1", "i-2"] {
                #expect(try await start(app, installation, key: key).status == 404)
            }
        }
    }

    @Test func `a tap older than an hour is no match, and makes a newer one doubtful for two days`()
        async throws
    {
        try await run { app in
            let key = try await key(app)
            for name in ["ann", "ben"] { try await app.signUp(name) }
            try await tap(app, "ann")
            try await age(app, minutes: 61)
            #expect(try await start(app, "i-1", key: key).status == 404)
            try await tap(app, "ben")
            #expect(try await start(app, "i-1", key: key).status == 404)
            try await app.db.write.run("DELETE FROM installs WHERE tapped_at < now() - interval '10 minutes'")
            #expect(try await start(app, "i-1", key: key)["inviter.uid"] == "u-ben")
        }
    }

    @Test(arguments: [(hours: 47, isDoubtful: true), (49, false)])
    func `a tap on another inviter's link makes one doubtful for two days`(hours: Int, isDoubtful: Bool)
        async throws
    {
        try await run { app in
            for name in ["ann", "ben"] { try await app.signUp(name) }
            try await tap(app, "ann")
            try await age(app, minutes: Double(hours * 60))
            try await tap(app, "ben")
            let claim = try await start(app, "i-1", key: key(app))
            #expect(claim["inviter.uid"] == (isDoubtful ? nil : "u-ben"), "\(claim.text)")
        }
    }

    @Test func `unless the operator wants it, facts are neither kept nor asked`() async throws {
        try await run(.exact) { app in
            try await app.signUp("ann")
            try await tap(app, "ann")
            #expect(try await start(app, "i-1", key: key(app)).status == 404)
            #expect(try await app.count("installs") == 0)
        }
    }

    @Test func `salts go after two days, and nothing is likely by then`() async throws {
        try await run { app in
            try await app.signUp("ann")
            try await tap(app, "ann")
            try await app.db.write.run("UPDATE visitor_salts SET day = day - 2")
            try await app.app.salts.forgetOld()
            #expect(try await app.count("visitor_salts") == 0)
            #expect(try await start(app, "i-1", key: key(app)).status == 404)
        }
    }

    /// Four hundred people of one address tap links of fifty inviters within two days and install later, some
    /// after a day, some never.
    @Test func `of hundreds of installs behind one address none gets a wrong inviter`() async throws {
        // By this clock the salt that was read is always an old one, so the days may pass below.
        var world = World.live
        world.now = { Date() + 86_400 }
        try await run(world: world) { app in
            let key = try await key(app)
            let inviters = (0..<50).map { "inviter\($0)" }
            _ = try await app.people("inviter", 50)
            var chance = SeededGenerator(12)
            var events: [(minute: Double, person: Int, isStart: Bool)] = []
            var inviter: [String] = []
            var phones: [Phone] = []
            for person in 0..<400 {
                let minute = Double.random(in: 0..<(2 * 1440), using: &chance)
                inviter.append(inviters.randomElement(using: &chance) ?? "")
                phones.append(
                    Phone(
                        system:
                            "\(["16.7", "17.5", "17.6", "18.5", "18.6"].randomElement(using: &chance) ?? "")",
                        language: ["ja", "en", "de", "fr"].randomElement(using: &chance) ?? ""))
                events.append((minute, person, false))
                let delay = min(1440, -20 * log(Double.random(in: 0.0001..<1, using: &chance)))
                if Int.random(in: 0..<20, using: &chance) > 0 {
                    events.append((minute + delay, person, true))
                }
            }
            var (likely, none, wrong, now) = (0, 0, 0, 0.0)
            for event in events.sorted(by: { $0.minute < $1.minute }) {
                try await age(app, minutes: event.minute - now)
                for _ in Int(now / 1440)..<Int(event.minute / 1440) { try await endDay(app) }
                now = event.minute
                guard event.isStart else {
                    try await tap(app, inviter[event.person], phones[event.person])
                    continue
                }
                let claim = try await start(app, "i-\(event.person)", phones[event.person], key: key)
                if claim.status == 404 {
                    none += 1
                } else if claim["inviter.username"] == inviter[event.person] {
                    likely += 1
                } else {
                    wrong += 1
                }
            }
            print("400 installs behind one address: likely \(likely), none \(none), wrong \(wrong)")
            #expect(wrong == 0)
            #expect(likely > 0 && none > 0)
        }
    }

    private func age(_ app: TestApp, minutes: Double) async throws {
        try await app.db.write.run(
            "UPDATE installs SET tapped_at = tests.earlier(tapped_at, \(minutes / 60))")
    }

    /// Makes today's salt yesterday's.
    private func endDay(_ app: TestApp) async throws {
        let today: Statement = "(now() AT TIME ZONE 'UTC')::date"
        try await app.db.write.run("UPDATE visitor_salts SET day = day - 1 WHERE day < \(today)")
        try await app.app.salts.forgetOld()
        try await app.db.write.run("UPDATE visitor_salts SET day = day - 1")
    }
}
