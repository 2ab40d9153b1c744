import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel

/// Consumables, which a backend gives once.
@Suite(.inTurns) struct ConsumptionTests {
    private static func coins(_ stage: PurchaseStage, _ changes: [String: Any] = [:]) -> [String: Any] {
        var coins = stage.month(
            1, ["type": "Consumable", "productId": "coins100", "quantity": 5].merging(changes) { $1 })
        coins["expiresDate"] = nil
        return coins
    }

    private static func consume(
        _ stage: PurchaseStage, _ headers: HTTPFields, id: String = "order-1", uid: String = "u-ann",
        _ more: [String: String] = [:]
    ) async throws -> TestApp.Answer {
        let fields = ["uid": uid, "originalTransactionId": "1000", "id": id].merging(more) { $1 }
        return try await stage.app.call(
            .post, "/v1/purchases/consume", headers: headers, body: .init(stringLiteral: fields.json))
    }

    @Test func `a consumable has its quantity, and is consumed once by a backend's word`() async throws {
        try await PurchaseStage.run(users: ["ann", "bob"]) { stage in
            let key = try await stage.app.keyed(.server)
            let shown = try await stage.show(Self.coins(stage), by: "u-ann")
            #expect((shown["quantity"], shown["active"], shown["consumedAt"]) == ("5", "1", nil))
            let told = try await stage.app.events().last { $0.type == "purchase.started" }
            #expect(told?.data["quantity"] as? Int == 5)
            let first = try await Self.consume(stage, key)
            #expect((first.status, first["active"], first["quantity"]) == (201, "0", "5"))
            let again = try await Self.consume(stage, key)
            #expect(again.status == 200 && again["consumedAt"] == first["consumedAt"])
            let other = try await Self.consume(stage, key, id: "order-2")
            #expect((other.status, other.code) == (409, "purchase_consumed"))
            // Apple's next word changes nothing of it.
            try await stage.notify(
                "ONE_TIME_CHARGE", Self.coins(stage, ["signedDate": PurchaseStage.milliseconds(Date())]),
                signed: 0)
            #expect(try await stage.purchase(of: "u-ann")["active"] as? Bool == false)
            let export = try await stage.app.get("/v1/me/export", as: "u-ann")
            #expect(export.text.contains("consumedAt") && export.text.contains(#""quantity":5"#))
            try await stage.app.verify()
        }
    }

    @Test(arguments: [false, true]) func `of 20 who consume at once, one does`(isSameID: Bool) async throws {
        try await PurchaseStage.run { stage in
            let key = try await stage.app.keyed(.server)
            _ = try await stage.show(Self.coins(stage), by: "u-ann")
            let answers = try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask {
                        try await Self.consume(stage, key, id: isSameID ? "order" : "order-\(number)")
                    }
                }
                return try await group.reduce(into: [TestApp.Answer]()) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 201 } == 1)
            let others = answers.filter { $0.status != 201 }
            #expect(others.allSatisfy { isSameID ? $0.status == 200 : $0.code == "purchase_consumed" })
        }
    }

    @Test func `only a backend consumes, and only what is the user's, a consumable, and not refunded`()
        async throws
    {
        try await PurchaseStage.run(users: ["ann", "bob"]) { stage in
            let (key, app) = (try await stage.app.keyed(.server), try await stage.app.keyed(.client))
            #expect(try await Self.consume(stage, key).code == "purchase_not_found")
            _ = try await stage.show(stage.month(1), by: "u-ann")
            #expect(try await Self.consume(stage, key).code == "purchase_not_consumable")
            try await stage.app.db.write.run("UPDATE purchases SET type = 'Consumable'")
            #expect(try await Self.consume(stage, app).status == 403)
            #expect(try await Self.consume(stage, key, uid: "u-bob").code == "purchase_not_found")
            for (field, value) in [
                ("environment", "moon"), ("id", ""), ("id", "a b"), ("originalTransactionId", "1 0"),
                ("uid", ""),
            ] {
                let answer = try await Self.consume(stage, key, [field: value])
                #expect((answer.status, answer["field"]) == (400, field), "\(answer.text)")
            }
            #expect(try await Self.consume(stage, key, ["environment": "sandbox"]).status == 404)
            let back = ["revocationDate": PurchaseStage.milliseconds(PurchaseStage.day(-1))]
            try await stage.notify("REFUND", stage.month(1, signed: -1, back), signed: -1)
            #expect(try await Self.consume(stage, key).code == "purchase_refunded")
        }
    }

    @Test func `a simulated purchase is found by the id that Kith gave it, and not consumable`() async throws
    {
        try await PurchaseStage.run { stage in
            let key = try await stage.app.keyed(.server)
            try await stage.putCampaign("test", environment: "sandbox")
            let bought = try await stage.simulate("redeem", for: "u-ann")
            let id = try #require(bought["originalTransactionId"], "\(bought.text)")
            for (id, status, code) in [
                (id, 409, "purchase_not_consumable"), ("sim-1", 404, "purchase_not_found"),
                ("sim-", 400, "invalid_field"), ("other-1", 400, "invalid_field"),
            ] {
                let answer = try await Self.consume(
                    stage, key, ["originalTransactionId": id, "environment": "sandbox"])
                #expect((answer.status, answer.code) == (status, code), "\(id): \(answer.text)")
            }
        }
    }

    @Test func `what was consumed stays so after its user is gone, without the backend's id`() async throws {
        try await PurchaseStage.run(users: ["ann", "bob"]) { stage in
            let key = try await stage.app.keyed(.server)
            _ = try await stage.show(Self.coins(stage), by: "u-ann")
            #expect(try await Self.consume(stage, key).status == 201)
            try await stage.app.setStatus("deleted", of: "u-ann")
            #expect(try await stage.app.count("purchases WHERE consumption_id IS NOT NULL") == 0)
            let shown = try await stage.show(Self.coins(stage), by: "u-bob")
            #expect(shown.status == 201 && shown["active"] == "0" && shown["consumedAt"] != nil)
            #expect(try await Self.consume(stage, key, uid: "u-bob").code == "purchase_consumed")
        }
    }
}
