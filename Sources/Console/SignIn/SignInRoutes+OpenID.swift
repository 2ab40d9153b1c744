import HTTPTypes
package import Hummingbird
package import Kernel
import Web

/// Sign-in with a provider.
extension SignInRoutes {
    /// `GET /sign-in/openid?returnTo&anew` sends the browser to the provider, with `anew` to enter the
    /// password there once more.
    @Sendable package func startOpenID(_ request: Request, context: AppContext) async throws -> Response {
        guard let provider else { throw Problem.notFound() }
        let isAnew = try isAnew(request)
        let attempt = OpenIDAttempt(world: world, returnPath: try returnPath(request))
        do {
            var response = Response.seeOther(try await provider.authorization(attempt, isAnew: isAnew))
            response.setCookie(.attempt(attempt.cookie, maxAge: OpenIDAttempt.lifetime))
            return response
        } catch {
            return pageOfAwayProvider(request, attempt.returnPath)
        }
    }

    /// `GET /sign-in/openid/callback?code&state` is where the provider sends the browser back to. Whatever
    /// becomes of it, the attempt is over.
    @Sendable package func endOpenID(_ request: Request, context: AppContext) async throws -> Response {
        guard let provider else { throw Problem.notFound() }
        let attempt = request.cookie(OpenIDAttempt.cookieName).flatMap { OpenIDAttempt(cookie: $0) }
        let path = attempt?.returnPath ?? ReturnPath(nil)
        var response: Response
        do {
            let identity = try await identity(request, attempt, provider)
            response = try await signIn(identity, path, request, context)
        } catch OpenIDError.away {
            response = pageOfAwayProvider(request, path)
        } catch OpenIDError.refused(let why, let detail) {
            response = try await refuse(why, of: nil, detail: detail, request, context)
        }
        response.setCookie(.attempt("", maxAge: 0))
        return response
    }

    private func signIn(
        _ identity: OpenIDIdentity, _ path: ReturnPath, _ request: Request, _ context: AppContext
    ) async throws -> Response {
        do {
            let secret = try await attempts.store.signIn(
                identity.email, roles: rules.roles(of: identity), replacing: door.secret(of: request))
            return signedIn(secret, path)
        } catch let why as SignInRefusal {
            // Of strangers only the log has the address: each would have its own rows in the audit.
            let known = why == .personUnknown ? nil : identity.email
            return try await refuse(why, of: known, detail: identity.email.text, request, context)
        }
    }

    /// Returns whom the provider names in an answer to this browser's attempt.
    private func identity(
        _ request: Request, _ attempt: OpenIDAttempt?, _ provider: OpenIDProvider
    ) async throws -> OpenIDIdentity {
        let query = request.query
        let (state, error) = (try query.value("state"), try query.value("error"))
        guard let attempt, let state, state.hasSameBytes(as: attempt.state),
            !provider.isOther(try query.value("iss"))
        else { throw OpenIDError.refused(.stateWrong, detail: "") }
        if let error {
            guard !["server_error", "temporarily_unavailable"].contains(error) else {
                throw OpenIDError.away(error)
            }
            throw OpenIDError.refused(.providerRefused, detail: error)
        }
        guard let code = try query.value("code"), !code.isEmpty else {
            throw OpenIDError.refused(.stateWrong, detail: "without a code")
        }
        return try await provider.identity(code: code, attempt)
    }
}

extension Cookie {
    /// The cookie of an attempt. The provider sends the browser back from another site, so it must be `lax`.
    fileprivate static func attempt(_ value: String, maxAge: Int) -> Cookie {
        Cookie(
            name: OpenIDAttempt.cookieName, value: value, maxAge: maxAge, path: "/", secure: true,
            httpOnly: true, sameSite: .lax)
    }
}
