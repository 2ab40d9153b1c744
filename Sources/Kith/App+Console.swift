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

    var peopleRoutes: PeopleRoutes {
        PeopleRoutes(
            people: PersonStore(db: db), sessions: SessionStore(db: db), cache: sessions,
            console: config.console.url, world: world)
    }
}
