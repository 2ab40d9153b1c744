import Crypto
import Foundation

/// `KITH_SECRETS_KEY`: encrypts what Kith must read again but the database alone must not reveal, with
/// AES-GCM.
package struct SecretsKey: Sendable {
    private let key: SymmetricKey

    /// Nil unless the text is 32 bytes in base64.
    package init?(_ base64: String) {
        guard let bytes = Data(base64Encoded: base64), bytes.count == 32 else { return nil }
        key = SymmetricKey(data: bytes)
    }

    /// Derives a key for one purpose, by HKDF. It does not reveal this key.
    package func derived(for purpose: String, bytes: Int) -> [UInt8] {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Array(purpose.utf8), outputByteCount: bytes)
            .withUnsafeBytes(Array.init)
    }

    /// - Parameter place: where the result will be stored. It can be opened for no other place.
    package func seal(_ secret: [UInt8], for place: String) throws -> [UInt8] {
        let box = try AES.GCM.seal(secret, using: key, authenticating: Array(place.utf8))
        // This is nonce, ciphertext and tag. It is nil only for a nonce of unusual length.
        guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
        return Array(combined)
    }

    /// Returns a mark that tells whether two secrets are the same, and nothing else about them: 16 bytes,
    /// which are useless without the key.
    package func mark(of secret: [UInt8], for place: String) -> [UInt8] {
        let own = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, info: Array("mark \(place)".utf8), outputByteCount: 32)
        return Array(HMAC<SHA256>.authenticationCode(for: secret, using: own).prefix(16))
    }

    /// Opens a sealed secret. Nil if it was sealed with another key, or for another place.
    package func open(_ sealed: [UInt8], for place: String) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        return (try? AES.GCM.open(box, using: key, authenticating: Array(place.utf8))).map(Array.init)
    }
}
