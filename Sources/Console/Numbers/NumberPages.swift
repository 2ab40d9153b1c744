import Foundation
import Web

/// Any measure: its numbers by time and by what divides it, as a picture and a table.
enum NumberPages {
    static let all: [ConsolePage] = [
        ConsolePage("/numbers", in: .home, shows: "GET /v1/admin/numbers", listMeasures),
        ConsolePage("/numbers/{measure}", in: .home, shows: "GET /v1/admin/numbers/{measure}", showMeasure),
    ]

    /// What measures are about, by how their names begin.
    private static let families = [
        "links": "links", "invites": "invites", "cohorts": "invites", "people": "people",
        "friendships": "people", "versions": "versions", "offers": "rewards", "purchases": "rewards",
        "rewards": "rewards",
    ]
    /// In the order of the page. What begins in no known way is among the others.
    private static let order = ["links", "invites", "people", "versions", "rewards", "others"]

    @Sendable private static func listMeasures(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let answer = try await measures(asked)
        var page = Page(words["numbers.title"], lead: words["numbers.lead"])
        page.parent = (path: "/", title: words["area.home"])
        var search = Form(
            act: nil, fields: [Field("q", words["numbers.search"], .search, value: asked.value("q"))],
            submit: words["kit.show"], kind: .plain)
        search.isRow = true
        let sections = sections(of: answer, fitting: asked.value("q"), words)
        page.parts = [search]
        if sections.isEmpty {
            let all = Way(path: "/numbers", title: words["numbers.all"])
            page.parts.append(Empty(text: words["numbers.noneFound"], way: all))
        } else {
            page.parts.append(Ways(sections.map { Way(path: "#\($0.id ?? "")", title: $0.title) }))
            page.parts += sections
        }
        return page
    }

    /// Returns a table a family of those measures and funnels in whose names a text stands.
    private static func sections(of answer: JSONTree, fitting text: String, _ words: Words) -> [Section] {
        let all = answer.list("measures") + answer.list("funnels")
        let fitting = all.filter { one in
            text.isEmpty
                || ["title", "name", "summary"].contains {
                    one.text($0).range(of: text, options: [.caseInsensitive, .widthInsensitive]) != nil
                }
        }
        let byFamily = Dictionary(grouping: fitting) { one in
            families[String(one.text("name").prefix { $0 != "." })] ?? "others"
        }
        let columns = ["numbers.measure", "numbers.by", "numbers.name"].map { words[$0] }
        return order.compactMap { family in
            guard let found = byFamily[family] else { return nil }
            let title = words["numbers.family.\(family)"]
            let rows = found.map { row(of: $0, answer, words) }
            return Section(title, [Table(title, columns, rows)], id: family)
        }
    }

    private static func row(of measure: JSONTree, _ answer: JSONTree, _ words: Words) -> [Cell] {
        let (name, dimensions) = (measure.text("name"), measure.texts("by"))
        // The funnel, which does not divide, has its place among the pictures of invites.
        let path = measure["by"] == nil ? "/invites" : "/numbers/\(name)"
        return [
            .link(path, measure.text("title")),
            dimensions.isEmpty
                ? .none
                : .text(
                    dimensions.map { answer.text("dimensions.\($0)") }
                        .joined(separator: words["kit.comma"])),
            .code(name),
        ]
    }

    /// Returns what there are numbers of, with names in the reader's language.
    private static func measures(_ asked: PageRequest) async throws -> JSONTree {
        try await asked.api.get(apiPath("v1", "admin", "numbers", query: ["hl": asked.words.language]))
    }

    @Sendable private static func showMeasure(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let name = asked.parameter("measure")
        let all = try await measures(asked)
        guard let measure = all.list("measures").first(where: { $0.text("name") == name }) else {
            throw APIProblem(404, "not_found", "There is no such measure.")
        }
        let (from, to) = (
            asked.value("from").nonEmpty ?? words.day(asked.now, plus: -29),
            asked.value("to").nonEmpty ?? words.day(asked.now)
        )
        let path = apiPath(
            "v1", "admin", "numbers", name,
            query: ["from": from, "to": to, "per": asked.value("per"), "by": asked.value("by")])
        var page = Page(measure.text("title"), lead: measure.text("summary"))
        page.parent = (path: "/numbers", title: words["numbers.title"])
        var filter = Form(
            act: nil,
            fields: [
                Field("from", words["numbers.from"], .day, value: from),
                Field("to", words["numbers.to"], .day, value: to),
                Field(
                    "per", words["numbers.per"],
                    .choice(
                        ["day", "week", "month"].map { .init(value: $0, title: words["numbers.per.\($0)"]) }),
                    value: asked.value("per")),
                Field(
                    "by", words["numbers.by"],
                    .choice(
                        [.init(value: "", title: words["numbers.undivided"])]
                            + measure.texts("by").map {
                                .init(value: $0, title: all.text("dimensions.\($0)"))
                            }), value: asked.value("by")),
            ], submit: words["kit.show"], kind: .plain)
        filter.isRow = true
        let answer = try await asked.api.get(path)
        page.parts = [
            filter, ChartImage(path: path, alternative: page.title),
            Section(words["numbers.table"], [table(answer, page.title, words)], isClosed: true),
        ]
        return page
    }

    private static func table(_ answer: JSONTree, _ title: String, _ words: Words) -> any Part {
        let series = answer.list("series")
        let columns = [words["numbers.time"], words["numbers.total"]] + series.map { $0.text("value") }
        let counts = [answer.list("counts")] + series.map { $0.list("counts") }
        let rows = answer.texts("times").enumerated().map { place, time -> [Cell] in
            [.text(time)]
                + counts.map { $0.indices.contains(place) ? $0[place].int.map(Cell.number) ?? .none : .none }
        }
        return Table(title, columns, Array(rows.reversed()))
    }
}
