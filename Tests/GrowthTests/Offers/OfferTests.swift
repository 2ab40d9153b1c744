import Foundation
import HTTPTypes
import Logging
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Growth
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Web

/// Dealing offer codes.
@Suite(.inTurns) struct OfferTests {
    @Test func `a user gets one code, with its URL and QR symbol, and the same when they ask again`()
        async throws
    {
        try await OfferStage.run(codes: ["ABCD1234", "EFGH5678"]) { stage in
            for name in ["ann", "bob", "cat"] { try await stage.app.signUp(name) }
            let first = try await stage.deal("u-ann")
            #expect(first.status == 201 && first.headers[.cacheControl] == "no-store")
            let code = try #require(first["code"])
            let url = "https://apps.apple.com/redeem?ctx=offercodes&id=123456789&code=\(code)"
            #expect(first["campaign"] == "spring" && first["url"] == url)
            #expect(try first["qr"] == QRCode(url).svg())
            let again = try await stage.deal("u-ann")
            #expect(again.status == 200 && again["code"] == code)
            let other = try await stage.deal("u-bob")
            #expect(Set([code, other["code"]]) == ["ABCD1234", "EFGH5678"])
            let none = try await stage.deal("u-cat")
            #expect((none.status, none.code) == (409, "campaign_empty"))
            #expect(try await stage.deal("u-ann", "summer").status == 404)
            #expect(try await stage.deal("u-ann", "No.Key").code == "campaign_not_found")
        }
    }

    @Test func `what expires first is dealt first, and nothing that expires within 14 days`() async throws {
        try await OfferStage.run { stage in
            for name in ["ann", "bob", "cat"] { try await stage.app.signUp(name) }
            try await stage.importCodes("LATE1111", days: 90)
            try await stage.importCodes("SOON1111", days: 13.9)
            try await stage.importCodes("NEXT1111", days: 15)
            #expect(try await stage.deal("u-ann").code == "NEXT1111")
            #expect(try await stage.deal("u-bob").code == "LATE1111")
            #expect(try await stage.deal("u-cat").code == "campaign_empty")
            #expect(try await stage.pool() == "free 0, dealt 2, stale 1, expiring 1")
        }
    }

    @Test(arguments: [("123456789", true), ("987654321", false), (nil, true)])
    func `an app deals codes of its own campaigns alone, and so of those that are for everybody`(
        appStoreID: String?, isOwn: Bool
    ) async throws {
        try await OfferStage.run(codes: ["ABCD1234"], appStoreID: appStoreID) { stage in
            try await stage.app.signUp("ann")
            let shared = try await stage.app.call(
                .put, "/v1/admin/offers/everybody", headers: stage.admin,
                body: ["appStoreId": "123456789", "offer": "Spring 2027", "sharedCode": "SPRING27"])
            #expect(shared.status == 201, "\(shared.text)")
            for (campaign, code) in [("spring", "ABCD1234"), ("everybody", "SPRING27")] {
                let dealt = try await stage.deal("u-ann", campaign)
                if isOwn {
                    #expect(dealt["code"] == code, "\(dealt.text)")
                } else {
                    #expect((dealt.status, dealt.code) == (404, "campaign_not_found"), "\(dealt.text)")
                }
            }
            let pool = isOwn ? "free 0, dealt 1" : "free 1, dealt 0"
            #expect(try await stage.pool() == "\(pool), stale 0, expiring 0")
        }
    }

    @Test func `an app without a number in the App Store deals none beside others`() async throws {
        try await OfferStage.run(codes: ["ABCD1234"], appStoreID: "123456789") { stage in
            try await stage.app.signUp("ann")
            try await stage.app.apply("apps: {staging: {hosts: [https://staging.example.com]}}")
            for (host, status) in [("staging.example.com", 404), ("join.example.com", 201)] {
                let dealt = try await stage.app.call(
                    .post, "/v1/me/offers/spring", as: "u-ann", headers: [.testHost: host])
                #expect(dealt.status == status, "\(host): \(dealt.text)")
            }
        }
    }

    @Test func `of 1,000 who ask at once each gets another code until none is left`() async throws {
        let codes = (0..<600).map { "CODE\($0)" }
        try await OfferStage.run(codes: codes) { stage in
            let users = try await stage.importUsers(1_000)
            let store = OfferStore(db: stage.app.db)
            let dealt = try await withThrowingTaskGroup { group in
                for user in users {
                    group.addTask { () -> UUID? in
                        do {
                            return try await store.deal(
                                .init(stored: "spring"), to: user, by: RewardStore.self, mark: stage.mark
                            )
                            .id
                        } catch OfferError.empty {
                            return nil
                        }
                    }
                }
                return try await group.reduce(into: [UUID?]()) { $0.append($1) }
            }
            let ids = dealt.compactMap(\.self)
            #expect(ids.count == 600 && Set(ids).count == 600)
            #expect(try await stage.pool() == "free 0, dealt 600, stale 0, expiring 0")
        }
    }

    @Test func `of 40 calls of one user at once all get the same code`() async throws {
        try await OfferStage.run(codes: (0..<50).map { "CODE\($0)" }) { stage in
            try await stage.app.signUp("ann")
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<40 { group.addTask { try await stage.deal("u-ann") } }
                return try await group.reduce(into: [TestApp.Answer]()) { $0.append($1) }
            }
            #expect(Set(answers.map(\.code)).count == 1 && answers.count { $0.status == 201 } == 1)
            #expect(try await stage.pool() == "free 49, dealt 1, stale 0, expiring 0")
            #expect(try await stage.app.told {} == [])
            let told = try await stage.app.events().filter { $0.type == "offer.dealt" }.map(\.line)
            #expect(told == ["offer.dealt u-ann: campaign=spring"])
        }
    }

    @Test func `a budget ends dealing for the quarter, and a call that it refuses takes no code`()
        async throws
    {
        try await OfferStage.run(codes: (0..<9).map { "CODE\($0)" }) { stage in
            let users = try await stage.importUsers(6)
            #expect(try await stage.put(quarterBudget: 3).status == 200)
            let store = OfferStore(db: stage.app.db)
            func deal(_ user: User.ID) async throws -> Bool {
                do {
                    _ = try await store.deal(
                        .init(stored: "spring"), to: user, by: RewardStore.self, mark: stage.mark)
                    return true
                } catch OfferError.budgetUsed {
                    return false
                }
            }
            let dealt = try await withThrowingTaskGroup { group in
                for user in users { group.addTask { (user, try await deal(user)) } }
                return try await group.reduce(into: [User.ID: Bool]()) { $0[$1.0] = $1.1 }
            }
            #expect(dealt.values.count { $0 } == 3)
            #expect(try await stage.pool() == "free 6, dealt 3, stale 0, expiring 0")
            for user in users where dealt[user] == true { #expect(try await deal(user)) }
            try await stage.app.db.write.run("UPDATE offer_campaigns SET quarter = quarter - 92")
            for user in users { #expect(try await deal(user)) }
        }
    }

    @Test func `after the deletion of an account its code stays dealt, and nobody knows to whom`()
        async throws
    {
        try await OfferStage.run(codes: ["ABCD1234"]) { stage in
            for name in ["ann", "bob"] { try await stage.app.signUp(name) }
            #expect(try await stage.deal("u-ann").status == 201)
            let export = try await stage.app.get("/v1/me/export", as: "u-ann")
            let offers = export.json["offers"] as? [[String: Any]]
            #expect(offers?.map { $0["campaign"] as? String } == ["spring"])
            #expect(!export.text.contains("ABCD1234"))
            #expect(try await stage.app.call(.delete, "/v1/me", as: "u-ann").status == 204)
            #expect(try await stage.deal("u-bob").code == "campaign_empty")
            let known = try await stage.app.db.read.first(
                "SELECT count(*) FROM offer_codes WHERE user_id IS NOT NULL"
            ) { try $0.next(as: Int.self) }
            #expect(known == 0)
            try await stage.app.verify()
        }
    }

    @Test func `with another KITH_SECRETS_KEY no code is shown, and none is lost`() async throws {
        try await OfferStage.run(codes: ["ABCD1234"]) { stage in
            try await stage.app.signUp("ann")
            func dealing(_ byte: UInt8?) -> OfferDealing {
                OfferDealing(
                    store: OfferStore(db: stage.app.db), rule: RewardStore.self,
                    secretsKey: byte.flatMap {
                        SecretsKey(Data(repeating: $0, count: 32).base64EncodedString())
                    })
            }
            let (ann, key) = (User.ID(of: User.UID(stored: "u-ann")), OfferCampaign.Key(stored: "spring"))
            await #expect(throws: OfferError.noSecretsKey) { try await dealing(nil).deal(key, to: ann) }
            #expect(try await stage.pool() == "free 1, dealt 0, stale 0, expiring 0")
            await #expect(throws: OfferError.unreadable) { try await dealing(8).deal(key, to: ann) }
            #expect(try await stage.pool() == "free 1, dealt 0, stale 0, expiring 0")
            let other = OfferImportStore(
                db: stage.app.db, secretsKey: SecretsKey(Data(repeating: 8, count: 32).base64EncodedString()))
            var (chunks, told) = ([Array("ABCD1234".utf8)], "")
            do {
                _ = try await other.run(
                    into: "spring", expiresAt: Date() + 9_000_000, from: { chunks.popLast() })
            } catch { told = "\(error)" }
            #expect(told.contains("or codes would be dealt twice"), "\(told)")
            #expect(try await dealing(7).deal(key, to: ann).code.text == "ABCD1234")
        }
    }

    @Test func `operators are told once that few codes are left, and of codes that expire unused`()
        async throws
    {
        try await OfferStage.run(codes: ["ABCD1234", "EFGH5678"]) { stage in
            try await stage.app.signUp("ann")
            #expect(try await stage.put(lowWater: 2).status == 200)
            let app = stage.app
            func look() async throws {
                let service = OfferService(
                    store: OfferStore(db: app.db), metrics: app.app.offerMetrics, now: app.app.world.now,
                    logger: .init(label: "test"))
                try await withThrowingTaskGroup { group in
                    for _ in 0..<4 { group.addTask { try await service.look() } }
                    try await group.waitForAll()
                }
            }
            #expect(try await app.told(look) == [])
            _ = try await stage.deal("u-ann")
            let low = "offer.low nobody: campaign=spring left=1"
            #expect(try await app.told(look) == [low])
            #expect(try await app.told(look) == [])
            try await stage.importCodes("IJKL9012", days: 20)
            #expect(
                try await app.told(look).map { String($0.prefix(45)) } == [
                    "offer.expiring nobody: campaign=spring expire"
                ])
            #expect(try await app.told(look) == [])
            // Others that expire later are told of, too, though the first are still there.
            try await app.db.write.run(
                "UPDATE offer_campaigns SET expiring_until = now() + interval '25 days'")
            try await app.db.write.run(
                """
                INSERT INTO offer_codes (campaign, id, sealed, expires_at)
                VALUES ('spring', gen_random_uuid(), '', now() + interval '28 days')
                """)
            #expect(try await app.told(look).map { String($0.prefix(14)) } == ["offer.expiring"])
            #expect(try await app.told(look) == [])
            try await app.db.write.run("DELETE FROM offer_codes WHERE sealed = ''")
            #expect(try await stage.put(lowWater: 3).status == 200)
            #expect(try await app.told(look) == ["offer.low nobody: campaign=spring left=2"])
            #expect(
                app.app.offerMetrics.metricsText().contains(
                    #"kith_offer_codes{campaign="spring",state="free"} 2"#))
        }
    }
}
