import Crypto
import Foundation

/// What a browser and an app on the same phone both show: coarse on purpose.
struct VisitorFacts: Hashable, Sendable {
    let address: ClientAddress
    /// Of the system: `18.6`.
    let osVersion: String
    /// The primary part of the language: `ja`.
    let language: String

    /// Nil unless all three are known.
    init?(address: ClientAddress?, osVersion: String?, language: String?) {
        guard let address, let version = osVersion?.firstMatch(of: /^\d{1,3}\.\d{1,3}/),
            let primary = language?.firstMatch(of: /^[A-Za-z]{2,3}/), let language = Language(primary.output)
        else { return nil }
        (self.address, self.osVersion, self.language) = (address, String(version.output), language.tag)
    }

    /// - Parameter salt: without it nobody can tell what was hashed.
    func hash(salt: [UInt8]) -> UUID {
        let parts = ["\(address.subject)", osVersion, language].map { Array($0.utf8) }
        let code = HMAC<SHA256>.authenticationCode(
            for: LengthPrefixed.write(parts), using: SymmetricKey(data: salt))
        return UUID(bytes: Array(code))
    }
}
