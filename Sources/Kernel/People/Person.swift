package import Foundation

/// Somebody who runs the service and signs in at the console, with the roles that they have.
package struct Person: Equatable, Sendable {
    package let id: UUID
    package let email: EmailAddress
    package let roles: Set<Role>
    /// Whether nobody added them: a rule of `KITH_CONSOLE_ROLES` gives them their roles at each sign-in.
    package let isByRule: Bool
    package let createdAt: Date
    /// Who added them first, as the audit names it.
    package let createdBy: String
    /// When they were removed. Nil if they may sign in.
    package let removedAt: Date?

    /// Who the audit says did what they do.
    package static func actor(_ email: EmailAddress) -> AuditActor { AuditActor(.person, email.text) }
}

extension Set<Role> {
    /// The names in the order of `Role`, each once, as the database keeps and answers show them.
    package var names: [String] { Role.allCases.filter(contains).map(\.rawValue) }

    /// Returns the roles of these names. Nil if one is no role, or there is none.
    package init?(names: some Collection<some StringProtocol>) {
        let roles = names.map { Role(rawValue: String($0)) }
        guard !roles.isEmpty, !roles.contains(nil) else { return nil }
        self = Set(roles.compactMap(\.self))
    }
}
