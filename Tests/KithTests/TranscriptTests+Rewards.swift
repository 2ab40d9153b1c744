import Foundation
import HTTPTypes
import Postgres

@testable import AppTesting
@testable import Events
@testable import Growth
@testable import Kernel
@testable import Kith
@testable import Web

extension Transcript {
    func tellOfRewards(_ key: HTTPFields) async throws {
        var programs = AppliedRewards()
        programs.entries["autumn"] = [
            "qualify": "signed_up", "inviter.credit.amount": "100", "inviter.credit.unit": "coins",
            "invitee.offer": "spring", "hold": "0",
        ]
        _ = try await AppliedStore(db: app.db).write(programs, over: 0)
        let run = RewardRun(RewardStore(db: app.db), now: app.app.world.now)
        try await app.numberEvents()
        let before = try await app.eventStore.last()
        _ = try await app.signUp("ren", invite: TestApp.link("anna", "u-ann"))
        try await app.numberEvents()
        _ = try await run.pass(from: before)
        let signals: Body = ["uid": "u-ren", "email": "ren@example.com", "address": "203.0.113.7"]
        try await add(.post, "/v1/rewards/signals", headers: key, body: signals)
        try await add(
            .post, "/v1/rewards/actions", headers: key,
            body: ["uid": "u-ren", "action": "played", "id": "match-1"])
        try await add(.get, "/v1/me/rewards", as: "u-ann")
        let hat: Body = ["uid": "u-ann", "unit": "coins", "amount": 30, "id": "hat-1"]
        try await add(.post, "/v1/rewards/spend", headers: key, body: hat)
        try await add(
            .post, "/v1/rewards/spend", headers: key,
            body: ["uid": "u-ann", "unit": "coins", "amount": 300, "id": "hat-2"])
        try await add(.get, "/v1/admin/rewards/programs", headers: key)
        let found = try await add(.get, "/v1/admin/rewards", query: "?uid=u-ren", headers: key)
        let id = found["rewards.0.id"] ?? ""
        try await add(.get, "/v1/admin/rewards/{reward}", id, headers: key)
        try await add(
            .post, "/v1/admin/rewards/{reward}/decision", id, headers: key,
            body: ["decision": "claw_back", "reason": "made-up friends"])
        try await add(
            .post, "/v1/admin/rewards/{reward}/decision", id, headers: key,
            body: ["decision": "reject", "reason": "made-up friends"])
        try await add(.get, "/v1/admin/rewards/programs/{program}/report", "autumn", headers: key)
    }
}
