import Foundation
import Kernel
import Web

/// The body that reports an action of an invitee.
struct RewardActionRequest: JSONBody, Sendable {
    var uid: String
    var action: String
    /// The backend's id of the action.
    var id: String
    /// When it happened. If it is absent, now.
    var at: String?

    enum CodingKeys: CodingKey, CaseIterable { case uid, action, id, at }

    static func isName(_ text: String) -> Bool {
        text.consists(of: .alphanumeric + "._-", count: 1...64)
            && text.prefix(1).consists(of: .alphanumeric, count: 1...1)
    }

    /// Returns the user and the time. Throws a 400 that names the field.
    func checked(at now: Date) throws(Problem) -> (user: User.UID, at: Date) {
        guard Self.isName(action) else {
            throw .invalid("action", "must be 1 to 64 of letters, digits, dots, - and _")
        }
        guard BackendID.isOne(id) else { throw .invalid("id", BackendID.form) }
        let time = try RewardTime.past(at, "at", now: now)
        return (try User.UID.checked(uid), time ?? now)
    }
}

/// The body with what is known about a user, from which fraud is recognized.
struct RewardSignalsRequest: JSONBody, Sendable {
    var uid: String
    var email: String?
    var phone: String?
    var device: String?
    var address: String?
    var appAccountToken: String?
    var deviceCheckUsed: Bool?
    var accountCreatedAt: String?
    var clickedAt: String?

    enum CodingKeys: CodingKey, CaseIterable {
        case uid, email, phone, device, address, appAccountToken, deviceCheckUsed, accountCreatedAt, clickedAt
    }

    /// The kinds of earlier signals that this body takes back.
    var withdrawn: [RewardSignal.Kind] {
        (email == nil ? [] : [.disposable]) + (deviceCheckUsed == false ? [.deviceCheck] : [])
    }

    /// Returns the signals. Throws a 400 that names the field.
    func signals(_ key: SecretsKey, _ disposable: DisposableDomains, at now: Date) throws(Problem)
        -> [RewardSignal]
    {
        var signals: [RewardSignal] = []
        func add(_ kind: RewardSignal.Kind, _ canonical: String) {
            let mark = key.mark(of: Array(canonical.utf8), for: "reward_signals \(kind.rawValue)")
            signals.append(RewardSignal(kind: kind, mark: UUID(bytes: mark)))
        }
        if let email {
            guard let mail = MailAddress(email) else { throw .invalid("email", "must be a mail address") }
            add(.email, mail.canonical)
            if disposable.contains(mail.domain) { signals.append(RewardSignal(kind: .disposable)) }
        }
        if let phone {
            guard let number = PhoneNumber(phone) else {
                throw .invalid("phone", "must be a number with its country, as in +81 90 1234 5678")
            }
            add(.phone, number.canonical)
        }
        if let device {
            guard BackendID.isOne(device) else { throw .invalid("device", BackendID.form) }
            add(.device, device)
        }
        if let address {
            guard let subject = ClientAddress(address)?.subject else {
                throw .invalid("address", "must be an IP address")
            }
            add(.address, "\(subject.high) \(subject.low)")
        }
        if let appAccountToken {
            guard let token = UUID(uuidString: appAccountToken) else {
                throw .invalid("appAccountToken", "must be a UUID")
            }
            add(.appAccount, token.uuidString)
        }
        if deviceCheckUsed == true { signals.append(RewardSignal(kind: .deviceCheck)) }
        for (text, name, kind) in [
            (accountCreatedAt, "accountCreatedAt", RewardSignal.Kind.accountCreated),
            (clickedAt, "clickedAt", .clicked),
        ] {
            if let time = try RewardTime.past(text, name, now: now) {
                signals.append(RewardSignal(kind: kind, time: time))
            }
        }
        return signals
    }
}

/// The body that spends credit.
struct SpendRequest: JSONBody, Sendable {
    var uid: String
    var unit: String
    var amount: Int
    /// The backend's id of the spend.
    var id: String

    enum CodingKeys: CodingKey, CaseIterable { case uid, unit, amount, id }

    /// Returns the user. Throws a 400 that names the field.
    func checked() throws(Problem) -> User.UID {
        guard EntryKey.isOne(unit) else {
            throw .invalid("unit", "must be \(EntryKey.form)")
        }
        guard (1...1_000_000_000).contains(amount) else {
            throw .invalid("amount", "must be from 1 to 1,000,000,000")
        }
        guard BackendID.isOne(id) else { throw .invalid("id", BackendID.form) }
        return try User.UID.checked(uid)
    }
}

/// The body with an operator's decision.
struct RewardDecisionRequest: JSONBody, Sendable {
    var decision: String
    var reason: String

    enum CodingKeys: CodingKey, CaseIterable { case decision, reason }

    /// Returns the decision and the reason. Throws a 400 that names the field.
    func checked() throws(Problem) -> (OperatorDecision, OperatorReason) {
        guard let decision = OperatorDecision(rawValue: decision) else {
            throw .invalid("decision", "must be approve, reject or claw_back")
        }
        return (decision, try OperatorReason.requested(reason))
    }
}

enum RewardTime {
    /// Reads a time from 2000 on that is not in the future. Throws a 400 that names the field for any other.
    static func past(_ text: String?, _ field: String, now: Date) throws(Problem) -> Date? {
        guard let text else { return nil }
        // The caller's clock may be a little ahead.
        guard let time = Date(rfc3339: text), time.timeIntervalSince1970 >= 946_684_800, time <= now + 300
        else {
            throw .invalid(
                field, "must be a time that has passed, as RFC 3339 writes it: 2026-11-21T09:30:00Z")
        }
        return time
    }
}
