/// The caller of the API.
enum Caller: Sendable {
    /// A user, by an ID token.
    case user(User.UID)
    /// A key; a server or admin key may act for a user.
    case key(APIKey.Scope, id: String, actingFor: User.UID?)

    var user: User.UID? {
        switch self {
        case .user(let uid): uid
        case .key(_, _, let uid): uid
        }
    }
}
