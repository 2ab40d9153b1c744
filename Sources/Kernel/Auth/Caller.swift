package import Foundation

/// The caller of the API.
package enum Caller: Sendable {
    /// A user with an ID token. From the time `until` on, calls with it are refused.
    case user(User.UID, until: Date)
    /// A key. One of a server or an admin may act for a user.
    case key(APIKey.Scope, id: String, actingFor: User.UID?)
    /// A person who is signed in at the console. They never act for a user.
    case person(PersonSession)

    package var user: User.UID? {
        switch self {
        case .user(let uid, _): uid
        case .key(_, _, let uid): uid
        case .person: nil
        }
    }

    /// Whether somebody calls who is signed in at the console.
    package var isPerson: Bool {
        if case .person = self { true } else { false }
    }

    /// Whether a server or admin key calls, even if it acts for a user, or a person.
    package var isBackend: Bool {
        switch self {
        case .key(.server, _, _), .key(.admin, _, _), .person: true
        case .user, .key: false
        }
    }

    /// Who the audit says did what an operator does. Nil for anybody but operators.
    package var actor: AuditActor? {
        switch self {
        case .key(let scope, let id, _): scope.role == nil ? nil : AuditActor(.key, id)
        case .person(let session): session.actor
        case .user: nil
        }
    }

    /// The roles of an operator. Empty for anybody else, and for a key that acts for a user.
    package var roles: Set<Role> {
        switch self {
        case .key(let scope, _, nil): Set(scope.role.map { [$0] } ?? [])
        case .person(let session): session.roles
        case .user, .key: []
        }
    }

    /// When the ID token ends. Nil if the caller has a key or a session, which may end at any time.
    var tokenEnd: Date? {
        if case .user(_, let end) = self { end } else { nil }
    }
}
