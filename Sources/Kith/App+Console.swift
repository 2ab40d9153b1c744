import HTTPTypes
import Hummingbird
import Kernel
import Operations
import Web

/// The console: where people sign in who run the service, and call what operators may.
extension App {
    /// The door of the console. Nil if there is none.
    var door: ConsoleDoor? { config.console.url.map { ConsoleDoor(origin: $0, sessions: sessions) } }

    /// The routes of people, for keys and people.
    var routesOfPeople: [Route] {
        let (people, person) = (peopleRoutes, "/v1/admin/people/{email}")
        return [
            Route(.get, "/v1/admin/me", .admin(people.me, or: Set(Role.allCases))),
            Route(.get, "/v1/admin/people", .admin(people.list)),
            Route(.get, person, .admin(people.show)),
            Route(.put, person, .admin(people.set)),
            Route(.delete, person, .admin(people.remove)),
            Route(.post, "\(person)/sign-in-links", .admin(people.makeLink), hasBody: false),
            Route(.get, "/v1/admin/sessions", .admin(people.listSessions)),
            Route(.delete, "/v1/admin/sessions/{id}", .admin(people.endSession)),
        ]
    }

    /// Returns the routes at the console's host: its pages, and all that operators may call.
    func routes(ofConsole console: ConsoleRoutes) -> [Route] {
        let ofOperators = routes.filter { route in
            if case .keys = route.rules.callers { true } else { false }
        }
        return ofOperators + [
            .page("/", console.home),
            .page("/sign-in", console.signIn),
            .page("/sign-in/{token}", console.link),
            .form("/sign-in/{token}", console.useLink, addressLimit: .signins),
            .page("/sign-in/openid", console.startOpenID, addressLimit: .signins),
            .page("/sign-in/openid/callback", console.endOpenID, addressLimit: .signins),
            .form("/sign-out", console.signOut),
            .form("/sessions/{id}/end", console.endSession),
        ]
    }

    /// Returns the router of the console's host. Nil if there is none.
    func routerOfConsole() -> Router<AppContext>? {
        guard let console = consoleRoutes else { return nil }
        return router(routes(ofConsole: console), at: console)
    }

    var consoleRoutes: ConsoleRoutes? {
        door.map { door in
            ConsoleRoutes(
                door: door, attempts: attempts, sessions: SessionStore(db: db), provider: openID,
                rules: config.console.roles,
                pages: ConsolePages(
                    provider: config.console.issuer.flatMap { WebURL(written: $0)?.host }),
                world: world)
        }
    }

    private var peopleRoutes: PeopleRoutes {
        PeopleRoutes(
            people: PersonStore(db: db), sessions: SessionStore(db: db), cache: sessions,
            console: config.console.url, world: world)
    }
}
