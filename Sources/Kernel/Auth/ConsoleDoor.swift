import HTTPTypes
package import Hummingbird
package import Web

/// Finds who is signed in at the console, at its host and nowhere else.
package struct ConsoleDoor: Sendable {
    /// The `__Host-` makes browsers take the cookie from this host alone, over https, for all of its paths.
    package static let cookieName = "__Host-kith-session"

    /// The console's origin, as browsers send it in `Origin`.
    package let origin: String
    package let sessions: SessionCache

    package init(origin: String, sessions: SessionCache) {
        self.origin = origin
        self.sessions = sessions
    }

    /// Returns the secret in the session's cookie, whether it is one in force or not.
    package func secret(of request: Request) -> SecretText? {
        request.cookie(Self.cookieName).flatMap { SecretText($0) }
    }

    /// Returns the session of a request. Nil if none is in force.
    package func session(of request: Request) async throws -> PersonSession? {
        guard let secret = secret(of: request) else { return nil }
        return try await sessions.session(of: secret)
    }

    /// Whether somebody signed in too long ago for what only they themselves may do.
    func isStale(_ session: PersonSession) -> Bool { sessions.isStale(session) }

    /// Throws `cross_site` unless a page of the console sent the request. Browsers of today say so in
    /// `Sec-Fetch-Site`; others in `Origin`, which is `null` for forms of pages that send no referrer.
    package func requireOwnPage(_ request: Request) throws(Problem) {
        let sent = try request.header(.origin)
        let isOwn: Bool
        switch try request.header(.secFetchSite) {
        case "same-origin"?: isOwn = sent == nil || sent == "null" || sent == origin
        case nil: isOwn = sent == origin
        default: isOwn = false
        }
        guard isOwn else {
            throw Problem(
                .forbidden, "cross_site",
                "The call did not come from a page of the console: it needs its origin in the header Origin.")
        }
    }

    /// Returns who calls. Throws a 403 for what another site makes a browser send, and for a call as a user.
    func caller(_ request: Request) async throws -> Caller? {
        guard let session = try await session(of: request) else { return nil }
        if ![.get, .head].contains(request.method) { try requireOwnPage(request) }
        guard request.headers[.kithUser] == nil else {
            throw Problem(
                .forbidden, "forbidden", "A person cannot act for a user: leave out the header Kith-User.")
        }
        return .person(session)
    }
}
