import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Web

/// The table "What an app can claim" in docs/rules.md.
@Suite(.inTurns) struct InstallClaimTests {
    private func claim(_ app: TestApp, by tap: String, of installation: String = "i-1") async throws
        -> TestApp.Answer
    {
        try await app.claim(["platform": "android", "referrer": tap], of: installation)
    }

    private func expectNothing(_ answer: TestApp.Answer, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(answer.status == 404, "\(answer.text)", sourceLocation: sourceLocation)
        #expect(answer.code == "claim_not_found", sourceLocation: sourceLocation)
    }

    @Test func `of a thousand installations that claim one tap at once, one gets it`() async throws {
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await app.signUp("ann")
            let tap = try await app.tap("/users/ann/play-store?invitedBy=u-ann")
            let key = try await app.keyed(.client)
            let winners = try await withThrowingTaskGroup(of: (String, String?).self) { group in
                for number in 0..<1000 {
                    group.addTask {
                        let answer = try await app.post(
                            "/v1/installs/claim", as: nil, headers: key,
                            ["platform": "android", "referrer": tap, "installationId": "i-\(number)"])
                        #expect([200, 404].contains(answer.status), "\(answer.text)")
                        return ("i-\(number)", answer.status == 200 ? answer["claim"] : nil)
                    }
                }
                return try await group.reduce(into: [(String, String)]()) { winners, one in
                    if let claim = one.1 { winners.append((one.0, claim)) }
                }
            }
            let (winner, claimed) = try #require(winners.first)
            #expect(winners.count == 1)
            // The winner may ask again, in case the answer was lost.
            #expect(try await claim(app, by: tap, of: winner)["claim"] == claimed)
            try await app.verify()
        }
    }

    @Test func `an invite that is not left goes to the store all the same, and is counted`() async throws {
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await app.signUp("ann")
            try await app.db.write.run("ALTER TABLE installs RENAME TO elsewhere")
            let answer = try await app.get("/users/ann/play-store?invitedBy=u-ann", headers: .android)
            #expect(answer.status == 302)
            #expect(app.app.metrics.text().contains(#"kith_taps_total{invite="lost"} 1"#))
        }
    }

    @Test func `a tap waits for a lock no longer than a visitor does`() async throws {
        try await TestApp.run(
            configure: TestApp.withStores,
            limits: { ($0.write.lockTimeout, $0.write.deadline) = (.seconds(90), .seconds(90)) }
        ) { app in
            try await app.signUp("ann")
            try await app.db.withConnection { session in
                try await session.script("BEGIN; LOCK TABLE installs")
                let began = ContinuousClock.now
                let answer = try await app.get("/users/ann/play-store?invitedBy=u-ann", headers: .android)
                #expect(answer.status == 302)
                #expect(ContinuousClock.now - began < .seconds(30))
                try await session.script("COMMIT")
            }
            #expect(app.app.metrics.text().contains(#"kith_taps_total{invite="lost"} 1"#))
        }
    }

    @Test func `a referrer may have other pairs behind the token, or be encoded once more`() async throws {
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await app.signUp("ann")
            let tap = try await app.tap("/users/ann/play-store?invitedBy=u-ann")
            for referrer in [tap, "\(tap)&utm_source=x&y=1", tap.replacing("=", with: "%3D")] {
                #expect(try await claim(app, by: referrer).status == 200, "\(referrer)")
            }
        }
    }

    @Test func `another app or system cannot claim it`() async throws {
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await app.signUp("ann")
            let tap = try await app.tap("/users/ann/play-store?invitedBy=u-ann")
            let evidence = ["platform": "android", "referrer": tap]
            expectNothing(try await app.claim(evidence, app: "com.example.other"))
            expectNothing(try await app.claim(["platform": "ios", "referrer": tap]))
            #expect(try await app.claim(evidence, app: "com.example.app").status == 200)
        }
    }

    @Test(arguments: ["suspended", "deleted"])
    func `of an inviter who is gone there is nothing to claim, and a claim is worth nothing`(status: String)
        async throws
    {
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await app.signUp("ann")
            let taps = try await [
                app.tap("/users/ann/play-store?invitedBy=u-ann"),
                app.tap("/users/ann/play-store?invitedBy=u-ann"),
            ]
            let claimed = try #require(try await claim(app, by: taps[0])["claim"])
            try await app.setStatus(status, of: "u-ann")
            expectNothing(try await claim(app, by: taps[1]))
            let signUp = try await app.post(
                "/v1/signup", as: "u-bob", ["username": "bob", "invite": ["claim": claimed]])
            #expect(signUp.status == 201)
            #expect(signUp["invite.reason"] == "not_found")
            if status == "deleted" { #expect(try await app.count("installs") == 0) }
        }
    }

    @Test func `a claim is worth what its link is: a name alone and an asking code leave requests`()
        async throws
    {
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await app.signUp("ann")
            let asking = try #require(
                try await app.post("/v1/invites", as: "u-ann", ["friendship": "ask"])["code"])
            for (name, query) in [("bob", ""), ("cat", "?invitedBy=u-ann&code=\(asking)")] {
                let tap = try await app.tap("/users/ann/play-store\(query)")
                let claimed = try await claim(app, by: tap, of: name)
                #expect(claimed["friendship"] == "requested", "\(claimed.text)")
                let signUp = try await app.post(
                    "/v1/signup", as: "u-\(name)",
                    ["username": name, "invite": ["claim": claimed["claim"] ?? ""]])
                #expect(signUp["invite.friendship"] == "requested", "\(signUp.text)")
            }
            try await app.verify()
        }
    }

    @Test func `a name that changed hands leads to neither owner`() async throws {
        try await TestApp.run(configure: {
            TestApp.withStores(&$0); $0.usernames.hold = .zero
        }) { app in
            try await app.signUp("ann")
            let tap = try await app.tap("/users/ann/play-store")
            try await app.rename("u-ann", to: "anna")
            try await app.db.write.run("UPDATE usernames SET held_until = now() WHERE name_key = 'ann'")
            try await app.signUp("ann", uid: "u-other")
            expectNothing(try await claim(app, by: tap))
        }
    }

    @Test func `one user signs up by a claim, and another's sign-up ignores it`() async throws {
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await app.signUp("ann")
            let claimed = try #require(
                try await claim(app, by: app.tap("/users/ann/play-store?invitedBy=u-ann"))["claim"])
            func signUp(_ name: String) async throws -> TestApp.Answer {
                try await app.post(
                    "/v1/signup", as: "u-\(name)", ["username": name, "invite": ["claim": claimed]])
            }
            #expect(try await signUp("bob")["invite.outcome"] == "accepted")
            #expect(try await signUp("bob")["invite.outcome"] == "accepted")
            #expect(try await signUp("cat")["invite.reason"] == "exhausted")
            try await app.verify()
        }
    }

    @Test func `somebody with an account resolves and accepts a claim`() async throws {
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await app.signUp("ann")
            try await app.signUp("bob")
            let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
            let tap = try await app.tap("/users/ann/play-store?invitedBy=u-ann&code=\(code)")
            let claimed = try #require(try await claim(app, by: tap)["claim"])
            let resolved = try await app.post("/v1/invites/resolve", as: "u-bob", ["claim": claimed])
            #expect(resolved["friendship"] == "friends", "\(resolved.text)")
            #expect(
                try await app.post("/v1/invites/accept", as: "u-bob", ["claim": claimed])["friendship"]
                    == "friends")
        }
    }

    @Test func `what nobody can claim is not kept: programs, other systems, profiles, the App Store`()
        async throws
    {
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await app.signUp("ann")
            try await app.signUp("off")
            _ = try await app.call(.patch, "/v1/me", as: "u-off", body: ["invites": "off"])
            let bot: HTTPFields = [.userAgent: "facebookexternalhit/1.1"]
            var ahead = HTTPFields.android
            ahead[.secPurpose] = "prefetch"
            var picture = HTTPFields.android
            picture[.secFetchDest] = "image"
            for (path, headers) in [
                ("/users/ann/play-store?invitedBy=u-ann", bot),
                ("/users/ann/play-store?invitedBy=u-ann", HTTPFields.iPhone),
                ("/users/ann/play-store?invitedBy=u-ann", ahead),
                ("/users/ann/play-store?invitedBy=u-ann", picture),
                ("/users/off/play-store?invitedBy=u-off", HTTPFields.android),
                ("/users/ann/app-store?invitedBy=u-ann", HTTPFields.iPhone),
            ] {
                let answer = try await app.get(path, headers: headers)
                #expect(answer.status == 302)
                #expect(answer.playReferrer == nil)
            }
            _ = try await app.call(.head, "/users/ann/play-store?invitedBy=u-ann", headers: .android)
            #expect(try await app.count("installs") == 0)
            #expect(try await app.get("/users/nobody/play-store", headers: .android).status == 404)
        }
    }

    @Test func `rows expire, and are deleted`() async throws {
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await app.signUp("ann")
            var taps: [String] = []
            for _ in 0..<6 { taps.append(try await app.tap("/users/ann/play-store?invitedBy=u-ann")) }
            _ = try await claim(app, by: taps[5])
            try await app.db.write.run("UPDATE installs SET expires_at = now() WHERE claim_id IS NULL")
            expectNothing(try await claim(app, by: taps[0], of: "i-2"))
            try await InstallStore(db: app.db).forgetExpired(part: 2)
            #expect(try await app.count("installs") == 1)
            #expect(try await claim(app, by: taps[5]).status == 200)
            try await app.db.write.run("UPDATE installs SET expires_at = now()")
            expectNothing(try await claim(app, by: taps[5]))
        }
    }
}
