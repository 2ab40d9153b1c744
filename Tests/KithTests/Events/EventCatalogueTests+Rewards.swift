import Foundation
import Postgres
import Testing

@testable import Kith

extension EventCatalogueTests {
    /// All that may become of rewards: Ann invited Eve, and Fred.
    func reward(_ app: TestApp) async throws {
        var programs = AppliedRewards()
        programs.entries["autumn"] = [
            "qualify": "signed_up", "inviter.credit.amount": "100", "inviter.credit.unit": "coins",
            "hold": "0",
        ]
        programs.entries["codes"] = ["qualify": "signed_up", "invitee.offer": "spring"]
        #expect(try await AppliedStore(db: app.db).write(programs, over: 0))
        try await app.signUp("fred", invite: TestApp.link("ann", "u-ann"))
        try await app.numberEvents()
        let run = RewardRun(RewardStore(db: app.db), now: app.app.world.now)
        _ = try await run.pass(from: 0)
        let (store, ann, eve) = (RewardStore(db: app.db), Self.id("u-ann"), Self.id("u-eve"))
        func find(_ program: String, _ invitee: User.ID, _ side: Reward.Side) async throws -> Reward {
            try #require(try await store.find(Reward.id(program, invitee, side)))
        }
        try await store.flag(find("codes", eve, .invitee), [])
        try await store.approve(find("codes", eve, .invitee), within: .init())
        let key = app.app.config.secretsKey ?? SecretsKey(Data(repeating: 7, count: 32).base64EncodedString())
        _ = try await OfferStore(db: app.db).deal(
            .init(stored: "spring"), to: eve, mark: key.map(OfferDealing.mark) ?? [])
        try await store.settle(find("codes", eve, .invitee))
        try await store.end(find("codes", Self.id("u-fred"), .invitee), .rejected, .operator)
        try await store.clawBack(find("autumn", eve, .inviter), .operator)
        #expect(try await store.find(Reward.id("autumn", eve, .inviter))?.user == ann)
    }

    private static func id(_ uid: String) -> User.ID { User.ID(of: User.UID(stored: uid)) }
}
