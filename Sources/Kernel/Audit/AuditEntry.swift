import Foundation

/// An act of an operator that was carried out.
package struct AuditEntry: Encodable, Sendable {
    var at: Date
    package var actor: String
    /// A key's name for people.
    package var actorName: String?
    var act: String
    var uid: String?
    package var reason: String?
    var details: [String: String]
}
