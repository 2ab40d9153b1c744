import Web

/// What a limit counts by: a user, a key, or a network.
package struct RateLimitKey: Hashable, Sendable {
    let limit: RateLimit
    let subject: Subject

    package struct Subject: Hashable, Sendable {
        package let high: UInt64
        package let low: UInt64
    }
}

extension ClientAddress {
    /// The subject under which a network is counted as one.
    package var subject: RateLimitKey.Subject { .init(high: network.high, low: network.low) }
}
