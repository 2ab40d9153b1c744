import Foundation
import Postgres
import Testing

@testable import AppTesting
@testable import Growth
@testable import Kernel
@testable import Kith
@testable import Web

extension EventCatalogueTests {
    /// All that may become of rewards: Ann invited Eve, Fred and Gus.
    func reward(_ app: TestApp) async throws {
        let applied = AppliedStore(db: app.db)
        var programs = AppliedRewards()
        programs.entries["autumn"] = [
            "qualify": "signed_up", "inviter.credit.amount": "100", "inviter.credit.unit": "coins",
            "hold": "0",
        ]
        #expect(try await applied.write(programs, over: 0))
        let run = RewardRun(RewardStore(db: app.db), now: app.app.world.now)
        // One after another, so that the same event is always the first of its type.
        try await app.numberEvents()
        var position = try await run.pass(from: 0)
        programs.entries["codes"] = ["qualify": "signed_up", "invitee.offer": "spring"]
        #expect(try await applied.write(programs, over: 1))
        for name in ["fred", "gus"] {
            try await app.signUp(name, invite: TestApp.link("ann", "u-ann"))
            try await app.numberEvents()
            position = try await run.pass(from: position)
        }
        let (store, eve, fred) = (RewardStore(db: app.db), Self.id("u-eve"), Self.id("u-fred"))
        func find(_ program: String, _ invitee: User.ID, _ side: Reward.Side) async throws -> Reward {
            try #require(try await store.find(Reward.id(program, invitee, side)))
        }
        try await store.flag(find("codes", fred, .invitee), [])
        try await store.approve(find("codes", fred, .invitee), within: .init())
        let key = app.app.config.secretsKey ?? SecretsKey(Data(repeating: 7, count: 32).base64EncodedString())
        _ = try await OfferStore(db: app.db).deal(
            .init(stored: "spring"), to: fred, by: RewardStore.self, mark: key.map(OfferDealing.mark) ?? [])
        try await store.settle(find("codes", fred, .invitee))
        try await store.end(find("codes", Self.id("u-gus"), .invitee), .rejected, .operator)
        try await store.clawBack(find("autumn", eve, .inviter), .operator)
    }

    private static func id(_ uid: String) -> User.ID { User.ID(of: User.UID(stored: uid)) }
}
