import Foundation

/// An act of an operator that was carried out.
package struct AuditEntry: Encodable, Sendable {
    var at: Date
    var keyId: String
    /// The key's name for people. Nil if the key's row is gone.
    var keyName: String?
    var act: String
    var uid: String?
    var reason: String?
    var details: [String: String]
}
