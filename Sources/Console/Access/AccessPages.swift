import Kernel
import Web

/// Who may work here: people, their roles and their sessions.
enum AccessPages {
    static let all: [ConsolePage] = [
        ConsolePage(
            "/access", in: .access, shows: "GET /v1/admin/people",
            acts: [
                Act("set", calls: "PUT /v1/admin/people/{email}", setPerson),
                Act("link", calls: "POST /v1/admin/people/{email}/sign-in-links", makeLink),
                Act("remove", calls: "DELETE /v1/admin/people/{email}", removePerson),
                Act("end", calls: "DELETE /v1/admin/sessions/{id}", endSession),
            ], showAccess)
    ]

    @Sendable private static func showAccess(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let people = try await asked.api.get("/v1/admin/people")
        let sessions = try await asked.api.get("/v1/admin/sessions")
        let roles = Role.allCases.map {
            Field("role.\($0.rawValue)", words["access.role.\($0.rawValue)"], .check)
        }
        let email = Field("email", words["access.email"], example: "ann@example.com", isNeeded: true)
        let add = asked.form("set", [email] + roles, submit: words["access.set"])
        var page = Page(words["area.access"], lead: words["access.lead"])
        page.actions = [Way(path: "/access/keys", title: words["keys.title"])]
        page.parts = [
            Section(words["access.people"], [table(ofPeople: people, asked)]),
            Section(
                words["access.add"], lead: words["access.addLead"], [add].compactMap(\.self),
                isClosed: asked.refused?.act != "set"),
            Section(words["access.sessions"], [table(ofSessions: sessions, asked)]),
        ]
        return page
    }

    private static func table(ofPeople answer: JSONTree, _ asked: PageRequest) -> Table {
        let words = asked.words
        let rows = answer.list("people").map { person -> [Cell] in
            let email = person.text("email")
            let forms = [
                asked.form(
                    "link", [], submit: words["access.link"], kind: .plain, hidden: [("email", email)]),
                asked.form(
                    "remove", [], submit: words["access.remove"], kind: .danger, hidden: [("email", email)],
                    question: words("access.removeQuestion", ["email": email])),
            ]
            return [
                .text(email), .badges(person.texts("roles")), .time(person.text("createdAt")),
                .many(forms.compactMap { $0.map(Cell.button) }),
            ]
        }
        let columns = ["access.email", "access.roles", "access.since", "access.acts"]
        return Table(words["access.people"], columns.map { words[$0] }, rows)
    }

    private static func table(ofSessions answer: JSONTree, _ asked: PageRequest) -> Table {
        let words = asked.words
        let rows = answer.list("sessions").map { session -> [Cell] in
            let end = asked.form(
                "end", [], submit: words["access.end"], kind: .plain, hidden: [("id", session.text("id"))])
            return [
                .text(session.text("email")), .text(words["access.method.\(session.text("method"))"]),
                .time(session.text("beganAt")), .time(session.text("seenAt")), end.map(Cell.button) ?? .none,
            ]
        }
        let columns = ["access.email", "access.method", "access.since", "access.seen", "access.acts"]
        return Table(words["access.sessions"], columns.map { words[$0] }, rows)
    }

    @Sendable private static func setPerson(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        let roles = Role.allCases.filter { entries["role.\($0.rawValue)"] == "true" }.map {
            JSONBody.text($0.rawValue)
        }
        let body = JSONBody.object(["roles": .list(roles)])
        try await asked.api.send(
            APICall(method: .put, path: apiPath("v1", "admin", "people", entries["email"]), body: body.json))
        return .done("access.set", at: "/access")
    }

    @Sendable private static func makeLink(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        let made = try await asked.api.send(
            APICall(
                method: .post, path: apiPath("v1", "admin", "people", entries["email"]) + "/sign-in-links")
        ).json
        var page = Page(
            asked.words("access.linkFor", ["email": entries["email"]]), lead: asked.words["access.linkLead"])
        page.parent = (path: "/access", title: asked.words["area.access"])
        page.parts = [Code(made.text("url"))]
        return .page(page)
    }

    @Sendable private static func removePerson(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        try await asked.api.send(
            APICall(method: .delete, path: apiPath("v1", "admin", "people", entries["email"])))
        return .done("access.removed", at: "/access")
    }

    @Sendable private static func endSession(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        try await asked.api.send(
            APICall(method: .delete, path: apiPath("v1", "admin", "sessions", entries["id"])))
        return .done("access.ended", at: "/access")
    }
}
