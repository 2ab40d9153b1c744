import HTTPTypes
public import Hummingbird

/// The context of every request.
public struct AppContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    /// The other end of the connection; nil where it has no address.
    let peer: ClientAddress?
    /// From where limits count the call; nil where they do not. Set by `AddressLimitMiddleware`.
    var address: ClientAddress?
    /// Too many from this address had no good token: why further ones are refused is not logged.
    var isSuspect = false
    /// The caller's, once `CallerLimitMiddleware` had to make it.
    var userID: User.ID?
    /// Set by `AuthenticationMiddleware` on the routes of the API.
    var caller: Caller?

    public init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = ClientAddress(source.channel.remoteAddress)
    }
}

/// The context of a call that must come from somebody: a user or a key.
struct CallerContext: ChildRequestContext {
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

/// The context of a call by, or on behalf of, one user; it cannot be had without one.
struct UserContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let uid: User.UID
    let userID: User.ID
    let address: ClientAddress?

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

/// The context of a call by an operator: an admin key that acts for nobody. One that acts for a user may do what
/// that user may.
struct AdminContext: ChildRequestContext {
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
    /// The user in the path. One who cannot be is found nowhere.
    func userInPath() throws -> User.UID {
        guard let text = parameters.get("uid").flatMap({ PercentEncoding.decode($0.utf8) }),
            let user = User.UID(text)
        else { throw Problem.userNotFound }
        return user
    }
}

extension UserContext {
    /// The user in the path, who must be another than the caller.
    func otherUser() throws -> User.UID {
        try other(userInPath())
    }

    /// The user, who must be another than the caller.
    func other(_ other: User.UID) throws -> User.UID {
        guard other != uid else {
            throw Problem(.unprocessableContent, "self_relationship", "This is yourself.", field: "uid")
        }
        return other
    }
}
