import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

/// `POST /hooks/appstore`: what is kept, what is harmless, and what Apple is to send again.
@Suite(.inTurns) struct AppStoreHookTests {
    @Test func `a notification that comes again, even 20 times at once, changes nothing`() async throws {
        try await PurchaseStage.run { stage in
            _ = try await stage.show(stage.month(1, began: -40), by: "u-ann")
            let payload = try stage.payload("DID_RENEW", stage.month(2, began: -40), renews: true)
            let statuses = try await withThrowingTaskGroup { group in
                for _ in 0..<20 { group.addTask { try await stage.post(payload).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 20))
            #expect(try await stage.app.count("appstore_notifications") == 1)
            #expect(try await stage.app.count("purchase_periods") == 2)
            #expect(try await stage.told() == ["purchase.started", "purchase.renewed"])
            try await stage.app.verify()
        }
    }

    @Test func `the order of arrival changes nothing but what is told`() async throws {
        try await PurchaseStage.run { stage in
            let story: [(String, [String: Any], Bool?, Double)] = [
                ("SUBSCRIBED", stage.month(1, began: -35, signed: -35), true, -35),
                ("DID_CHANGE_RENEWAL_STATUS", stage.month(1, began: -35, signed: -30), false, -30),
                ("DID_CHANGE_RENEWAL_STATUS", stage.month(1, began: -35, signed: -20), true, -20),
                ("DID_RENEW", stage.month(2, began: -35, signed: -5), true, -5),
                (
                    "REFUND",
                    stage.month(
                        2, began: -35, signed: -3,
                        ["revocationDate": PurchaseStage.milliseconds(PurchaseStage.day(-4))]), nil, -3
                ),
                ("REFUND_REVERSED", stage.month(2, began: -35, signed: -2), nil, -2),
            ]
            var seen: Set<String> = []
            for round in 0..<12 {
                let id = String(7000 + round)
                for (type, transaction, renews, signed) in round == 0 ? story : story.shuffled() {
                    var own = transaction
                    let month = transaction["transactionId"] as? String == "1000" ? id : "\(id)02"
                    (own["originalTransactionId"], own["transactionId"]) = (id, month)
                    try await stage.notify(type, own, renews: renews, signed: signed)
                }
                let record = try await stage.record(id)
                let purchase = record.json["purchase"] as? [String: Any] ?? [:]
                let periods = record.json["periods"] as? [[String: Any]] ?? []
                seen.insert(
                    "\(purchase["active"] ?? "") \(purchase["autoRenews"] ?? "") "
                        + periods.map {
                            "\($0["reversedAt"] == nil) \(($0["signedAt"] as? String ?? "").prefix(10))"
                        }.joined(separator: " "))
            }
            #expect(seen.count == 1, "\(seen)")
            #expect(seen.first?.hasPrefix("1 1 ") == true)
        }
    }

    @Test func `types that nobody knows, and notifications about no purchase, are kept`() async throws {
        try await PurchaseStage.run { stage in
            try await stage.notify("TEST")
            try await stage.notify("TOMORROW", stage.month(1), renews: true)
            #expect(try await stage.post(stage.signer.vector("a notification with summary")).status == 200)
            #expect(
                try await stage.post(stage.signer.vector("an external purchase token SANDBOX_")).status == 200
            )
            // The two vectors have the same id.
            #expect(try await stage.app.count("appstore_notifications") == 3)
            #expect(try await stage.record()["purchase.active"] == "1")
            let types = (try await stage.record().json["notifications"] as? [[String: Any]])?.map {
                $0["type"] as? String
            }
            #expect(types == ["TOMORROW"])
            // Apple may add members to the body.
            let more = try await stage.app.post(
                "/hooks/appstore", as: nil,
                ["signedPayload": try stage.payload("TEST"), "new": ["x": 1] as Body])
            #expect(more.status == 200)
        }
    }

    @Test func `what Apple did not sign for this app is refused, and nothing is kept`() async throws {
        try await PurchaseStage.run { stage in
            for vector in stage.signer.vectors where !vector.verdicts.values.contains("OK") {
                let answer =
                    vector.kind == "notification"
                    ? try await stage.post(vector.jws)
                    : try await stage.app.post(
                        "/v1/me/transactions", as: "u-ann", ["signedTransaction": vector.jws])
                let isOther = vector.verdicts["Production"] == "INVALID_APP_IDENTIFIER"
                #expect(answer.status == (isOther ? 422 : 400), "\(vector.name): \(answer.text)")
                #expect(answer.code == (isOther ? "purchase_of_other_app" : "purchase_unsigned"))
            }
            // A forged transaction in a signed notification; one of the other environment; another purchase's
            // renewal.
            let forged = try stage.signer.vector("another root")
            for inside in [forged, try stage.signer.vector("a transaction of the sandbox")] {
                let payload = try stage.signer.sign([
                    "notificationType": "DID_RENEW", "notificationUUID": "x",
                    "signedDate": PurchaseStage.milliseconds(Date()),
                    "data": [
                        "bundleId": stage.signer.bundleID, "appAppleId": stage.signer.appAppleID,
                        "environment": "Production", "signedTransactionInfo": inside,
                    ],
                ])
                #expect(try await stage.post(payload).code == "purchase_unsigned")
            }
            for body: Body in ["{}", #"{"signedPayload":1}"#, "[]"] {
                #expect(try await stage.app.post("/hooks/appstore", as: nil, body).status == 400)
            }
            for table in ["purchases", "purchase_periods", "appstore_notifications", "outbox"] {
                let all = table == "outbox" ? "outbox WHERE type LIKE 'purchase.%'" : table
                #expect(try await stage.app.count(all) == 0)
            }
        }
    }

    @Test func `ids and texts that cannot be kept are refused`() async throws {
        try await PurchaseStage.run { stage in
            let long = String(repeating: "9", count: 65)
            for changes: [String: Any] in [
                ["originalTransactionId": "sim-1"], ["transactionId": ""], ["originalTransactionId": long],
                ["productId": String(repeating: "x", count: 501)], ["transactionId": "a b"],
                ["expiresDate": 1e18], ["purchaseDate": -1e15],
            ] {
                let month = stage.month(1, changes)
                let (shown, posted) = try await (
                    stage.show(month, by: "u-ann"), stage.post(stage.payload("DID_RENEW", month))
                )
                #expect(shown.code == "purchase_unsigned" && posted.status == 400, "\(changes)")
            }
        }
    }

    @Test func `a server that is not set up asks Apple to come again`() async throws {
        try await PurchaseStage.run(configure: { $0.appStoreRoots = nil }) { stage in
            let answer = try await stage.post(stage.payload("DID_RENEW", stage.month(1)))
            #expect((answer.status, answer.code) == (409, "appstore_not_set_up"))
            #expect(answer["detail"]?.contains("ios.storeId") == true)
            let empty = try await stage.app.post("/hooks/appstore", as: nil, [:])
            #expect(empty.code == "appstore_not_set_up", "it does not read the body")
            #expect(try await stage.show(stage.month(1), by: "u-ann").code == "appstore_not_set_up")
        }
        try await PurchaseStage.run(configure: { $0.app.appStoreID = nil }) { stage in
            let refused = try await stage.show(stage.month(1), by: "u-ann")
            #expect(refused.code == "appstore_not_set_up")
            let sandbox = stage.month(1, ["environment": "Sandbox"])
            #expect(try await stage.show(sandbox, by: "u-ann").status == 201)
        }
    }

    @Test func `without its database Kith answers 503, so that Apple comes again`() async throws {
        try await PurchaseStage.run { stage in
            let payload = try stage.payload("DID_RENEW", stage.month(1))
            await stage.app.db.close()
            #expect(try await stage.post(payload).status == 503)
        }
    }
}
