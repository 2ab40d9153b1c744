import HTTPTypes
package import Web

/// The one place that decides who may call a route, by what the route's value says.
package extension AppContext {
    /// Returns the caller. Throws a problem unless the route is for them.
    func authorizedCaller() throws(Problem) -> Caller {
        guard let caller else { throw unauthenticated }
        guard let callers = route?.callers, callers.include(caller) else { throw refusal(of: caller) }
        if isSignInStale, route?.wantsFreshSignIn == true { throw .signInStale }
        return caller
    }

    private func refusal(of caller: Caller) -> Problem {
        switch route?.callers {
        case .callers: .forbidden(to: caller, .ofCallers)
        // A browser that gets a 401 asks its user for another key. After a 403 it would send the wrong one
        // for ever.
        case .keys(let scopes) where isForOperators && !caller.isPerson:
            .keyNeeded("key of scope \(scopes.list)")
        case .keys(let scopes): .forbidden(to: caller, scopes)
        case nil, .anybody, .users, .accounts:
            Problem(
                .forbidden, "forbidden",
                "This call is for a user: a server or admin key names one in the header Kith-User.")
        }
    }
}

extension RouteRules.Callers {
    fileprivate func include(_ caller: Caller) -> Bool {
        switch (self, caller) {
        case (.anybody, _): true
        case (.callers, .user): true
        case (.callers, .person): false
        case (.callers, .key(let scope, _, _)): Set.ofCallers.contains(scope)
        case (.users, _), (.accounts, _): caller.user != nil
        case (.keys(let scopes), .key(let scope, _, nil)): scopes.contains(scope)
        case (.keys(let scopes), .person(let session)):
            session.roles.contains { scopes.contains(APIKey.Scope($0)) }
        case (.keys, _): false
        }
    }
}
