import Foundation
import Hummingbird
import Kernel

/// A key without its secret, but in the answer to the call that created it.
package struct KeyResponse: ResponseEncodable {
    let id: String
    let name: String
    let scope: String
    let actsForUsers: Bool
    let createdAt: Date
    /// As the audit names them. Nil if it does not know.
    let createdBy: String?
    /// Exact to an hour.
    let usedAt: Date?
    let expiresAt: Date?
    let revokedAt: Date?
    /// The whole key. Nil but in the answer that creates it.
    let key: String?

    init(_ listed: APIKeyStore.Listed, text: String? = nil) {
        (id, name) = (listed.id, listed.name)
        (scope, actsForUsers) = (listed.rights.scope.rawValue, listed.rights.actsForUsers)
        (createdAt, createdBy, usedAt) = (listed.createdAt, listed.createdBy, listed.usedAt)
        (expiresAt, revokedAt, key) = (listed.expiresAt, listed.revokedAt, text)
    }
}

/// The keys that there are.
package struct KeysResponse: ResponseEncodable {
    let keys: [KeyResponse]
}
