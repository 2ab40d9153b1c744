import Crypto
import Foundation
import Web

/// Recently verified tokens. An app sends the same token with every call for an hour, and verifying it again
/// costs more than the rest of the call (measured: 40 µs for RS256, 74 µs for ES256, 1 µs from this cache).
final class TokenCache: Sendable {
    struct Entry: Sendable {
        let token: IDToken
        let issuedAt: Date
        /// The index of its issuer in `TokenRules.issuers`.
        let issuer: Int
        let key: KeyID
        /// The version of the JWKS that verified the signature.
        var version: Int
        let verifiedAt: Date
    }

    /// The SHA-256 of the whole text, so that tokens themselves are not kept in memory.
    typealias Name = SHA256Digest

    private let entries: RecentCache<Name, Entry>

    init(capacity: Int = 20_000) {
        entries = RecentCache(most: capacity)
    }

    static func name(_ text: String) -> Name { SHA256.hash(data: Array(text.utf8)) }

    /// Returns an entry, but never an expired one, nor one from the future after a clock was set back.
    func find(_ name: Name, at now: Date) -> Entry? {
        guard let entry = entries[name], entry.verifiedAt <= now, now < entry.token.expiresAt else {
            return nil
        }
        return entry
    }

    func keep(_ entry: Entry, as name: Name) {
        entries.keep(entry, at: name)
    }
}
