import Console
import Counts
import HTTPTypes
import Hummingbird
import Kernel
import Operations
import Web

/// The console: where people sign in who run the service, and call what operators may.
extension App {
    /// The door of the console. Nil if there is none.
    var door: ConsoleDoor? { config.console.url.map { ConsoleDoor(origin: $0, sessions: sessions) } }

    /// Returns the router of the console's host. Nil if there is none.
    func routerOfConsole() -> Router<AppContext>? {
        guard let signIn = signInRoutes, let door else { return nil }
        let calls = routes.filter { if case .keys = $0.rules.callers { true } else { false } }
        let responder = router(calls, at: signIn).buildResponder()
        let console = ConsoleRoutes(
            door: door, sessions: SessionStore(db: db), world: world, zone: config.counts.zone,
            appName: config.app.name, routes: calls, showsKit: isForDevelopment
        ) { request, context in
            try await responder.respond(to: request, context: context)
        }
        return router(calls + routes(ofSignIn: signIn) + console.routes, at: signIn)
    }

    var signInRoutes: SignInRoutes? {
        door.map { door in
            SignInRoutes(
                door: door, attempts: attempts, sessions: SessionStore(db: db), provider: openID,
                rules: config.console.roles,
                pages: SignInPages(
                    provider: config.console.issuer.flatMap { WebURL(written: $0)?.host }),
                world: world)
        }
    }

    var peopleRoutes: PeopleRoutes {
        PeopleRoutes(
            people: PersonStore(db: db), sessions: SessionStore(db: db), cache: sessions,
            console: config.console.url, world: world)
    }

    var keyRoutes: KeyRoutes { KeyRoutes(keys: APIKeyStore(db: db), world: world) }
}
