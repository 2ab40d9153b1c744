import Crypto
import Foundation
import Web

/// Proves that Kith gave a unit its variation, so that nobody exposes units that never asked for values.
package struct AssignmentMark: Sendable {
    private let key: SymmetricKey

    /// The purpose for which the key is derived.
    static let purpose = "assignments"

    init(_ key: SymmetricKey) { self.key = key }

    /// Returns the mark. It is the same whenever the unit asks in a phase, so that the answer is the same.
    func text(of unit: ExperimentUnit, in exposure: Exposure) -> String {
        Base64URL.encode(
            Array(HMAC<SHA256>.authenticationCode(for: Self.bytes(unit, exposure), using: key)))
    }

    func isValid(_ text: String, for unit: ExperimentUnit, in exposure: Exposure) -> Bool {
        guard let code = Base64URL.decode(Array(text.utf8)[...]) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(
            code, authenticating: Self.bytes(unit, exposure), using: key)
    }

    private static func bytes(_ unit: ExperimentUnit, _ exposure: Exposure) -> [UInt8] {
        LengthPrefixed.write(
            [unit.text, exposure.experiment, String(exposure.phase), exposure.variation].map {
                Array($0.utf8)
            })
    }
}
