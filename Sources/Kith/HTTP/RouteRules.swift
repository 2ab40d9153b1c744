import HTTPTypes

/// What is known of a route before it is called: who may call it, how often and from where, what it takes,
/// and how it answers errors. `Route` adds what answers it.
struct RouteRules: Sendable {
    let method: HTTPRequest.Method
    /// As `/v1/users/{uid}`.
    let path: String
    let callers: Callers
    let keyPlace: KeyPlace
    let form: ErrorForm
    /// Whether web apps on all other origins may read it; else those of `KITH_CORS_ORIGINS` may, but no page.
    let allOrigins: Bool
    /// The parameters that its query may have; nil: any, and any body.
    let query: [String]?
    let hasBody: Bool
    /// What counts calls of one user.
    let limit: RateLimit
    /// What counts calls of one address that come without a key, beside `api`.
    let addressLimit: RateLimit?
    /// What counts calls with a client key by address, beside `client`.
    let clientLimit: RateLimit?
    /// Whether a standby may answer.
    let standby: Bool
    /// Whether it ends with the service (`KITH_SUNSET`).
    let untilSunset: Bool
    /// Whether a call with an admin key is noted in the audit.
    let isAudited: Bool

    enum Callers: Sendable {
        /// Without credentials.
        case anybody
        /// Any user or key.
        case callers
        /// A user with or without an account, or a key that acts for one.
        case users
        /// A user with an active account, or a key that acts for one.
        case accounts
        /// An admin key that acts for no user.
        case operators
    }

    /// Where a key may stand.
    enum KeyPlace: Sendable {
        case bearer
        /// Also in `?key=`, where clients of Firebase's API put it.
        case query
        /// Also as the password of HTTP Basic, for which browsers ask people.
        case password
    }
}

/// How errors are answered.
enum ErrorForm: Sendable {
    /// A page for people.
    case page
    /// RFC 9457.
    case problem
    /// As Google's APIs answer.
    case firebase
}
