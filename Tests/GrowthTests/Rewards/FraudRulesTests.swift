import Foundation
import TestSupport
import Testing

@testable import Growth

/// The rules by which a referral is judged.
@Suite struct FraudRulesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var rule: FraudRule?
        var verdict: FraudRule.Verdict
        var change: @Sendable (inout ReferralFacts) -> Void
        var testDescription: String { "\(rule?.rawValue ?? "honest") \(verdict)" }

        init(
            _ rule: FraudRule?, _ verdict: FraudRule.Verdict,
            _ change: @escaping @Sendable (inout ReferralFacts) -> Void
        ) {
            (self.rule, self.verdict, self.change) = (rule, verdict, change)
        }
    }

    static let rows = [
        Row(nil, .allow) { _ in },
        Row(.selfReferral, .block) { $0.isSameUser = true },
        Row(.selfReferral, .block) { $0.sharedWithInviter = [.email] },
        Row(.selfReferral, .block) { $0.sharedWithInviter = [.phone] },
        Row(.selfReferral, .block) { $0.sharedWithInviter = [.appAccount] },
        Row(.selfReferral, .block) { $0.sharedWithInviter = [.device] },
        Row(nil, .allow) { $0.sharedWithInviter = [.address] },
        Row(.deviceCheck, .block) { $0.hasUsedDevice = true },
        Row(.notNew, .block) { $0.accountHours = 24 },
        Row(nil, .allow) { $0.accountHours = 23 },
        Row(.alreadyKnown, .block) { $0.sharedWithOthers = [.email] },
        Row(.ring, .block) { $0.stepsBack = 1 },
        Row(.cycle, .flag) { $0.stepsBack = 2 },
        Row(.velocityHour, .flag) { $0.inHour = 6 },
        Row(nil, .allow) { $0.inHour = 5 },
        Row(.velocityDay, .flag) { $0.inDay = 21 },
        Row(nil, .allow) { $0.inDay = 20 },
        Row(.address, .flag) { $0.ofAddress = 4 },
        Row(.address, .flag) { $0.ofAddress = 4000 },
        Row(nil, .allow) { $0.ofAddress = 3 },
        Row(.haste, .flag) { $0.secondsFromClick = 2 },
        Row(nil, .allow) { $0.secondsFromClick = 3 },
        Row(.disposableMail, .flag) { $0.hasDisposableMail = true },
        Row(.deviceReuse, .flag) { $0.othersOfDevice = 1 },
        Row(.deviceReuse, .block) { $0.othersOfDevice = 2 },
    ]

    @Test(arguments: rows) func `each rule holds by its fact alone`(row: Row) {
        var facts = ReferralFacts()
        row.change(&facts)
        let (verdict, reasons) = FraudRules().verdict(on: facts)
        #expect(verdict == row.verdict)
        #expect(reasons.first?.rule == row.rule)
        #expect(reasons.allSatisfy { !$0.fact.isEmpty && $0.verdict > .allow })
        let off = Dictionary(
            uniqueKeysWithValues: FraudRule.allCases.map {
                ($0, FraudRule.Setting(verdict: .allow, threshold: 1))
            })
        #expect(FraudRules(off).verdict(on: facts).reasons == [])
    }

    @Test func `every rule has a row that it decides`() {
        #expect(Set(Self.rows.compactMap(\.rule)).union([.deviceFarm]) == Set(FraudRule.allCases))
    }

    @Test(arguments: [
        ([0.0], 1), ([0, 59], 2), ([0, 60], 1), ([-59, 0, 1], 2), ([-59, -30, 0, 29], 3),
        ([-30, -20, 0, 20, 29], 5),
        ([-59, -58, -57, 0, 58, 59], 4), ([], 0),
    ]) func `the fullest window counts that has the time`(times: [Double], most: Int) {
        let dates = times.map { Date(timeIntervalSince1970: $0) }
        #expect(ReferralFacts.most(of: dates, around: Date(timeIntervalSince1970: 0), within: 60) == most)
    }

    @Test(arguments: [
        ("Ann@Example.COM", "ann@example.com"), ("ann+kith@example.com", "ann@example.com"),
        ("a.n.n@gmail.com", "ann@gmail.com"), ("Ann.N+x@googlemail.com", "annn@gmail.com"),
        ("a.n@example.com", "a.n@example.com"), ("no mail", nil), ("@example.com", nil), ("ann@local", nil),
        ("+x@example.com", nil), ("", nil),
    ]) func `a mailbox has one form`(text: String, canonical: String?) {
        #expect(MailAddress(text)?.canonical == canonical)
    }

    @Test(arguments: [
        ("+81 90-1234-5678", "+819012345678"), ("+1 (555) 010.9999", "+15550109999"), ("090-1234-5678", nil),
        ("+0123456789", nil), ("+12345", nil), ("", nil),
    ]) func `a phone number has one form`(text: String, canonical: String?) {
        #expect(PhoneNumber(text)?.canonical == canonical)
    }

    @Test func `a part of a disposable domain is one, too`() {
        let domains = DisposableDomains(lines: "# ten minutes\nMailinator.com\n\n trash.example \n")
        #expect(domains.contains("mailinator.com") && domains.contains("a.b.mailinator.com"))
        #expect(
            domains.contains("trash.example") && !domains.contains("example")
                && !domains.contains("nator.com"))
        #expect(!DisposableDomains().contains("mailinator.com"))
    }
}
