import Foundation
import TestSupport
import Testing

@testable import Growth
@testable import Kernel
@testable import Kith
@testable import Rollout

/// The section `rewards` of the file of `kith apply`.
@Suite struct RewardFileTests {
    private func read(_ text: String) throws -> AppsFile {
        try AppsFile(yaml: text, folder: URL(filePath: "/"), config: Config())
    }

    private static let full = """
        rewards:
          autumn:
            from: 2026-11-01T00:00:00Z
            until: 2027-02-01T00:00:00Z
            qualify:
              actions: { name: finished_tutorial, times: 3 }
            within: 14
            inviter:
              credit: { amount: 100, unit: coins }
              budget: 100000
            invitee:
              offer: spring
            caps: { perInviter: 10, perDay: 500 }
            hold: 14
            fraud:
              address: { threshold: 5 }
              haste: { verdict: allow }
        """

    @Test func `a program is read with all that it says, and the rest by default`() throws {
        let program = try #require(read(Self.full).sections[AppliedRewards.self]?.read().rules["autumn"])
        #expect(program.qualification == .actions("finished_tutorial", times: 3))
        #expect((program.within, program.holdDays, program.perInviter, program.perDay) == (14, 14, 10, 500))
        #expect(program.gifts[.inviter] == .init(kind: .credit, unit: "coins", amount: 100, budget: 100_000))
        #expect(program.gifts[.invitee] == .init(kind: .offer, unit: "spring"))
        #expect(program.rules.settings[.address] == .init(verdict: .flag, threshold: 5))
        #expect(program.rules.settings[.haste]?.verdict == .allow)
        #expect(program.rules.settings[.ring] == FraudRule.ring.usual)
        let (from, until) = try (#require(program.from), #require(program.until))
        #expect(program.holds(at: from) && !program.holds(at: until) && !program.holds(at: from - 1))
    }

    @Test func `what kith config show prints says the same`() throws {
        let rewards = try #require(read(Self.full).sections[AppliedRewards.self])
        let again = try read(AppsFile.yaml(of: AppliedSections([rewards]))).sections[AppliedRewards.self]
        #expect(again?.entries == rewards.entries)
    }

    @Test(arguments: [
        ("qualify: signed_up", RewardProgram.Qualification.signedUp),
        ("qualify: purchase", .purchase([], .production)),
        ("qualify: { days: 5 }", .days(5)),
        (
            "qualify: { purchase: { products: [a, b], environment: sandbox } }",
            .purchase(["a", "b"], .sandbox)
        ),
    ]) func `there are four ways to qualify`(line: String, qualification: RewardProgram.Qualification) throws
    {
        let file = try read("rewards: { a: { \(line), inviter: event } }")
        #expect(file.sections[AppliedRewards.self]?.read().rules["a"]?.qualification == qualification)
    }

    @Test(arguments: [
        ("qualify: signed_up", "gives nothing"), ("inviter: event", "rewards.a.qualify"),
        ("qualify: often, inviter: event", "signed_up or purchase"),
        ("qualify: { days: 1, actions: { name: x } }, inviter: event", "rewards.a.qualify"),
        ("qualify: { days: 1, actions: { times: 3 } }, inviter: event", "rewards.a.qualify"),
        ("qualify: { days: 1, purchase: {} }, inviter: event", "rewards.a.qualify.purchase is empty"),
        ("qualify: { actions: { times: 3 } }, inviter: event", "rewards.a.qualify.actions.name"),
        ("qualify: signed_up, inviter: { offer: spring, credit: { unit: c } }", "rewards.a.inviter"),
        ("qualify: signed_up, inviter: { credit: { unit: coins } }", "inviter.credit.amount"),
        ("qualify: signed_up, inviter: { budget: 5 }", "rewards.a.inviter"),
        (
            "qualify: signed_up, inviter: { credit: { amount: 100, unit: coins }, budget: 50 }",
            "inviter.budget: is less than one reward"
        ),
        ("qualify: signed_up, inviter: money", "rewards.a.inviter"),
        ("qualify: signed_up, inviter: { credit: { amount: 1 } }", "inviter.credit.unit"),
        ("qualify: signed_up, inviter: { credit: { amount: 0, unit: coins } }", "inviter.credit.amount"),
        (
            "qualify: signed_up, inviter: { offer: spring, credit: { amount: 1, unit: c } }",
            "rewards.a.inviter"
        ),
        ("qualify: signed_up, inviter: { offer: No.Key }", "key of a campaign"),
        ("qualify: signed_up, inviter: event, hold: 91", "from 0 to 90"),
        ("qualify: signed_up, inviter: event, holt: 9", "did you mean hold"),
        ("qualify: signed_up, inviter: event, fraud: { address: { verdict: block } }", "offices"),
        ("qualify: signed_up, inviter: event, fraud: { ring: { threshold: 1 } }", "not for this rule"),
        ("qualify: signed_up, inviter: event, fraud: { haste: { verdict: shoot } }", "allow, flag or block"),
        (
            "qualify: signed_up, inviter: event, from: 2027-01-01T00:00:00Z, until: 2026-01-01T00:00:00Z",
            "after from"
        ),
    ]) func `what is wrong is named, with its line`(fields: String, words: String) throws {
        do {
            _ = try read("rewards: { a: { \(fields) } }")
            Issue.record("it was taken")
        } catch let error as ConfigError {
            #expect(error.mistakes.joined().contains(words), "\(error.mistakes)")
            #expect(error.mistakes.allSatisfy { $0.hasPrefix("line 1: rewards.a") }, "\(error.mistakes)")
        }
    }
}
