import Crypto
import Foundation
package import Kernel

/// Signs answers with Ed25519, so that an app knows that its server gave them, and for whom.
package struct PolicySigner: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    /// - Parameter secrets: the key from which the signing key is derived. So the signing key is the same in
    ///   every server, and changes with it.
    package init?(_ secrets: SecretsKey) {
        let bytes = secrets.derived(for: "kith update policy signature", bytes: 32)
        // Any 32 bytes are a valid key.
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes) else { return nil }
        self.key = key
    }

    /// Returns the signature in base64.
    func signature(of body: [UInt8]) throws -> String { try key.signature(for: body).base64EncodedString() }

    /// The public key: 32 bytes in base64.
    var publicKey: String { key.publicKey.rawRepresentation.base64EncodedString() }
}
