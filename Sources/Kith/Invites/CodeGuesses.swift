import Crypto

/// Counts codes that lead nowhere, by the address that tried them, and refuses further look-ups after too many. A valid
/// code is never counted.
struct CodeGuesses: Sendable {
    /// Nil if limits are off.
    let limiter: RateLimiter?

    /// - Parameter code: nil if none is looked up.
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

    /// Counts each code once: many people may open one dead link from one address, but a guesser never repeats a code.
    private func missed(_ code: Invite.Code, _ address: RateLimitKey.Subject, _ limiter: RateLimiter) {
        let both = RateLimitKey.Subject(bytes: SHA256.hash(data: Array("\(address) \(code)".utf8)))
        if limiter.spend(.sameCode, both)?.isAllowed == true { _ = limiter.spend(.codes, address) }
    }
}

extension InviteReference {
    /// The code that a look-up would try; nil if it needs none.
    var code: Invite.Code? {
        if case .code(let code, _) = self { code } else { nil }
    }
}
