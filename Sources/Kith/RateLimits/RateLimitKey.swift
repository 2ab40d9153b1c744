/// What a limit counts by: a user, a key, or a network.
struct RateLimitKey: Hashable, Sendable {
    let limit: RateLimit
    let subject: Subject

    struct Subject: Hashable, Sendable {
        let high: UInt64
        let low: UInt64
    }
}

extension ClientAddress {
    /// Counts a network as one.
    var subject: RateLimitKey.Subject { .init(high: network.high, low: network.low) }
}
