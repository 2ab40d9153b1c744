import Foundation
import TestSupport
import Testing

@testable import Growth

/// How much fraud the usual rules see, and whom they hurt.
@Suite struct FraudRecallTests {
    private static let world = SyntheticReferrals()
    private static let facts = world.facts()

    /// The share of scripted referrals that are flagged or blocked.
    private func recall(_ rules: FraudRules, of pattern: SyntheticReferrals.Pattern? = nil) -> Double {
        let scripted = zip(Self.world.referrals, Self.facts).filter {
            $0.0.pattern != nil && (pattern == nil || $0.0.pattern == pattern)
        }
        let seen = scripted.count { rules.verdict(on: $0.1).verdict > .allow }
        return Double(seen) / Double(scripted.count)
    }

    @Test func `of 10,000 referrals with 20 patterns of fraud, 95 of 100 frauds are flagged or blocked`() {
        #expect(Self.world.referrals.count >= 10_000 && SyntheticReferrals.Pattern.allCases.count == 20)
        let all = recall(FraudRules())
        print("recall \(all)")
        #expect(all >= 0.95)
        // Each run has another world. Some patterns have few cases, of which chance hides more.
        for pattern in SyntheticReferrals.Pattern.allCases {
            #expect(recall(FraudRules(), of: pattern) >= 0.75, "\(pattern)")
        }
    }

    @Test func `nobody of an office behind one address is blocked, and no other honest referral`() {
        let honest = zip(Self.world.referrals, Self.facts).filter { $0.0.pattern == nil }
        #expect(honest.count { $0.0.isOfOffice } == 2000)
        let blocked = honest.filter { FraudRules().verdict(on: $0.1).verdict == .block }
        #expect(blocked.isEmpty, "\(blocked.prefix(3))")
        let flagged = honest.filter { !$0.0.isOfOffice && FraudRules().verdict(on: $0.1).verdict == .flag }
        #expect(flagged.count * 100 < honest.count, "\(flagged.prefix(3))")
    }

    @Test func `without any one of the rules a pattern escapes, so the figures can fail`() {
        for rule in FraudRule.allCases where rule != .deviceFarm {
            let without = FraudRules([rule: .init(verdict: .allow, threshold: rule.usual.threshold)])
            let least = SyntheticReferrals.Pattern.allCases.map { recall(without, of: $0) }.min() ?? 1
            #expect(least < 0.85, "\(rule)")
        }
    }
}
