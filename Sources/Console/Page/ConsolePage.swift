/// A page of the console as a value: where it is, which call of the API it shows, and how it is made.
struct ConsolePage: Sendable {
    typealias Make = @Sendable (PageRequest) async throws -> Page

    /// A template such as `/links/{code}`.
    let path: String
    let area: Area
    /// The call that it shows, as its route is written: `GET /v1/links`. Who may make it sees the page.
    let call: String
    let acts: [Act]
    let make: Make

    init(_ path: String, in area: Area, shows call: String, acts: [Act] = [], _ make: @escaping Make) {
        (self.path, self.area, self.call, self.acts, self.make) = (path, area, call, acts, make)
    }

    /// The path of the same page for a name that its path cannot hold: it stands in the query. Nil if the
    /// path ends with no name.
    var namedPath: String? {
        guard path.hasSuffix("}"), let slash = path.lastIndex(of: "/") else { return nil }
        return path[...slash] + PagePath.named
    }
}

/// What a form of a page does.
struct Act: Sendable {
    typealias Run = @Sendable (PageRequest, Entries) async throws -> Outcome

    /// What follows once it is done.
    enum Outcome: Sendable {
        /// The browser goes to a page, which says what was done: the key of a text.
        case done(String, at: String)
        /// The answer is this page: what is shown once, or what would happen.
        case page(Page)
        /// The answer is the page of the form again, with what was entered.
        case again
        /// The answer is a file, as the API gave it.
        case file(APIAnswer)
    }

    let name: String
    /// The call that it makes, as its route is written. Who may not make it does not see the form.
    let call: String
    let run: Run

    init(_ name: String, calls call: String, _ run: @escaping Run) {
        (self.name, self.call, self.run) = (name, call, run)
    }
}

/// A part of the console, as the navigation shows it.
enum Area: String, CaseIterable, Sendable {
    case home, links, invites, people, updates, experiments, rewards, apps, events, changes, access

    /// Its first page.
    var path: String {
        switch self {
        case .home: "/"
        // Below /links are pages of the API.
        case .links: "/deep-links"
        default: "/\(rawValue)"
        }
    }
}
