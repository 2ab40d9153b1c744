import Web

/// What one does to a branch of invites: a person's, and those of all who came by them.
enum BranchActs {
    static let all = [
        Act("freeze", calls: "PUT /v1/admin/users/{uid}/invite-freeze", freeze),
        Act("unfreeze", calls: "DELETE /v1/admin/users/{uid}/invite-freeze", unfreeze),
        Act("undo", calls: "POST /v1/admin/users/{uid}/undo-invites", undo),
    ]

    static func sections(_ asked: PageRequest) -> [any Part] {
        let words = asked.words
        let reason = Field("reason", words["items.reason"], hint: words["people.reasonHint"], isNeeded: true)
        let offered: [(act: String, submit: String)] = [
            ("freeze", "people.count"), ("unfreeze", "people.unfreeze"), ("undo", "people.count"),
        ]
        var sections: [any Part] = []
        for (act, submit) in offered {
            guard let form = asked.form(act, [reason], submit: words[submit]) else { continue }
            sections.append(
                Section(
                    words["people.\(act)"], lead: words["people.\(act)Lead"], [form],
                    isClosed: asked.refused?.act != act))
        }
        return sections
    }

    private static func call(_ asked: PageRequest, _ what: String) -> String {
        apiPath("v1", "admin", "users", asked.parameter("uid")) + "/\(what)"
    }

    @Sendable private static func freeze(_ asked: PageRequest, _ entries: Entries) async throws -> Act.Outcome
    {
        guard entries["counted"] == "true" else {
            return try await count("freeze", ["users", "unfrozen"], asked, entries)
        }
        let body = JSONBody.object(["reason": .text(entries["reason"])])
        try await asked.api.send(
            APICall(method: .put, path: call(asked, "invite-freeze"), body: body.json))
        return .done("people.done", at: asked.path)
    }

    @Sendable private static func unfreeze(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        let path = call(asked, "invite-freeze").appending(query: ["reason": entries["reason"]])
        try await asked.api.send(APICall(method: .delete, path: path))
        return .done("people.done", at: asked.path)
    }

    @Sendable private static func undo(_ asked: PageRequest, _ entries: Entries) async throws -> Act.Outcome {
        let what = ["users", "friendships", "unfrozen"]
        guard entries["counted"] == "true" else { return try await count("undo", what, asked, entries) }
        let answer = try await undo(asked, entries, isTrial: false)
        // A call ends some at a time.
        guard answer.int("friendships") > 0 else { return .done("people.done", at: asked.path) }
        return .page(counted(answer, "undo", what, asked, entries))
    }

    private static func undo(
        _ asked: PageRequest, _ entries: Entries, isTrial: Bool
    ) async throws -> JSONTree {
        let body = JSONBody.object(["reason": .text(entries["reason"]), "dryRun": .bool(isTrial)])
        return try await asked.api.send(
            APICall(method: .post, path: call(asked, "undo-invites"), body: body.json)
        ).json
    }

    private static func count(
        _ act: String, _ what: [String], _ asked: PageRequest, _ entries: Entries
    ) async throws -> Act.Outcome {
        .page(counted(try await undo(asked, entries, isTrial: true), act, what, asked, entries))
    }

    /// Shows what an act would do, and a button that does it.
    private static func counted(
        _ answer: JSONTree, _ act: String, _ what: [String], _ asked: PageRequest, _ entries: Entries
    ) -> Page {
        let words = asked.words
        var page = Page(words["people.\(act)"], lead: words["people.undoWould"])
        page.parent = (path: asked.path, title: words["people.back"])
        page.parts = [
            Figures(
                figures: what.map {
                    .init(name: words["people.undo.\($0)"], number: words.number(answer.int($0)))
                })
        ]
        let form = asked.form(
            act, [], submit: words["people.\(act)Now"], kind: .danger,
            hidden: [("reason", entries["reason"]), ("counted", "true")])
        if let form { page.parts.append(form) }
        return page
    }
}
