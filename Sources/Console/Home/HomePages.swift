import Web

/// What one sees first: what needs somebody, and how invites do.
enum HomePages {
    static let all: [ConsolePage] = [
        ConsolePage("/", in: .home, shows: "GET /v1/admin/me", showHome)
    ]

    @Sendable private static func showHome(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        var page = Page(words["home.title"])
        async let needs = HomeNeeds.parts(asked)
        guard asked.mayCall("GET /v1/admin/numbers/{measure}") else {
            page.parts = await needs
            return page
        }
        page.actions = [Way(path: "/numbers", title: words["numbers.title"])]
        let weeks = await asked.together(measures.map { measure in { try await week(measure, asked) } })
        page.parts = await needs
        if weeks.allSatisfy({ $0?.isEmpty == true }) { page.parts += await HomeSetup.parts(asked) }
        page.parts += [figures(weeks, words), funnel(asked)] as [any Part]
        return page
    }

    private static let measures = [
        "invites.pages", "invites.sign_ups", "invites.friendships", "links.clicks", "people.active",
    ]

    /// The last seven whole days, and the seven before.
    private struct Week: Sendable {
        let sums: (before: Int, now: Int)
        /// By how many days the sums are divided.
        let days: Int

        var before: Int { sums.before / days }
        var now: Int { sums.now / days }
        var isEmpty: Bool { sums == (0, 0) }
    }

    private static func week(_ measure: String, _ asked: PageRequest) async throws -> Week {
        let words = asked.words
        let numbers = try await asked.api.get(
            apiPath(
                "v1", "admin", "numbers", measure,
                query: ["from": words.day(asked.now, plus: -14), "to": words.day(asked.now, plus: -1)]))
        let counts = numbers.list("counts").compactMap(\.int)
        // Who was there on two days would count twice in a sum.
        return Week(
            sums: (counts.prefix(7).reduce(0, +), counts.suffix(7).reduce(0, +)),
            days: measure == "people.active" ? 7 : 1)
    }

    private static func figures(_ weeks: [Week?], _ words: Words) -> Figures {
        Figures(
            figures: zip(measures, weeks).map { measure, week in
                .init(
                    name: words["measure.\(measure)"], number: week.map { words.number($0.now) } ?? "–",
                    note: week.map { words("home.before", ["number": words.number($0.before)]) }
                        ?? words["home.unread"],
                    path: "/numbers/\(measure)")
            })
    }

    private static func funnel(_ asked: PageRequest) -> ChartImage {
        let (from, to) = (asked.words.day(asked.now, plus: -7), asked.words.day(asked.now, plus: -1))
        return ChartImage(
            path: apiPath("v1", "admin", "numbers", "invites.funnel", query: ["from": from, "to": to]),
            alternative: asked.words["home.funnelAlternative"])
    }
}
