import HTTPTypes
import Kernel
import Web

/// Who may work here: people, their roles and their sessions.
extension Console {
    static let access: [ConsolePage] = [
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
        var page = Page(words["area.access"], lead: words["access.lead"])
        let rows = people.list("people").map { person -> [Cell] in
            let hidden = [("email", person.text("email"))]
            return [
                .text(person.text("email")), .badges(person.texts("roles")), .time(person.text("createdAt")),
                .many(
                    [
                        asked.form("link", [], submit: words["access.link"], kind: .plain, hidden: hidden),
                        asked.form(
                            "remove", [], submit: words["access.remove"], kind: .danger, hidden: hidden,
                            question: words("access.removeQuestion", ["email": person.text("email")])),
                    ].compactMap { $0.map(Cell.button) }),
            ]
        }
        let roles = Role.allCases.map {
            Field("role.\($0.rawValue)", words["access.role.\($0.rawValue)"], .check)
        }
        let add = asked.form(
            "set",
            [Field("email", words["access.email"], example: "ann@example.com", isNeeded: true)] + roles,
            submit: words["access.set"])
        let sessionRows = sessions.list("sessions").map { session -> [Cell] in
            [
                .text(session.text("email")), .text(words["access.method.\(session.text("method"))"]),
                .time(session.text("beganAt")), .time(session.text("seenAt")),
                asked.form(
                    "end", [], submit: words["access.end"], kind: .plain, hidden: [("id", session.text("id"))]
                ).map(Cell.button) ?? .none,
            ]
        }
        page.parts = [
            Section(
                words["access.people"],
                [
                    Table(
                        words["access.people"],
                        ["access.email", "access.roles", "access.since", "access.acts"].map { words[$0] },
                        rows)
                ]),
            Section(
                words["access.add"], lead: words["access.addLead"], [add].compactMap(\.self),
                isClosed: asked.refused?.act != "set"),
            Section(
                words["access.sessions"],
                [
                    Table(
                        words["access.sessions"],
                        ["access.email", "access.method", "access.since", "access.seen", "access.acts"].map {
                            words[$0]
                        }, sessionRows)
                ]),
        ]
        return page
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
