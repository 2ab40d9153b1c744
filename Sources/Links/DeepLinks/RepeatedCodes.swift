import Crypto
import Foundation
import Kernel
import Web

/// The short codes that a call with an `Idempotency-Key` gives its links. The same call gets the same ones,
/// and so makes no other links.
struct RepeatedCodes: Sendable {
    private let seed: [UInt8]

    init(_ key: IdempotencyKey, in domain: LinkDomain, by maker: ShortLinkMaker, secret: SymmetricKey) {
        let content = [maker.key ?? "", key.text, domain.text].map { Array($0.utf8) } + [key.requestSHA256]
        seed = Array(HMAC<SHA256>.authenticationCode(for: LengthPrefixed.write(content), using: secret))
    }

    /// Returns the code of one of the call's links. A longer one begins with the shorter ones. Nil for one
    /// that is longer than is looked for.
    func code(_ place: Int, length: Int) -> ShortLink.Code? {
        guard length <= Self.longest else { return nil }
        let bytes = HKDF<SHA256>.expand(
            pseudoRandomKey: seed, info: Array("\(place)".utf8), outputByteCount: Self.bytes)
        return ShortLink.Code(bytes: bytes.withUnsafeBytes { Array($0) }, length: length)
    }

    /// Returns the codes that an earlier call may have given the link.
    func all(_ place: Int) -> [ShortLink.Code] {
        (ShortLink.Code.shortest...Self.longest).compactMap { code(place, length: $0) }
    }

    /// How long codes are looked for: ten letters are enough for more links than anybody makes.
    private static let longest = 10
    /// Some become no letter, so these are more than letters are needed.
    private static let bytes = 96
}
