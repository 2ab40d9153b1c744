package import Foundation

/// The caller of the API.
package enum Caller: Sendable {
    /// A user, by an ID token with which calls are refused from a time on.
    case user(User.UID, until: Date)
    /// A key; a server or admin key may act for a user.
    case key(APIKey.Scope, id: String, actingFor: User.UID?)

    package var user: User.UID? {
        switch self {
        case .user(let uid, _): uid
        case .key(_, _, let uid): uid
        }
    }

    /// Whether a server or admin key calls, also for a user.
    package var isBackend: Bool {
        switch self {
        case .user, .key(.client, _, _): false
        case .key: true
        }
    }

    /// When the ID token ends; nil: it is a key, which may be revoked at any time.
    var tokenEnd: Date? {
        if case .user(_, let end) = self { end } else { nil }
    }
}
