import Foundation

/// An act of an operator that was carried out.
package struct AuditEntry: Encodable, Sendable {
    var at: Date
    var actor: String
    /// A key's name for people.
    var actorName: String?
    var act: String
    var uid: String?
    var reason: String?
    var details: [String: String]
}
