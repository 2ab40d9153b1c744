import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Growth

/// What an attack found: rewards that nobody had earned, or that somebody lost.
@Suite(.inTurns) struct RewardAttackTests {
    private static let monthly = RewardStage.monthly

    @Test(arguments: [
        (-40.0, [:]), (-10.0, ["inAppOwnershipType": "FAMILY_SHARED"]), (-5.0, ["productId": "other"]),
    ])
    func `an old purchase, a family's share and another product earn nothing`(
        began: Double, changes: [String: String]
    ) async throws {
        try await RewardStage.run(Self.monthly) { stage in
            try await stage.join("bob", by: "ann", daysAgo: 20)
            let month = stage.shop.month(1, began: began, changes)
            #expect(try await stage.shop.show(month, by: "u-bob").status == 201)
            try await stage.work()
            #expect(try await stage.rewards(of: "u-ann") == [])
        }
    }

    @Test func `a purchase earns once, whoever shows it after an account was deleted`() async throws {
        try await RewardStage.run(Self.monthly) { stage in
            try await stage.join("bob", by: "ann", daysAgo: 20)
            #expect(try await stage.shop.show(stage.shop.month(1), by: "u-bob").status == 201)
            try await stage.work()
            #expect(try await stage.app.call(.delete, "/v1/me", as: "u-bob").status == 204)
            try await stage.join("cat", by: "ann")
            #expect(try await stage.shop.show(stage.shop.month(1), by: "u-cat").status == 201)
            try await stage.work()
            #expect(try await stage.balance(of: "u-ann") == 100)
        }
    }

    @Test func `a purchase earns once, though all its owners joined before it began`() async throws {
        try await RewardStage.run(Self.monthly) { stage in
            for name in ["bob", "cat"] { try await stage.join(name, by: "ann", daysAgo: 20) }
            for name in ["bob", "cat"] {
                #expect(try await stage.shop.show(stage.shop.month(1), by: "u-\(name)").status == 201)
                try await stage.work()
                #expect(try await stage.app.call(.delete, "/v1/me", as: "u-\(name)").status == 204)
            }
            #expect(try await stage.balance(of: "u-ann") == 100)
        }
    }

    @Test func `a refund takes back what was earned by somebody who left, and its reversal gives it again`()
        async throws
    {
        try await RewardStage.run(Self.monthly) { stage in
            try await stage.join("bob", by: "ann", daysAgo: 20)
            #expect(try await stage.shop.show(stage.shop.month(1), by: "u-bob").status == 201)
            try await stage.work()
            #expect(try await stage.app.call(.delete, "/v1/me", as: "u-bob").status == 204)
            try await stage.refund()
            try await stage.run.clean()
            #expect(try await stage.balance(of: "u-ann") == 0)
            try await stage.reverseRefund()
            try await stage.run.clean()
            #expect(try await stage.balance(of: "u-ann") == 100)
            try await stage.app.verify()
        }
    }

    @Test(arguments: ["u-ann", "u-bob"])
    func `a reversal while somebody is suspended gives back all the same`(uid: String) async throws {
        try await RewardStage.run(Self.monthly) { stage in
            try await stage.join("bob", by: "ann", daysAgo: 20)
            #expect(try await stage.shop.show(stage.shop.month(1), by: "u-bob").status == 201)
            try await stage.work()
            try await stage.refund()
            try await stage.app.setStatus("suspended", of: uid)
            try await stage.reverseRefund()
            try await stage.app.setStatus("active", of: uid)
            #expect(try await stage.balance(of: "u-ann") == 100)
        }
    }

    @Test(arguments: [["phone-1", "phone-2"], ["phone-2", "phone-1"]])
    func `another device washes none off`(told: [String]) async throws {
        try await RewardStage.run(RewardStage.coins, ["hold": "14"]) { stage in
            try await stage.join("bob", by: "ann")
            try await stage.work()
            try await stage.signal("u-ann", "device", "phone-1")
            for device in told { try await stage.signal("u-bob", "device", device) }
            try await stage.wait()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 rejected"])
        }
    }

    @Test func `the refund of a later month takes nothing, and its reversal gives nothing`() async throws {
        try await RewardStage.run(Self.monthly) { stage in
            try await stage.join("bob", by: "ann", daysAgo: 20)
            #expect(try await stage.shop.show(stage.shop.month(1), by: "u-bob").status == 201)
            let revoked = ["revocationDate": PurchaseStage.milliseconds(PurchaseStage.day(-2))]
            try await stage.shop.notify("REFUND", stage.shop.month(2, signed: -2, revoked), signed: -2)
            try await stage.work()
            #expect(try await stage.balance(of: "u-ann") == 100)
            try await stage.refund()
            #expect(try await stage.balance(of: "u-ann") == 0)
            try await stage.shop.notify("REFUND_REVERSED", stage.shop.month(2, signed: -1), signed: -1)
            try await stage.work()
            #expect(try await stage.balance(of: "u-ann") == 0)
        }
    }

    @Test func `a refund and its reversal wash no flag off`() async throws {
        try await RewardStage.run(Self.monthly) { stage in
            try await stage.join("bob", by: "ann", daysAgo: 20)
            for uid in ["u-bob", "u-ann"] {
                try await stage.signal(uid, "device", uid == "u-bob" ? "phone-1" : "phone-2")
            }
            try await stage.app.signUp("eve")
            try await stage.signal("u-eve", "device", "phone-1")
            #expect(try await stage.shop.show(stage.shop.month(1), by: "u-bob").status == 201)
            try await stage.work()
            #expect(try await stage.record(of: "u-bob")["state"] == "flagged")
            try await stage.refund()
            #expect(try await stage.record(of: "u-bob")["state"] == "voided")
            try await stage.reverseRefund()
            #expect(try await stage.record(of: "u-bob")["state"] == "flagged")
        }
    }

    @Test(arguments: [("u-ann", "invite-freeze"), ("u-bob", "suspension")])
    func `nobody is paid while they are frozen, or their invitee is suspended`(uid: String, act: String)
        async throws
    {
        try await RewardStage.run(RewardStage.coins, ["hold": "14"]) { stage in
            try await stage.join("bob", by: "ann")
            try await stage.work()
            let path = "/v1/admin/users/\(uid)/\(act)"
            #expect(
                try await stage.app.call(.put, path, headers: stage.shop.admin, body: ["reason": "spam"])
                    .status == 200)
            try await stage.wait()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 pending"])
            #expect(try await stage.app.call(.delete, path, headers: stage.shop.admin).status == 200)
            try await stage.wait()
            #expect(try await stage.rewards(of: "u-ann") == ["inviter credit coins 100 approved"])
        }
    }

    @Test func `a reversal after the inviter left opens nothing`() async throws {
        try await RewardStage.run(Self.monthly, ["hold": "14"]) { stage in
            try await stage.join("bob", by: "ann", daysAgo: 20)
            #expect(try await stage.shop.show(stage.shop.month(1), by: "u-bob").status == 201)
            try await stage.work()
            try await stage.refund()
            #expect(try await stage.app.call(.delete, "/v1/me", as: "u-ann").status == 204)
            try await stage.reverseRefund()
            try await stage.app.verify()
        }
    }

    @Test func `a signal can be taken back, and nobody is told that a rule knew them`() async throws {
        try await RewardStage.run(RewardStage.coins, ["hold": "14"]) { stage in
            for name in ["bob", "cat"] { try await stage.join(name, by: "ann") }
            try await stage.work()
            for (uid, used) in [("u-bob", true), ("u-bob", false), ("u-cat", true)] {
                let told = try await stage.tell("signals", ["uid": uid, "deviceCheckUsed": used])
                #expect(told.status == 204, "\(told.text)")
            }
            try await stage.wait()
            #expect(try await stage.balance(of: "u-bob") == 50)
            #expect(try await stage.record(of: "u-cat")["cause"] == "rule")
            let ended = try await stage.app.events().filter {
                $0.type == "reward.ended" && $0.uid("user") == "u-cat"
            }
            #expect(ended.count == 1 && ended.allSatisfy { $0.data["cause"] == nil })
        }
    }
}
