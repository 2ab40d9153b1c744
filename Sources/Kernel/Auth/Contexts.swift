package import Foundation
import HTTPTypes
package import Hummingbird
package import NIOCore
package import Web

/// The context of every request.
package struct AppContext: JSONContext {
    package var coreContext: CoreRequestContextStorage
    package var bodyLimit = BodyLimit.usual
    /// The route that is called. Nil if the path has none, or none with this method.
    package var route: RouteRules?
    /// How errors are answered, which the path says even if it has no route.
    package var form = ErrorForm.page
    let channel: any Channel
    /// The other end of the connection; nil if it has no address.
    package let peer: ClientAddress?
    /// The address by which limits count the call; nil if they count none. Set by `AddressLimitMiddleware`.
    package var address: ClientAddress?
    /// Whether too many calls from this address had no valid token: the reasons of further refusals are not
    /// logged.
    var isSuspect = false
    /// The caller's id, if `CallerLimitMiddleware` has computed it.
    package var userID: User.ID?
    /// Set by `AuthenticationMiddleware` on the routes of the API.
    package var caller: Caller?
    /// Whether people sign in at the host that is called. Set with `caller`.
    var isAtConsole = false
    /// Whether the caller is a person who signed in too long ago for some calls. Set with `caller`.
    var isSignInStale = false

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = ClientAddress(channel.remoteAddress)
    }

    /// Returns the context of another call over the same connection, of which nothing is known yet.
    package func forAnotherCall() -> AppContext {
        AppContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
    }
}

/// The context of a call by a user or a key.
package struct CallerContext: ChildRequestContext, JSONContext {
    package var coreContext: CoreRequestContextStorage
    package var bodyLimit = BodyLimit.usual
    package let caller: Caller
    package let address: ClientAddress?
    private let callers: RouteRules.Callers?

    package init(context: AppContext) throws {
        coreContext = context.coreContext
        (address, callers) = (context.address, context.route?.callers)
        caller = try context.authorizedCaller()
    }
}

package extension CallerContext {
    /// Whether an app's key calls, which anybody may have.
    var isOfApp: Bool {
        if case .key(.client, _, _) = caller { true } else { false }
    }

    /// The country from which an app calls, as a proxy sees it; nil: nobody knows, or a backend calls.
    func country(of request: Request, by header: String?) -> String? {
        caller.isBackend ? nil : request.country(by: header)
    }

    /// Throws `forbidden` if an app's key calls, for what only others may ask for at this route.
    func requireNoApp() throws(Problem) {
        guard isOfApp else { return }
        let scopes = if case .keys(let scopes) = callers { scopes } else { Set.ofCallers }
        throw .forbidden(to: caller, scopes.subtracting([.client]))
    }
}

/// The context of a call by, or on behalf of, a user, with or without an account.
package struct UserContext: ChildRequestContext, JSONContext, OneUserContext {
    package var coreContext: CoreRequestContextStorage
    package var bodyLimit = BodyLimit.usual
    let channel: any Channel
    package let uid: User.UID
    package let userID: User.ID
    package let address: ClientAddress?
    let tokenEnd: Date?
    /// Whether a backend calls on behalf of the user.
    package let isOfBackend: Bool
    /// The active account. Set by `AccountMiddleware` on the routes that need it.
    var account: User?

    package init(context: AppContext) throws {
        coreContext = context.coreContext
        (channel, address) = (context.channel, context.address)
        let caller = try context.authorizedCaller()
        guard let user = caller.user else { throw context.unauthenticated }
        uid = user
        (tokenEnd, isOfBackend) = (caller.tokenEnd, caller.isBackend)
        userID = context.userID ?? User.ID(of: user)
    }
}

/// The context of a call by a user with an active account. It cannot be created without one.
package struct AccountContext: ChildRequestContext, JSONContext, OneUserContext {
    package var coreContext: CoreRequestContextStorage
    package var bodyLimit = BodyLimit.usual
    package let channel: any Channel
    package let user: User
    package let address: ClientAddress?
    /// When the caller's token ends. Nil for a key.
    package let tokenEnd: Date?

    package var uid: User.UID { user.uid }

    package init(context: UserContext) throws {
        guard let account = context.account else { throw Problem.notSignedUp }
        coreContext = context.coreContext
        user = account
        (channel, address) = (context.channel, context.address)
        tokenEnd = context.tokenEnd
    }
}

/// The context of a call by an operator: a key of a role that may call the route, and that acts for no user,
/// or a person of such a role. A key that acts for a user may do what that user may.
package struct AdminContext: ChildRequestContext, JSONContext {
    package var coreContext: CoreRequestContextStorage
    package var bodyLimit = BodyLimit.usual
    package let actor: AuditActor
    package let caller: Caller

    /// One of a key, or all of a person.
    package var roles: Set<Role> { caller.roles }

    package init(context: AppContext) throws {
        coreContext = context.coreContext
        caller = try context.authorizedCaller()
        guard let actor = caller.actor, !caller.roles.isEmpty else { throw context.unauthenticated }
        self.actor = actor
    }
}

extension AppContext {
    /// The path of the route of an answered request; the router knows none for a path with another method.
    func path(of request: Request, _ response: Response, in routes: RouteTable) -> String {
        if let route { return route.path }
        if response.status == .methodNotAllowed, let route = routes.route(of: request) { return route.path }
        return endpointPath ?? ""
    }

    /// What a call without credentials is told.
    var unauthenticated: Problem {
        isAtConsole ? .signedOut : isForOperators ? .keyNeeded() : .unauthenticated
    }

    /// Whether the call is of a page or picture for operators, which needs a key.
    var isForOperators: Bool { route?.keyPlace == .password }
}

extension RequestContext {
    /// The user in the path; throws `userNotFound` for text that cannot be a uid.
    package func userInPath(_ parameter: String = "uid") throws -> User.UID {
        guard let text = parameters.get(parameter).flatMap({ PercentEncoding.decode($0.utf8) }),
            let user = User.UID(text)
        else { throw Problem.userNotFound }
        return user
    }
}

/// A context with the user who calls.
package protocol OneUserContext: RequestContext {
    var uid: User.UID { get }
}

extension OneUserContext {
    /// This user, or the one in the path, who must be another than the caller.
    package func otherUser(_ named: User.UID? = nil) throws -> User.UID {
        let other = try named ?? userInPath()
        guard other != uid else {
            throw Problem(
                .unprocessableContent, "self_relationship", "You cannot do this to yourself.", field: "uid")
        }
        return other
    }
}

extension Problem {
    /// The answer to a person who signed in too long ago for this call.
    static let signInStale = Problem(
        .forbidden, "sign_in_stale",
        "You signed in more than \(Int(PersonSession.fresh / 60)) minutes ago: sign in again, then repeat the call."
    )

    /// The answer to a caller whose key has another scope, or acts for a user, and to a person of other
    /// roles.
    static func forbidden(to caller: Caller, _ scopes: Set<APIKey.Scope>) -> Problem {
        if case .person = caller {
            let roles = scopes.filter { $0.role != nil }
            return Problem(.forbidden, "forbidden", "This call needs the role \(roles.list).")
        }
        let end = caller.user == nil ? "." : ", without the header Kith-User."
        return Problem(.forbidden, "forbidden", "This call needs a key of scope \(scopes.list)\(end)")
    }
}
