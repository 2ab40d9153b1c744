import Crypto
package import Kernel
package import Web

/// Counts codes that nobody has, of invites and of short links, by the address that tried them. Refuses
/// further look-ups after too many. A code of an invite, dead or not, is never counted.
package struct CodeGuesses: Sendable {
    /// The limiter. Nil if limits are off.
    package let limiter: RateLimiter?

    package init(limiter: RateLimiter?) {
        self.limiter = limiter
    }

    /// Runs a look-up and counts it if it finds nothing.
    /// - Parameter address: the address of the caller. Nil for a look-up that is not counted.
    /// - Parameter body: the look-up. It returns nil if nobody has the code.
    package func lookingUp<T>(
        _ code: String, from address: ClientAddress?, _ body: () async throws -> T?
    ) async throws -> T? {
        guard let limiter, let address = address?.subject else { return try await body() }
        try limiter.requireSome(.codes, address)
        let found = try await body()
        if found == nil { missed(code, address, limiter) }
        return found
    }

    /// Counts each code once: many people may open one dead link from one address, but a guesser never
    /// repeats a code.
    private func missed(_ code: String, _ address: RateLimitKey.Subject, _ limiter: RateLimiter) {
        let both = RateLimitKey.Subject(bytes: SHA256.hash(data: Array("\(address) \(code)".utf8)))
        if limiter.spend(.sameCode, both)?.isAllowed == true { _ = limiter.spend(.codes, address) }
    }
}
