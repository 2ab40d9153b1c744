import Web

/// The events that are kept, the newest first, and new ones as they come.
enum EventPages {
    static let all: [ConsolePage] = [
        ConsolePage("/events/all", in: .events, shows: "GET /v1/admin/events", listEvents)
    ]

    private static let path = "/events/all"
    private static let limit = 50

    @Sendable private static func listEvents(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let (type, after, before) = (asked.value("type"), asked.value("after"), asked.value("before"))
        // One more than is shown tells whether there are further ones.
        let found = try await asked.api.get(
            apiPath(
                "v1", "admin", "events",
                query: [
                    "order": after.isEmpty ? "newest" : nil, "after": after,
                    "before": after.isEmpty ? before : nil, "type": type, "limit": "\(limit + 1)",
                ])
        ).list("events")
        let events = after.isEmpty ? Array(found.prefix(limit)) : found.prefix(limit).reversed()
        let isNewest = after.isEmpty && before.isEmpty
        var page = Page(words["events.all"], lead: words["events.allLead"])
        page.parent = (path: "/events", title: words["area.events"])
        page.parts = [filter(type, words)]
        page.parts.append(
            events.isEmpty ? Empty(text: words["events.none"]) : table(of: events, words))
        let hasMore = found.count > limit
        page.parts += ways(
            events, type, isNewest: isNewest, hasNewer: !before.isEmpty || hasMore,
            hasOlder: !after.isEmpty || hasMore, words)
        page.refreshes = isNewest ? 5 : nil
        return page
    }

    private static func filter(_ type: String, _ words: Words) -> Form {
        let all = Field.Choice(value: "", title: words["events.anyType"])
        let types = words.choices(under: "events.kind.")
        var form = Form(
            act: nil, fields: [Field("type", words["events.type"], .choice([all] + types), value: type)],
            submit: words["kit.show"], kind: .plain)
        form.isRow = true
        return form
    }

    private static func table(of events: [JSONTree], _ words: Words) -> Table {
        let rows = events.map { event -> [Cell] in
            let type = event.text("type")
            let title = words.text(ifAny: "events.kind.\(type)") ?? type
            return [
                .time(event.text("timestamp")), .many([.badge(.plain, title), .code(type)]),
                person(event.at("data.user")), about(event["data"], words), .code(event.text("id")),
            ]
        }
        let columns = ["changes.at", "events.type", "audit.uid", "events.about", "events.id"]
        return Table(words["events.all"], columns.map { words[$0] }, rows)
    }

    private static func person(_ user: JSONTree?) -> Cell {
        guard let user, let uid = user.text("uid").nonEmpty else { return .none }
        return .link(PagePath.of(uid, in: "/people"), user.text("username").nonEmpty ?? uid)
    }

    /// The other one of two, and the facts of the event.
    private static func about(_ data: JSONTree?, _ words: Words) -> Cell {
        let cells = (data?.members ?? []).compactMap { member -> Cell? in
            guard !["user", "badge"].contains(member.key) else { return nil }
            if member.value["uid"] != nil { return person(member.value) }
            return words.detail(member).map(Cell.long)
        }
        return cells.isEmpty ? .none : .many(cells)
    }

    /// The ways to the events before and after those that are shown.
    private static func ways(
        _ events: [JSONTree], _ type: String, isNewest: Bool, hasNewer: Bool, hasOlder: Bool, _ words: Words
    ) -> [any Part] {
        var ways: [Way] = []
        if !isNewest {
            ways.append(Way(path: path.appending(query: ["type": type]), title: words["events.newest"]))
            if hasNewer, let first = events.first {
                ways.append(
                    Way(
                        path: path.appending(query: ["type": type, "after": first.text("id")]),
                        title: words["events.newer"]))
            }
        }
        if hasOlder, let last = events.last {
            ways.append(
                Way(
                    path: path.appending(query: ["type": type, "before": last.text("id")]),
                    title: words["events.older"]))
        }
        return ways.isEmpty ? [] : [Ways(ways)]
    }
}
