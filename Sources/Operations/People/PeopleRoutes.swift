import Foundation
import HTTPTypes
package import Hummingbird
package import Kernel
package import Web

/// The routes of people and sessions, for admins, and `/v1/admin/me`.
package struct PeopleRoutes: Sendable {
    package let people: PersonStore
    package let sessions: SessionStore
    package let cache: SessionCache
    /// The console's origin. Nil if there is none.
    package let console: String?
    package let world: World

    package init(
        people: PersonStore, sessions: SessionStore, cache: SessionCache, console: String?, world: World
    ) {
        (self.people, self.sessions, self.cache) = (people, sessions, cache)
        (self.console, self.world) = (console, world)
    }

    /// `GET /v1/admin/me` says who calls.
    @Sendable package func me(_ request: Request, context: AdminContext) async throws -> OperatorResponse {
        var session: SessionResponse?
        if case .person(let own) = context.caller { session = SessionResponse(own) }
        return OperatorResponse(
            actor: context.actor.text, roles: context.roles.names, session: session)
    }

    /// `GET /v1/admin/people` lists who may sign in, by address.
    @Sendable package func list(_ request: Request, context: AdminContext) async throws -> PeopleResponse {
        PeopleResponse(people: try await people.list().map(PersonResponse.init))
    }

    /// `GET /v1/admin/people/{email}` shows a person.
    @Sendable package func show(_ request: Request, context: AdminContext) async throws -> PersonResponse {
        guard let person = try await people.find(try email(context)), person.removedAt == nil else {
            throw PersonError.unknown
        }
        return PersonResponse(person)
    }

    /// `PUT /v1/admin/people/{email}` adds a person, or gives them other roles, which ends their sessions.
    @Sendable package func set(
        _ request: Request, context: AdminContext
    ) async throws -> EditedResponse<PersonResponse> {
        let body = try await request.decode(as: PersonRequest.self, context: context)
        let roles = try body.checkedRoles()
        guard let email = Self.email(context) else {
            throw Problem.invalid("email", "must be a mail address in ASCII, as in ann@example.com")
        }
        if !roles.contains(.admin) { try requireOther(than: email, context) }
        let change = try await people.set(email, roles: roles, by: context.actor, at: world.now())
        cache.forget()
        return EditedResponse(
            status: change.formerRoles == nil ? .created : .ok, response: PersonResponse(change.person))
    }

    /// `DELETE /v1/admin/people/{email}` removes a person, and ends their sessions.
    @Sendable package func remove(_ request: Request, context: AdminContext) async throws
        -> HTTPResponse.Status
    {
        let email = try email(context)
        try requireOther(than: email, context)
        try await people.remove(email, by: context.actor, at: world.now())
        cache.forget()
        return .noContent
    }

    /// `POST /v1/admin/people/{email}/sign-in-links` makes a link with which the person signs in once.
    @Sendable package func makeLink(
        _ request: Request, context: AdminContext
    ) async throws -> EditedResponse<SignInLinkResponse> {
        guard let console else {
            throw Problem(.conflict, "no_console", "The operator has set no KITH_CONSOLE_URL.")
        }
        let link = try await people.makeLink(for: try email(context), by: context.actor, world: world)
        return EditedResponse(
            status: .created,
            response: SignInLinkResponse(
                url: link.secret.signInURL(at: console), expiresAt: link.expiresAt))
    }

    /// `GET /v1/admin/sessions` lists the sessions that are in force, newest first, at most 1,000.
    @Sendable package func listSessions(
        _ request: Request, context: AdminContext
    ) async throws -> SessionsResponse {
        SessionsResponse(sessions: try await sessions.list(at: world.now()).map(SessionResponse.init))
    }

    /// `DELETE /v1/admin/sessions/{id}` ends a session.
    @Sendable package func endSession(_ request: Request, context: AdminContext) async throws
        -> HTTPResponse.Status
    {
        guard let id = context.parameters.get("id").flatMap(UUID.init(uuidString:)) else {
            throw PersonError.sessionUnknown
        }
        try await sessions.end(id, by: context.actor, at: world.now())
        cache.forget()
        return .noContent
    }

    /// Throws if the caller is the person whose role `admin` they take away.
    private func requireOther(than email: EmailAddress, _ context: AdminContext) throws(PersonError) {
        if case .person(let own) = context.caller, own.email == email { throw .ownRole }
    }

    private func email(_ context: AdminContext) throws(PersonError) -> EmailAddress {
        guard let email = Self.email(context) else { throw .unknown }
        return email
    }

    private static func email(_ context: AdminContext) -> EmailAddress? {
        context.parameters.get("email").flatMap { PercentEncoding.decode($0.utf8) }.flatMap(EmailAddress.init)
    }
}
