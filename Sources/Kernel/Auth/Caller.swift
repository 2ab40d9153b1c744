package import Foundation

/// The caller of the API.
package enum Caller: Sendable {
    /// A user with an ID token. From the time `until` on, calls with it are refused.
    case user(User.UID, until: Date)
    /// A key. One of a server or an admin may act for a user.
    case key(APIKey.Scope, id: String, actingFor: User.UID?)

    package var user: User.UID? {
        switch self {
        case .user(let uid, _): uid
        case .key(_, _, let uid): uid
        }
    }

    /// Whether a server or admin key calls, even if it acts for a user.
    package var isBackend: Bool {
        switch self {
        case .key(.server, _, _), .key(.admin, _, _): true
        case .user, .key: false
        }
    }

    /// When the ID token ends. Nil if the caller has a key, which may be revoked at any time.
    var tokenEnd: Date? {
        if case .user(_, let end) = self { end } else { nil }
    }
}
