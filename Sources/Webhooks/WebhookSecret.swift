import Crypto
import Foundation

/// The secret of an endpoint, and signatures by it, as Standard Webhooks wants them.
package struct WebhookSecret: Sendable {
    static let prefix = "whsec_"
    /// How many bytes a new secret has. From 24 to 64 are allowed.
    private static let count = 32

    let bytes: [UInt8]

    /// Creates a secret. The bytes must come from a cryptographically secure generator.
    init(randomBytes: (Int) -> [UInt8]) {
        bytes = randomBytes(Self.count)
    }

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Nil if the text cannot be a secret.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix),
            let data = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))),
            (24...64).contains(data.count)
        else { return nil }
        bytes = Array(data)
    }

    var text: String { Self.prefix + Data(bytes).base64EncodedString() }

    /// Returns the signature, as in `v1,…`.
    func signature(id: String, timestamp: Int64, body: [UInt8]) -> String {
        "v1," + Data(code(id, timestamp, body)).base64EncodedString()
    }

    private func code(_ id: String, _ timestamp: Int64, _ body: [UInt8]) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(
            for: Array("\(id).\(timestamp).".utf8) + body, using: SymmetricKey(data: bytes))
    }

    /// Whether one of the signatures of a header was made with this secret.
    package func signed(_ signatures: String, id: String, timestamp: Int64, body: [UInt8]) -> Bool {
        let signed = Array("\(id).\(timestamp).".utf8) + body
        return signatures.split(separator: " ").contains { one in
            guard one.hasPrefix("v1,"), let code = Data(base64Encoded: String(one.dropFirst(3))) else {
                return false
            }
            return HMAC<SHA256>.isValidAuthenticationCode(
                code, authenticating: signed, using: SymmetricKey(data: bytes))
        }
    }
}
