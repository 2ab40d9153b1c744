import Foundation
import Kernel
import Web

/// A signal by which fraud is recognized. If it could identify a person, only a keyed hash of it is kept.
struct RewardSignal: Sendable {
    var kind: Kind
    var mark: UUID?
    var time: Date?
    /// When it was reported. Nil means now.
    var toldAt: Date?

    enum Kind: String, CaseIterable, Codable, Sendable {
        case email, phone, device, address
        case appAccount = "app_account"
        case disposable
        case deviceCheck = "device_check"
        case accountCreated = "account_created"
        case clicked

        static let marked: [Kind] = [.email, .phone, .device, .address, .appAccount]
    }

    /// How many days signals are kept.
    static let days = 90
}

/// A mail address in a form that is the same for the same mailbox: in lower case, without a tag behind +, and
/// without the dots that Gmail ignores (https://support.google.com/mail/answer/7436150).
struct MailAddress: Equatable, Sendable {
    let (local, domain): (String, String)

    var canonical: String { "\(local)@\(domain)" }

    /// Nil unless the text is one line of 3 to 254 characters with a local part and a domain.
    init?(_ text: String) {
        guard let text = OneLine(text, atMost: 254)?.text.lowercased(), let at = text.lastIndex(of: "@")
        else {
            return nil
        }
        var (local, domain) = (
            String(text[..<at].prefix { $0 != "+" }), String(text[text.index(after: at)...])
        )
        guard domain.contains("."), !domain.hasPrefix("."), !domain.hasSuffix("."), !domain.contains(" ")
        else {
            return nil
        }
        if domain == "googlemail.com" { domain = "gmail.com" }
        if domain == "gmail.com" { local.removeAll { $0 == "." } }
        guard !local.isEmpty, !local.contains(" ") else { return nil }
        (self.local, self.domain) = (local, domain)
    }
}

/// A phone number in the form of E.164 (https://www.itu.int/rec/T-REC-E.164): a plus, and up to fifteen
/// digits.
struct PhoneNumber: Equatable, Sendable {
    let canonical: String

    /// Reads a number. Spaces, hyphens, dots and brackets do not count. Nil unless the rest is such a number.
    init?(_ text: String) {
        let ignored: ASCIISet = " -.()"
        let rest = String(decoding: text.utf8.filter { !ignored.contains($0) }, as: UTF8.self)
        let digits = rest.dropFirst()
        guard rest.hasPrefix("+"), !digits.hasPrefix("0"), digits.consists(of: .digits, count: 7...15) else {
            return nil
        }
        canonical = rest
    }
}

/// The domains of mail addresses that anybody can have for ten minutes: `KITH_DISPOSABLE_DOMAINS`.
package struct DisposableDomains: Sendable, Equatable {
    private var domains: Set<String> = []

    package init() {}

    /// Reads one domain from each line. A line that begins with # is a comment.
    package init(lines: String) {
        for line in lines.split(whereSeparator: \.isNewline) {
            let domain = line.trimmingCharacters(in: .whitespaces).lowercased()
            if !domain.isEmpty, !domain.hasPrefix("#") { domains.insert(domain) }
        }
    }

    /// Whether the domain is one of these, or lies below one.
    func contains(_ domain: String) -> Bool {
        var rest = domain[...]
        while !rest.isEmpty {
            if domains.contains(String(rest)) { return true }
            guard let dot = rest.firstIndex(of: ".") else { return false }
            rest = rest[rest.index(after: dot)...]
        }
        return false
    }
}
