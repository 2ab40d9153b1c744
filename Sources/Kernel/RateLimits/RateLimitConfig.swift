import Foundation
import Web

/// `KITH_RATE_LIMITS`: `on`, `off`, or changes to the defaults, as in `resolve=10/m,landings=off`.
package struct RateLimitConfig: Sendable {
    package var isOn = true
    /// The limits. Those that are off are missing.
    private(set) var limits: [RateLimit: GCRA]
    /// Whether private addresses count. By default they do not: such an address belongs to a proxy, or to a
    /// machine of the operator. Tests call from such addresses and set this.
    var countsPrivateAddresses = false

    package init() {
        limits = [:]
        for limit in RateLimit.allCases {
            limits[limit] = GCRA(quota: limit.standard.quota, window: limit.standard.window)
        }
    }

    package struct Mistake: Error {
        package let text: String
    }

    package init(_ text: String) throws(Mistake) {
        self.init()
        switch text {
        case "on": return
        case "off": isOn = false
        default:
            var given: Set<RateLimit> = []
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                let limit = try set(part)
                guard given.insert(limit).inserted else {
                    throw Mistake(text: "\(limit.name) is given twice")
                }
            }
        }
    }

    /// Reads `name=number/unit` or `name=off`.
    private mutating func set(_ part: Substring) throws(Mistake) -> RateLimit {
        let words = part.split(separator: "=", omittingEmptySubsequences: false)
            .map { String($0).trimmingCharacters(in: .whitespaces) }
        guard words.count == 2, let limit = RateLimit.settable.first(where: { $0.name == words[0] }) else {
            throw Mistake(text: "'\(part)' is not a limit: the limits are \(Self.names)")
        }
        if words[1] == "off" {
            limits[limit] = nil
            return limit
        }
        guard let rate = Self.rate(words[1]) else {
            throw Mistake(
                text: "'\(part)' is not a rate: write it as in \(limit.name)=30/m, with s, m, h or d")
        }
        limits[limit] = rate
        return limit
    }

    private static func rate(_ text: String) -> GCRA? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let quota = Int(parts[0]), (1...1_000_000_000).contains(quota),
            let window = ["s": 1, "m": 60, "h": 3600, "d": 86_400][parts[1]]
        else { return nil }
        return GCRA(quota: quota, window: window)
    }

    private static var names: String { RateLimit.settable.map(\.name).joined(separator: " ") }
}
