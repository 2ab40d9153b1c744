import Foundation
import HTTPTypes
package import Hummingbird
package import Kernel
import NIOCore
package import Web

/// The pages of the console's host: how people sign in and out, and where they are signed in.
package struct SignInRoutes: Sendable {
    package let door: ConsoleDoor
    package let attempts: SignInAttempts
    package let sessions: SessionStore
    /// Nil if people sign in by links alone.
    package let provider: OpenIDProvider?
    package let rules: OpenIDRoles
    package let pages: SignInPages
    package let world: World

    package init(
        door: ConsoleDoor, attempts: SignInAttempts, sessions: SessionStore, provider: OpenIDProvider?,
        rules: OpenIDRoles, pages: SignInPages, world: World
    ) {
        (self.door, self.attempts, self.sessions) = (door, attempts, sessions)
        (self.provider, self.rules, self.pages, self.world) = (provider, rules, pages, world)
    }

    /// `GET /` shows who is signed in, and where.
    @Sendable package func home(_ request: Request, context: AppContext) async throws -> Response {
        guard let session = try await door.session(of: request) else { return .seeOther("/sign-in") }
        let all = try await sessions.list(of: session.person, at: world.now())
        return page(request) { pages.home($0, session, all: all) }
    }

    /// `GET /sign-in?returnTo&anew` says how to sign in, with `anew` also to who is signed in.
    @Sendable package func signIn(_ request: Request, context: AppContext) async throws -> Response {
        let (path, isAnew) = (try returnPath(request), try isAnew(request))
        if !isAnew, try await door.session(of: request) != nil { return .seeOther(path.text) }
        return page(request) { pages.signIn($0, path, isAnew: isAnew) }
    }

    /// Whether somebody signs in again, since they did so too long ago for what they want to do.
    func isAnew(_ request: Request) throws(Problem) -> Bool { try request.query.value("anew") == "1" }

    /// `GET /sign-in/{token}?returnTo` shows a button. It uses up nothing, and is no attempt, since programs
    /// look at links in mails.
    @Sendable package func link(_ request: Request, context: AppContext) async throws -> Response {
        let path = try returnPath(request)
        guard let (secret, link) = try await link(context) else {
            return page(refusal: .linkUnknown, request)
        }
        if let why = link.refusal { return page(refusal: why, request) }
        let query = path.text == "/" ? "" : "?returnTo=\(PercentEncoding.encode(path.text))"
        return page(request) {
            pages.link($0, email: link.email, action: "/sign-in/\(secret.text)\(query)")
        }
    }

    /// `POST /sign-in/{token}?returnTo` signs in with a link, once.
    @Sendable package func useLink(_ request: Request, context: AppContext) async throws -> Response {
        try door.requireOwnPage(request)
        let path = try returnPath(request)
        guard let (secret, link) = try await link(context) else {
            return try await refuse(.linkUnknown, of: nil, request, context)
        }
        do {
            let new = try await attempts.store.use(secret, of: link, replacing: door.secret(of: request))
            return signedIn(new, path)
        } catch let why as SignInRefusal {
            return try await refuse(why, of: link.email, request, context)
        }
    }

    /// `POST /sign-out` ends this browser's session.
    @Sendable package func signOut(_ request: Request, context: AppContext) async throws -> Response {
        try door.requireOwnPage(request)
        if let session = try await door.session(of: request) {
            do {
                try await sessions.end(
                    session.id, of: session.person, by: session.actor, as: .signOut, at: world.now())
            } catch PersonError.sessionUnknown {
                // It has ended meanwhile.
            }
            door.sessions.forget()
        }
        var response = Response.seeOther("/sign-in")
        response.setCookie(.session("", maxAge: 0))
        return response
    }

    /// `POST /sessions/{id}/end` ends one of the person's sessions.
    @Sendable package func endSession(_ request: Request, context: AppContext) async throws -> Response {
        try door.requireOwnPage(request)
        guard let session = try await door.session(of: request) else { return .seeOther("/sign-in") }
        guard let id = context.parameters.get("id").flatMap(UUID.init(uuidString:)) else {
            throw PersonError.sessionUnknown
        }
        do {
            try await sessions.end(id, of: session.person, by: session.actor, at: world.now())
        } catch PersonError.sessionUnknown {
            // It has ended meanwhile, or is somebody else's: the page shows what there is.
        }
        door.sessions.forget()
        return .seeOther("/account")
    }

    private func link(_ context: AppContext) async throws -> (secret: SecretText, link: SignInStore.Link)? {
        guard let secret = context.parameters.get("token").flatMap({ SecretText($0) }),
            let link = try await attempts.store.link(secret)
        else { return nil }
        return (secret, link)
    }

    func returnPath(_ request: Request) throws(Problem) -> ReturnPath {
        ReturnPath(try request.query.value("returnTo"))
    }

    /// Returns the way into the console with a new session. The browser's former one has ended.
    func signedIn(_ secret: SecretText, _ path: ReturnPath) -> Response {
        door.sessions.forget()
        var response = Response.seeOther(path.text)
        response.setCookie(.session(secret.text, maxAge: Int(PersonSession.longest)))
        return response
    }

    /// Notes an attempt that is refused, and says why.
    /// - Parameter email: who wanted to sign in. Nil if that is not known.
    func refuse(
        _ why: SignInRefusal, of email: EmailAddress?, detail: String = "", _ request: Request,
        _ context: AppContext
    ) async throws -> Response {
        await attempts.note(why, of: email, detail: detail, to: context.logger)
        return page(refusal: why, request)
    }
}

extension Cookie {
    /// The cookie of a session, which pages of this host alone send, and scripts cannot read.
    fileprivate static func session(_ value: String, maxAge: Int) -> Cookie {
        Cookie(
            name: ConsoleDoor.cookieName, value: value, maxAge: maxAge, path: "/", secure: true,
            httpOnly: true, sameSite: .lax)
    }
}
