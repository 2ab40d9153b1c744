import Foundation

@testable import AppTesting
@testable import Growth
@testable import Kernel
@testable import Web

/// Ten thousand referrals, honest and scripted, from what backends tell of accounts.
struct SyntheticReferrals {
    struct Account {
        var mail: String?
        var phone: String?
        var device: String?
        var address: String?
        var token: String?
        var hasUsedDevice = false
        /// When it was created elsewhere.
        var createdAt: Double?
    }

    struct One {
        var inviter: Int
        var invitee: Int
        /// In seconds.
        var at: Double
        var clickedAt: Double?
        var pattern: Pattern?
        var isOfOffice = false
    }

    /// What people do who want rewards for nobody.
    enum Pattern: CaseIterable {
        case sameMail, taggedMail, dottedMail, otherGmail, samePhone, sameDevice, sameToken, usedDevice,
            oldAccount
        case knownMail, knownPhone, mutual, circle, burst, steadyStream, deviceFarm, twoOnADevice, bot,
            disposableMail
        case addressFarm
    }

    private(set) var accounts: [Account] = []
    private(set) var referrals: [One] = []
    private var random = SeededGenerator(1515)
    private static let day = 86_400.0

    init() {
        for office in 0..<40 { addOffice(office) }
        for pattern in Pattern.allCases { while count(pattern) < 75 { add(pattern) } }
        while referrals.count < 10_000 { addHonest() }
        dropSome()
    }

    private func count(_ pattern: Pattern) -> Int { referrals.count { $0.pattern == pattern } }

    private mutating func person() -> Int {
        let number = accounts.count
        accounts.append(
            Account(
                mail: "p\(number)@example.com", phone: "+8190\(10_000_000 + number)", device: "d\(number)",
                address: "2001:db8:\(String(number / 2, radix: 16))::\(number % 2 + 1)", token: "t\(number)"))
        return number
    }

    private mutating func time() -> Double { .random(in: 0..<(90 * Self.day), using: &random) }

    private mutating func add(
        _ inviter: Int, _ invitee: Int, at: Double, wait: Double? = nil, _ pattern: Pattern? = nil,
        isOfOffice: Bool = false
    ) {
        let wait = wait ?? .random(in: 20..<4000, using: &random)
        referrals.append(
            One(
                inviter: inviter, invitee: invitee, at: at, clickedAt: at - wait, pattern: pattern,
                isOfOffice: isOfOffice))
    }

    /// Fifty colleagues behind one address, who invite each other over some days, up to four each an hour.
    private mutating func addOffice(_ office: Int) {
        var people = [person()]
        var at = time()
        for _ in 0..<50 {
            let invitee = person()
            accounts[invitee].address = "198.51.100.\(office)"
            at += .random(in: 600..<3000, using: &random)
            add(people.randomElement(using: &random) ?? 0, invitee, at: at, isOfOffice: true)
            people.append(invitee)
        }
    }

    private mutating func addHonest() {
        let inviter = person()
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let (friend, at) = (person(), time())
            add(inviter, friend, at: at)
        }
    }

    private mutating func add(_ pattern: Pattern) {
        let (inviter, at) = (person(), time())
        switch pattern {
        case .burst: for number in 0..<15 { add(inviter, person(), at: at + Double(number) * 90, pattern) }
        case .steadyStream:
            for number in 0..<25 { add(inviter, person(), at: at + Double(number) * 3000, pattern) }
        case .deviceFarm, .addressFarm:
            for number in 0..<15 {
                let invitee = person()
                if pattern == .deviceFarm {
                    accounts[invitee].device = "farm \(inviter)"
                } else {
                    accounts[invitee].address =
                        "2001:db8:ffff:\(String(inviter % 65_536, radix: 16))::\(number + 1)"
                }
                add(inviter, invitee, at: at + Double(number) * 4000, pattern)
            }
        case .twoOnADevice:
            let pair = [person(), person()]
            for (number, one) in pair.enumerated() {
                accounts[one].device = "pair \(inviter)"
                add(inviter, one, at: at + Double(number) * 9000, pattern)
            }
        case .mutual, .circle:
            let people = [inviter, person()] + (pattern == .circle ? [person()] : [])
            for (number, one) in people.enumerated() {
                // Until the circle closes nothing tells it from honest invites.
                add(
                    one, people[(number + 1) % people.count], at: at + Double(number) * 9000,
                    number == people.count - 1 ? pattern : nil)
            }
        default: addAlone(pattern, inviter, at)
        }
    }

    private mutating func addAlone(_ pattern: Pattern, _ inviter: Int, _ at: Double) {
        let (invitee, stranger) = (person(), person())
        let name = "x\(inviter)"
        switch pattern {
        case .sameMail: accounts[invitee].mail = accounts[inviter].mail?.uppercased()
        case .taggedMail: accounts[invitee].mail = "p\(inviter)+\(invitee)@example.com"
        case .dottedMail:
            (accounts[inviter].mail, accounts[invitee].mail) = (
                "\(name)yz@gmail.com", "\(name).y.z@gmail.com"
            )
        case .otherGmail:
            (accounts[inviter].mail, accounts[invitee].mail) = ("\(name)@gmail.com", "\(name)@googlemail.com")
        case .samePhone:
            accounts[invitee].phone = accounts[inviter].phone.map { "\($0.prefix(3)) \($0.dropFirst(3))" }
        case .sameDevice: accounts[invitee].device = accounts[inviter].device
        case .sameToken: accounts[invitee].token = accounts[inviter].token
        case .usedDevice: accounts[invitee].hasUsedDevice = true
        case .oldAccount: accounts[invitee].createdAt = at - 30 * Self.day
        case .knownMail: accounts[invitee].mail = accounts[stranger].mail
        case .knownPhone: accounts[invitee].phone = accounts[stranger].phone
        case .disposableMail: accounts[invitee].mail = "\(name)@trash.example"
        default: break
        }
        add(
            inviter, invitee, at: at, wait: pattern == .bot ? .random(in: 0..<2.9, using: &random) : nil,
            pattern)
    }

    /// Of one in fifty accounts the backend tells nothing.
    private mutating func dropSome() {
        for number in accounts.indices where Int.random(in: 0..<50, using: &random) == 0 {
            accounts[number] = Account()
        }
    }
}

/// What `RewardSignalStore` finds in the database, found here in memory.
extension SyntheticReferrals {
    func facts() -> [ReferralFacts] {
        let disposable = DisposableDomains(lines: "trash.example")
        func index(_ value: (Account) -> String?) -> [String: Set<Int>] {
            accounts.indices.reduce(into: [:]) { all, one in
                if let text = value(accounts[one]) { all[text, default: []].insert(one) }
            }
        }
        let marks: [(RewardSignal.Kind, (Account) -> String?)] = [
            (.email, { $0.mail.flatMap(MailAddress.init)?.canonical }),
            (.phone, { $0.phone.flatMap(PhoneNumber.init)?.canonical }),
            (.device, { $0.device }), (.appAccount, { $0.token }),
        ]
        let indexes = marks.map { ($0.0, $0.1, index($0.1)) }
        func subject(_ one: Int) -> RateLimitKey.Subject? {
            accounts[one].address.flatMap { ClientAddress($0)?.subject }
        }
        let ofAddress = Dictionary(grouping: referrals.filter { subject($0.invitee) != nil }) {
            subject($0.invitee)
        }
        let ofInviter = Dictionary(grouping: referrals, by: \.inviter)
        let origins = Dictionary(referrals.map { ($0.invitee, $0) }) { first, _ in first }
        return referrals.map { one in
            var facts = ReferralFacts()
            for (kind, value, all) in indexes {
                guard let mark = value(accounts[one.invitee]) else { continue }
                if value(accounts[one.inviter]) == mark { facts.sharedWithInviter.insert(kind) }
                let others = all[mark, default: []].subtracting([one.invitee, one.inviter]).count
                if kind == .device { facts.othersOfDevice = others }
                if [.email, .phone].contains(kind), others > 0 { facts.sharedWithOthers.insert(kind) }
            }
            let account = accounts[one.invitee]
            facts.hasUsedDevice = account.hasUsedDevice
            facts.accountHours = account.createdAt.map { Int((one.at - $0) / 3600) }
            facts.hasDisposableMail =
                account.mail.flatMap(MailAddress.init).map { disposable.contains($0.domain) } ?? false
            facts.secondsFromClick = one.clickedAt.map { Int(one.at - $0) }
            facts.inHour = Self.most(ofInviter[one.inviter] ?? [], around: one.at, 3600)
            facts.inDay = Self.most(ofInviter[one.inviter] ?? [], around: one.at, Self.day)
            if let place = subject(one.invitee) {
                facts.ofAddress = Self.most(ofAddress[place] ?? [], around: one.at, Self.day)
            }
            facts.stepsBack = Self.stepsBack(one, origins)
            return facts
        }
    }

    private static func most(_ all: [One], around time: Double, _ window: Double) -> Int {
        ReferralFacts.most(
            of: all.map { Date(timeIntervalSince1970: $0.at) }, around: Date(timeIntervalSince1970: time),
            within: window)
    }

    private static func stepsBack(_ one: One, _ origins: [Int: One]) -> Int? {
        guard let above = origins[one.inviter], above.at < one.at else { return nil }
        if above.inviter == one.invitee { return 1 }
        guard let next = origins[above.inviter], next.at < one.at else { return nil }
        return next.inviter == one.invitee ? 2 : nil
    }
}
