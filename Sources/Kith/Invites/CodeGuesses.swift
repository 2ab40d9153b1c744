import Crypto

/// Counts codes that lead nowhere by the address that tried them, and lets no more be tried where there were
/// too many. A code that leads to somebody is never counted.
struct CodeGuesses: Sendable {
    /// Nil where limits are off.
    let limiter: RateLimiter?

    /// - Parameter code: nil where none is looked up.
    func lookingUp<T>(
        _ code: Invite.Code?, from address: ClientAddress?, _ body: () async throws -> T
    ) async throws -> T {
        guard let limiter, let code, let address = address?.subject else { return try await body() }
        try limiter.requireSome(.codes, address)
        do {
            return try await body()
        } catch let refusal as InviteError where refusal == .notFound {
            missed(code, address, limiter)
            throw refusal
        }
    }

    /// Many people may follow one dead link from one address; who guesses never tries a code again.
    private func missed(_ code: Invite.Code, _ address: RateLimitKey.Subject, _ limiter: RateLimiter) {
        let both = RateLimitKey.Subject(bytes: SHA256.hash(data: Array("\(address) \(code)".utf8)))
        if limiter.spend(.sameCode, both)?.isAllowed == true { _ = limiter.spend(.codes, address) }
    }
}

extension InviteReference {
    /// The code that a look-up of this would try.
    var code: Invite.Code? {
        if case .code(let code, _) = self { code } else { nil }
    }
}
