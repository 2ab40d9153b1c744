import Foundation
import HTTPTypes
import Postgres
import Testing

@testable import AppTesting
@testable import Counts
@testable import Graph
@testable import Growth
@testable import Imports
@testable import Kernel
@testable import Kith
@testable import Rollout
@testable import Web

/// A small world, made by calls, in which each measure counts something. All of it happens today.
struct MeasureWorld {
    let app: TestApp
    let shop: PurchaseStage
    let rewards: RewardStage
    let viewer: HTTPFields

    static func run(_ test: @Sendable (MeasureWorld) async throws -> Void) async throws {
        try await TestApp.run(configure: {
            TestApp.withLinks(&$0)
            PurchaseStage.withAppStore(&$0)
            $0.app.androidPackage = "com.example.app"
            $0.secretsKey = SecretsKey(Data(repeating: 7, count: 32).base64EncodedString())
            $0.disposableDomains = .init(lines: "trash.example")
            $0.counts.countryHeader = "CF-IPCountry"
            $0.server.trustedProxies.ranges = [AddressRange("127.0.0.0/8")].compactMap(\.self)
        }) { app in
            let shop = PurchaseStage(app: app, admin: try await app.keyed())
            let world = MeasureWorld(
                app: app, shop: shop,
                rewards: RewardStage(
                    shop: shop, run: RewardRun(RewardStore(db: app.db), now: { Date() })),
                viewer: try await app.keyed(.viewer))
            try await world.openLinks()
            try await world.invite()
            try await world.meet()
            try await world.ask()
            try await world.buy()
            try await world.reward()
            for _ in 0..<2 { try await app.count() }
            try await test(world)
        }
    }

    private static let party = "https://go.example.com/party"

    private func signUp(
        _ name: String, _ fields: [(String, any JSONValue)] = [], country: String? = nil
    ) async throws {
        var headers: HTTPFields = [.userAgent: "Sample/5 CFNetwork/1490 Darwin/23", .acceptLanguage: "ja"]
        if let field = HTTPField.Name("CF-IPCountry") { headers[field] = country }
        let all = ([("username", name)] + fields).map { "\($0.0.json):\($0.1.json)" }
        let answer = try await app.call(
            .post, "/v1/signup", as: "u-\(name)", headers: headers,
            body: "{\(all.joined(separator: ","))}")
        try #require(answer.status == 201, "\(answer.text)")
    }

    /// The deep link `party` is opened by a computer, an iPhone that sees its page, and an Android phone with
    /// no app, which gets it and tells. It then opens an app that is there.
    private func openLinks() async throws {
        let made = try await app.post(
            "/v1/links", as: nil, headers: app.keyed(.server),
            [
                "parameters": [
                    "link": "https://example.com/party", "apn": "com.example.app", "ibi": "com.example.app",
                    "isi": "6448311069", "utm_campaign": "spring",
                ] as Body,
                "suffix": "custom", "code": "party",
            ])
        try #require(made.status == 201, "\(made.text)")
        var referrer: String?
        for device in [HTTPFields.android, .iPhone, [.userAgent: "Mozilla/5.0 (Windows NT 10.0)"]] {
            var headers = device
            headers[.testHost] = "go.example.com"
            let answer = try await app.get("/party", headers: headers)
            referrer = referrer ?? answer.playReferrer
        }
        let claim = try await app.claim(
            ["platform": "android", "referrer": try #require(referrer)], of: "phone-1")
        #expect(claim["deepLink.url"] == Self.party, "\(claim.text)")
        let resolved = try await app.post(
            "/v1/links/resolve", as: nil, headers: app.keyed(.client),
            ["url": .some(Self.party), "platform": "ios"])
        #expect(resolved.status == 200, "\(resolved.text)")
    }

    /// Ann comes alone, and brings Bob by the page, the store and the link `party`. Bob brings Cat.
    private func invite() async throws {
        try await signUp("ann", country: "JP")
        let page = try await app.get("/users/ann?invitedBy=u-ann", headers: .android)
        let button = try #require(page.href(containing: "/play-store"))
        let referrer = try #require(try await app.get(button, headers: .android).playReferrer)
        let claim = try await app.claim(["platform": "android", "referrer": referrer], of: "phone-2")
        let invite: Body = ["claim": claim["claim"] ?? ""]
        try await signUp("bob", [("invite", invite), ("link", Self.party)], country: "JP")
        try await signUp("cat", [("invite", TestApp.link("bob", "u-bob"))], country: "US")
        let custom = try await app.post("/v1/invites", as: "u-ann", ["label": "poster", "maxUses": 1])
        #expect(custom.status == 201, "\(custom.text)")
    }

    /// Dan and Eve become friends and part; both take other names, or leave and return; Gus deletes
    /// before it is counted, so their country and language are forgotten.
    private func meet() async throws {
        for name in ["dan", "eve", "gus"] { try await signUp(name, country: "US") }
        try await app.befriend("u-dan", "u-eve")
        try await app.act(.unwant, "u-dan", on: "u-eve")
        #expect(try await app.rename("u-dan", to: "danny").status == 200)
        let path = "/v1/admin/users/u-eve/suspension"
        #expect(try await app.call(.put, path, headers: shop.admin, body: [:]).status == 200)
        #expect(try await app.call(.delete, path, headers: shop.admin).status == 200)
        #expect(try await app.call(.delete, "/v1/me", as: "u-gus").status == 204)
    }

    /// Two iPhones of version 5.2 and one Android phone ask for a policy.
    private func ask() async throws {
        for query in [
            "ios&version=5.2&installationId=i-1", "ios&version=5.2&installationId=i-1",
            "ios&version=5.2&installationId=i-2", "android&version=9&installationId=i-3",
        ] {
            let answer = try await app.get(
                "/v1/policy?platform=\(query)&app=com.example.app", headers: app.keyed(.client))
            #expect(answer.status == 200, "\(answer.text)")
        }
        try await VersionCountService(
            queue: app.app.versionCounts, store: VersionCountStore(db: app.db), active: app.app.active,
            named: { [] }, logger: TestApp.quiet
        ).flush()
    }

    /// Of the campaign `spring` Ann gets a code of two that expire soon, and buys with it; three codes are
    /// left. Her purchase is renewed, and refunded; Dan's expires.
    private func buy() async throws {
        try await shop.putCampaign("spring")
        for (codes, days) in [("AAAA1111\nBBBB2222", 100.0), ("CCCC3333\nDDDD4444", 20)] {
            var chunks = [Array("\(codes)\n".utf8)]
            let report = try await OfferImportStore(app.db, app.app.config).run(
                into: "spring", expiresAt: PurchaseStage.day(days), from: { chunks.popLast() })
            try #require(report.imported > 0)
        }
        #expect(try await app.call(.post, "/v1/me/offers/spring", as: "u-ann").status == 201)
        let first = shop.month(1, began: -40, PurchaseStage.code())
        #expect(try await shop.show(first, by: "u-ann").status == 201)
        try await shop.notify("DID_RENEW", shop.month(2, began: -40), renews: true, signed: -9)
        let refund: [String: Any] = [
            "revocationDate": PurchaseStage.milliseconds(PurchaseStage.day(-1)), "revocationReason": 1,
        ]
        try await shop.notify(
            "REFUND", shop.month(2, began: -40, signed: -1, refund), signed: -1)
        let yearly = shop.month(1, of: "2000", began: -40, ["productId": "yearly"])
        #expect(try await shop.show(yearly, by: "u-dan").status == 201)
        try await shop.notify("EXPIRED", of: "2000", renews: false, signed: -2, retries: false)
    }

    /// Both sides earn coins for Bob, Cat and Hal. Bob was as fast as a program, so those of both wait for an
    /// operator; Hal's are taken back. Ivy's address is disposable, so Ivy's wait, and Jon's end there. Kim's
    /// code of `gift` is redeemed. Mia has gems, and Lea's wait.
    private func reward() async throws {
        let invitee = RewardStage.coins.filter { !$0.key.hasPrefix("inviter") }
        try await rewards.apply(["autumn": RewardStage.coins])
        try await rewards.join("hal", by: "ann")
        try await rewards.work()
        #expect(try await rewards.decide("claw_back", on: "u-hal")["state"] == "clawed_back")
        try await rewards.apply(["autumn": invitee])
        for name in ["ivy", "jon"] {
            try await rewards.join(name, by: "ann")
            try await rewards.signal("u-\(name)", "email", "\(name)@trash.example")
        }
        try await rewards.work()
        #expect(try await rewards.decide("reject", on: "u-jon")["state"] == "rejected")
        try await putGift()
        try await rewards.apply(["codes": ["qualify": "signed_up", "invitee.offer": "gift", "hold": "0"]])
        try await rewards.join("kim", by: "cat")
        try await rewards.work()
        #expect(try await app.call(.post, "/v1/me/offers/gift", as: "u-kim").status == 201)
        let month = shop.month(1, of: "3000", began: 0, PurchaseStage.code("Gift"))
        #expect(try await shop.show(month, by: "u-kim").status == 201)
        try await rewards.work()
        let gems = ["invitee.credit.amount": "7", "invitee.credit.unit": "gems"]
        try await rewards.apply(["gems": invitee.merging(gems) { $1 }])
        try await rewards.join("mia", by: "cat")
        try await rewards.work()
        try await rewards.apply(["gems": invitee.merging(gems) { $1 }.merging(["hold": "7"]) { $1 }])
        try await rewards.join("lea", by: "dan")
        try await rewards.work()
    }

    private func putGift() async throws {
        let put = try await app.call(
            .put, "/v1/admin/offers/gift", headers: shop.admin,
            body: [
                "appStoreId": String(shop.signer.appAppleID), "offer": "Gift", "rewardsOnly": true,
            ])
        try #require(put.status == 201, "\(put.text)")
        var chunks = [Array("EEEE5555\n".utf8)]
        let report = try await OfferImportStore(app.db, app.app.config).run(
            into: "gift", expiresAt: PurchaseStage.day(100), from: { chunks.popLast() })
        try #require(report.imported == 1)
    }

    /// What `GET /v1/admin/numbers/{measure}` tells of today's month.
    func numbers(_ measure: String, _ query: String = "") async throws -> TestApp.Answer {
        let answer = try await app.get("/v1/admin/numbers/\(measure)?per=month&\(query)", headers: viewer)
        try #require(answer.status == 200, "\(measure)?\(query): \(answer.text)")
        return answer
    }

    /// How a measure divides, as `invited 3, alone 2`, most frequent first; what has no value stands last.
    func parts(_ measure: String, by dimension: String) async throws -> String {
        let answer = try await numbers(measure, "by=\(dimension)")
        let known = answer.objects("series").map { "\($0["value"] ?? "") \($0["total"] ?? "")" }
        let unknown = answer["unknown.total"].map { $0 == "0" ? [] : ["– \($0)"] } ?? []
        return (known + unknown).joined(separator: ", ")
    }
}
