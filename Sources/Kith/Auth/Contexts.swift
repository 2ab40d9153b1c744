import HTTPTypes
import Hummingbird

/// The context of every request.
struct AppContext: JSONContext {
    var coreContext: CoreRequestContextStorage
    /// The other end of the connection; nil if it has no address.
    let peer: ClientAddress?
    /// The address that limits count the call for; nil if they count none. Set by `AddressLimitMiddleware`.
    var address: ClientAddress?
    /// Too many from this address had no good token: why further ones are refused is not logged.
    var isSuspect = false
    /// The caller's, once `CallerLimitMiddleware` had to make it.
    var userID: User.ID?
    /// Set by `AuthenticationMiddleware` on the routes of the API.
    var caller: Caller?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = ClientAddress(source.channel.remoteAddress)
    }
}

/// The context of a call that must come from somebody: a user or a key.
struct CallerContext: ChildRequestContext, JSONContext {
    var coreContext: CoreRequestContextStorage
    let caller: Caller
    let address: ClientAddress?

    init(context: AppContext) throws {
        coreContext = context.coreContext
        address = context.address
        guard let caller = context.caller else { throw Problem.withoutCredentials }
        self.caller = caller
    }
}

/// The context of a call by, or on behalf of, one user, whether they have an account or not.
struct UserContext: ChildRequestContext, JSONContext, OneUserContext {
    var coreContext: CoreRequestContextStorage
    let uid: User.UID
    let userID: User.ID
    let address: ClientAddress?
    /// One in force. Set by `AccountMiddleware` on the routes that need it.
    var account: User?

    init(context: AppContext) throws {
        coreContext = context.coreContext
        address = context.address
        guard let caller = context.caller else { throw Problem.withoutCredentials }
        guard let user = caller.user else {
            throw Problem(
                .forbidden, "forbidden",
                "This call is for a user: a server or admin key names one in the header Kith-User.")
        }
        uid = user
        userID = context.userID ?? User.ID(of: user)
    }
}

/// The context of a call by a user whose account is in force; it cannot be had without one.
struct AccountContext: ChildRequestContext, JSONContext, OneUserContext {
    var coreContext: CoreRequestContextStorage
    let user: User
    let address: ClientAddress?

    var uid: User.UID { user.uid }

    init(context: UserContext) throws {
        guard let account = context.account else { throw Problem.notSignedUp }
        coreContext = context.coreContext
        user = account
        address = context.address
    }
}

/// The context of a call by an operator: an admin key that acts for nobody. One that acts for a user may do what
/// that user may.
struct AdminContext: ChildRequestContext, JSONContext {
    var coreContext: CoreRequestContextStorage

    init(context: AppContext) throws {
        coreContext = context.coreContext
        guard let caller = context.caller else { throw Problem.withoutCredentials }
        guard case .key(.admin, nil) = caller else {
            throw Problem(
                .forbidden, "forbidden", "This call needs an admin key, without the header Kith-User.")
        }
    }
}

extension RequestContext {
    /// The user in the path. A text that cannot be a uid is nobody's.
    func userInPath() throws -> User.UID {
        guard let text = parameters.get("uid").flatMap({ PercentEncoding.decode($0.utf8) }),
            let user = User.UID(text)
        else { throw Problem.userNotFound }
        return user
    }
}

/// A context with one user who calls.
protocol OneUserContext: RequestContext {
    var uid: User.UID { get }
}

extension OneUserContext {
    /// This user, or the one in the path, who must be another than the caller.
    func otherUser(_ named: User.UID? = nil) throws -> User.UID {
        let other = try named ?? userInPath()
        guard other != uid else {
            throw Problem(
                .unprocessableContent, "self_relationship", "You cannot do this to yourself.", field: "uid")
        }
        return other
    }
}
