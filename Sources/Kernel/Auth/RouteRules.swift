package import HTTPTypes
package import Web

/// What is known of a route before it is called: who may call it, how often and from where, what it takes,
/// and how it answers errors. `Route` adds what answers it.
package final class RouteRules: Sendable {
    package let method: HTTPRequest.Method
    /// A template such as `/v1/users/{uid}`.
    package let path: String
    package let callers: Callers
    package let keyPlace: KeyPlace
    package let form: ErrorForm
    /// Whether web apps on all other origins may read it; else those of `KITH_CORS_ORIGINS` may, but no page.
    package let allOrigins: Bool
    /// The parameters that its query may have; nil: any, and any body.
    package let query: [String]?
    package let hasBody: Bool
    package let bodyLimit: BodyLimit
    /// What counts calls of one user.
    package let limit: RateLimit
    /// What counts calls of one address that come without a key, beside `api`, or at a page beside
    /// `landings`.
    package let addressLimit: RateLimit?
    /// What counts calls with a client key by address, beside `client`.
    package let clientLimit: RateLimit?
    /// Whether a standby may answer.
    package let standby: Bool
    /// Whether it ends with the service (`KITH_SUNSET`).
    package let untilSunset: Bool
    /// Whether a call by an operator is noted in the audit. Acts at routes that are for operators alone note
    /// themselves.
    package let isAudited: Bool
    /// Whether people must have signed in a short while ago.
    package let wantsFreshSignIn: Bool

    package init(
        method: HTTPRequest.Method, path: String, callers: Callers, keyPlace: KeyPlace, form: ErrorForm,
        allOrigins: Bool, query: [String]?, hasBody: Bool, bodyLimit: BodyLimit,
        limit: RateLimit, addressLimit: RateLimit?, clientLimit: RateLimit?, standby: Bool, untilSunset: Bool,
        isAudited: Bool,
        wantsFreshSignIn: Bool
    ) {
        self.method = method
        self.path = path
        self.callers = callers
        self.keyPlace = keyPlace
        self.form = form
        self.allOrigins = allOrigins
        self.query = query
        self.hasBody = hasBody
        self.bodyLimit = bodyLimit
        self.limit = limit
        self.addressLimit = addressLimit
        self.clientLimit = clientLimit
        self.standby = standby
        self.untilSunset = untilSunset
        self.isAudited = isAudited
        self.wantsFreshSignIn = wantsFreshSignIn
    }

    package enum Callers: Hashable, Sendable {
        /// Whoever calls, without credentials.
        case anybody
        /// Any user, and a key of an app, a backend or an admin.
        case callers
        /// A user with or without an account, or a key that acts for one.
        case users
        /// A user with an active account, or a key that acts for one.
        case accounts
        /// A key of one of these scopes that acts for no user.
        case keys(Set<APIKey.Scope>)

        /// Whether only operators may call.
        package var areOperators: Bool {
            if case .keys(let scopes) = self { scopes.allSatisfy { $0.role != nil } } else { false }
        }
    }

    /// Where a key may stand.
    package enum KeyPlace: Sendable {
        case bearer
        /// The header, or `?key=`, where clients of Firebase's API put it.
        case query
        /// The header, or the password of HTTP Basic, for which browsers ask people.
        case password
    }
}

/// How errors are answered.
package enum ErrorForm: Sendable {
    /// A page for people.
    case page
    /// A problem of RFC 9457.
    case problem
    /// The form of Google's APIs.
    case firebase
}
