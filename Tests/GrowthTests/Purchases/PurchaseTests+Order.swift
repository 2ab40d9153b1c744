import Foundation
import HTTPTypes
import Postgres
import Testing

@testable import AppTesting

/// What arrives in another order, at once, or of another app.
extension PurchaseTests {
    /// Each of these is what Apple tells; the order in which they arrive is not.
    @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 0, 2], [0, 2, 1]])
    func `in whatever order it arrives, it ended once and goes on`(order: [Int]) async throws {
        try await PurchaseStage.run { stage in
            let again = stage.month(3, began: -65, signed: -5, ["originalPurchaseDate": 1])
            for number in order {
                switch number {
                case 0: try await stage.notify("SUBSCRIBED", stage.month(1, began: -50), signed: -50)
                case 1: try await stage.notify("EXPIRED", stage.month(1, began: -50), signed: -20)
                default: try await stage.notify("SUBSCRIBED", again, signed: -5)
                }
            }
            _ = try await stage.show(stage.month(1, began: -50), by: "u-ann")
            let purchase = try await stage.purchase(of: "u-ann")
            #expect(purchase["active"] as? Bool == true && purchase["endedAt"] is String, "\(purchase)")
        }
    }

    @Test(arguments: [false, true])
    func `of two that Apple signed at once the refund counts`(isFirst: Bool) async throws {
        try await PurchaseStage.run { stage in
            let sound = stage.month(1)
            let revoked = ["revocationDate": PurchaseStage.milliseconds(PurchaseStage.day(-5))]
            let both = [sound, sound.merging(revoked) { $1 }]
            for transaction in isFirst ? both.reversed() : both {
                _ = try await stage.show(transaction, by: "u-ann")
            }
            #expect(try await stage.purchase(of: "u-ann")["active"] as? Bool == false)
        }
    }

    @Test
    func `an old period that is refunded takes nothing that they have, and one that comes late is no news`()
        async throws
    {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(3, began: -70), by: "u-ann")
            let old = stage.month(
                1, began: -70, signed: -1,
                ["revocationDate": PurchaseStage.milliseconds(PurchaseStage.day(-2))])
            try await stage.notify("REFUND", old, signed: -1)
            #expect(try await stage.told() == ["purchase.started", "purchase.refunded"])
            #expect(try await stage.purchase(of: "u-ann")["active"] as? Bool == true)
            let active = try await stage.app.db.read.query(
                "SELECT facts::json->>'active' FROM outbox WHERE type = 'purchase.refunded' UNION ALL SELECT facts::json->>'active' FROM events WHERE type = 'purchase.refunded'"
            ) { try $0.next(as: String.self) }
            #expect(active == ["true"])
            let told = try await stage.app.events().filter { $0.type == "purchase.refunded" }
            #expect(told.map { $0.data["transactionId"] as? String } == ["1000"], "\(told)")
        }
    }

    @Test(arguments: [false, true])
    func `what Apple says of the end of a period waits for the purchase, and the later one counts`(
        isShown: Bool
    ) async throws {
        try await PurchaseStage.run { stage in
            try await stage.notify("DID_FAIL_TO_RENEW", of: "1000", renews: true, signed: -3, grace: 5)
            try await stage.notify("DID_CHANGE_RENEWAL_STATUS", of: "1000", renews: false, signed: -4)
            if isShown {
                _ = try await stage.show(stage.month(1, began: -33), by: "u-ann")
            } else {
                try await stage.notify("SUBSCRIBED", stage.month(1, began: -33), signed: -33)
                _ = try await stage.show(stage.month(1, began: -33), by: "u-ann")
            }
            let purchase = try await stage.purchase(of: "u-ann")
            #expect(
                purchase["autoRenews"] as? Bool == true && purchase["graceUntil"] is String, "\(purchase)")
            #expect(purchase["active"] as? Bool == true)
            #expect(try await stage.told() == ["purchase.started"])
            try await stage.notify("EXPIRED", of: "1000", renews: false, signed: 0)
            #expect(try await stage.purchase(of: "u-ann")["autoRenews"] as? Bool == false)
        }
    }

    @Test(arguments: ["EXPIRED", "GRACE_PERIOD_EXPIRED"], [true, false])
    func `a period that Apple says is over ends nothing while another runs, whichever it hears of first`(
        type: String, isLast: Bool
    ) async throws {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1, began: -40), by: "u-ann")
            func expire() async throws {
                try await stage.notify(type, stage.month(1, began: -40), renews: true, signed: -2)
            }
            if !isLast { try await expire() }
            try await stage.notify("DID_RENEW", stage.month(2, began: -40), renews: true, signed: -10)
            if isLast { try await expire() }
            let purchase = try await stage.purchase(of: "u-ann")
            #expect(purchase["active"] as? Bool == true, "\(purchase)")
            #expect((purchase["endedAt"] is String) == !isLast, "\(purchase)")
            let told = try await stage.told()
            #expect(told.contains("purchase.ended") == !isLast, "\(told)")
        }
    }

    @Test func `of two ends the one that Apple signed last counts, and one that comes late is no news`()
        async throws
    {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1, began: -100), by: "u-ann")
            try await stage.notify("GRACE_PERIOD_EXPIRED", of: "1000", renews: false, signed: -40)
            let ended = try #require(try await stage.purchase(of: "u-ann")["endedAt"] as? String)
            try await stage.notify("EXPIRED", of: "1000", renews: false, signed: -69)
            #expect(try await stage.purchase(of: "u-ann")["endedAt"] as? String == ended)
            #expect(
                try await stage.told() == ["purchase.started", "purchase.cancelled", "purchase.ended"])
        }
    }

    @Test func `of one end Apple says twice that it is over, and it is told once, until they come back`()
        async throws
    {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1, began: -100), by: "u-ann")
            for (type, signed) in [("GRACE_PERIOD_EXPIRED", -60.0), ("EXPIRED", -5.0)] {
                try await stage.notify(type, of: "1000", renews: false, signed: signed)
            }
            let told = ["purchase.started", "purchase.cancelled", "purchase.ended"]
            #expect(try await stage.told() == told)
            let again = stage.month(3, began: -94, signed: -4)
            try await stage.notify("SUBSCRIBED", again, renews: true, signed: -4)
            try await stage.notify("EXPIRED", again, renews: false, signed: 27)
            #expect(try await stage.told().last == "purchase.ended")
            #expect(try await stage.told().count { $0 == "purchase.ended" } == 2)
        }
    }

    @Test func `that it expired waits for the purchase, too`() async throws {
        try await PurchaseStage.run { stage in
            try await stage.notify("EXPIRED", of: "1000", renews: false, signed: -1)
            _ = try await stage.show(stage.month(1, began: -33), by: "u-ann")
            let purchase = try await stage.purchase(of: "u-ann")
            #expect(purchase["endedAt"] is String && purchase["autoRenews"] as? Bool == false, "\(purchase)")
        }
    }

    @Test func `a purchase and what waits for it miss nothing of each other, at once`() async throws {
        try await PurchaseStage.run { stage in
            for number in 1...25 {
                let id = String(5000 + number)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await stage.notify("DID_CHANGE_RENEWAL_STATUS", of: id, renews: false, signed: -1)
                    }
                    group.addTask {
                        try await stage.notify("SUBSCRIBED", stage.month(1, of: id), signed: -10)
                    }
                    try await group.waitForAll()
                }
                #expect(try await stage.record(id)["purchase.autoRenews"] == "0", "\(id)")
            }
        }
    }

    @Test func `many notifications about one purchase at once are all kept`() async throws {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1), by: "u-ann")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 2...25 {
                    group.addTask { try await stage.notify("DID_RENEW", stage.month(number), signed: 0) }
                }
                try await group.waitForAll()
            }
            #expect((try await stage.record().json["periods"] as? [Any])?.count == 25)
        }
    }

    @Test func `an app is told of its own purchases alone, and deals its own codes alone`() async throws {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1), by: "u-ann")
            try await stage.app.apply("apps: {nameless: {hosts: [https://nameless.example.com]}}")
            for (host, count) in [("join.example.com", 1), ("nameless.example.com", 0)] {
                let seen = try await stage.app.get(
                    "/v1/me/purchases", as: "u-ann", headers: [.testHost: host])
                #expect((seen.json["purchases"] as? [Any])?.count == count, "\(host): \(seen.text)")
            }
            try await stage.app.db.write.run("UPDATE purchases SET bundle_id = 'com.example.other'")
            let mine = try await stage.app.get("/v1/me/purchases", as: "u-ann")
            #expect((mine.json["purchases"] as? [Any])?.isEmpty == true, "\(mine.text)")
            let seen = try await stage.app.get("/v1/admin/users/u-ann/purchases", headers: stage.admin)
            #expect(seen["purchases.0.bundleId"] == "com.example.other")
            let campaign = try await stage.app.call(
                .put, "/v1/admin/offers/others", headers: stage.admin,
                body: ["appStoreId": "999999999", "offer": "Others"])
            #expect(campaign.status == 201, "\(campaign.text)")
            #expect(try await stage.app.post("/v1/me/offers/others", as: "u-ann", [:]).status == 404)
        }
    }
}
