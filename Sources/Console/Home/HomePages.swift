import Web

/// What one sees first.
enum HomePages {
    static let all: [ConsolePage] = [
        ConsolePage("/", in: .home, shows: "GET /v1/admin/me", showHome)
    ]

    @Sendable private static func showHome(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        var page = Page(words["home.title"])
        page.actions = [Way(path: "/numbers", title: words["numbers.title"])]
        guard asked.mayCall("GET /v1/admin/numbers/{measure}") else { return page }
        page.parts = [try await figures(asked), funnel(asked)]
        return page
    }

    private static let measures = [
        "invites.pages", "invites.sign_ups", "invites.friendships", "links.clicks", "people.active",
    ]

    /// This week and the one before, of seven whole days each.
    private static func figures(_ asked: PageRequest) async throws -> Figures {
        let words = asked.words
        var figures: [Figures.Figure] = []
        for measure in measures {
            let numbers = try await asked.api.get(
                apiPath(
                    "v1", "admin", "numbers", measure,
                    query: ["from": words.day(asked.now, plus: -14), "to": words.day(asked.now, plus: -1)]))
            let counts = numbers.list("counts").compactMap(\.int)
            // Who was there on two days would count twice in a sum.
            let days = measure == "people.active" ? 7 : 1
            let (before, now) = (counts.prefix(7).reduce(0, +) / days, counts.suffix(7).reduce(0, +) / days)
            figures.append(
                .init(
                    name: words["measure.\(measure)"], number: words.number(now),
                    note: words("home.before", ["number": words.number(before)]),
                    path: "/numbers/\(measure)"))
        }
        return Figures(figures: figures)
    }

    private static func funnel(_ asked: PageRequest) -> ChartImage {
        let (from, to) = (asked.words.day(asked.now, plus: -7), asked.words.day(asked.now, plus: -1))
        return ChartImage(
            path: apiPath("v1", "admin", "numbers", "invites.funnel", query: ["from": from, "to": to]),
            alternative: asked.words["home.funnelAlternative"])
    }
}
