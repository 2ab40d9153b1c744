import Foundation
import Kernel
import Web

/// Keys with which programs call the API.
enum KeyPages {
    static let all: [ConsolePage] = [
        ConsolePage(
            "/access/keys", in: .access, shows: "GET /v1/admin/keys",
            acts: [
                Act("create", calls: "POST /v1/admin/keys", createKey),
                Act("revoke", calls: "DELETE /v1/admin/keys/{id}", revokeKey),
            ], showKeys)
    ]

    private static func fields(_ words: Words) -> [Field] {
        let scopes = APIKey.Scope.allCases.map { scope in
            let text = scope.role == nil ? "keys.scope.\(scope.rawValue)" : "access.role.\(scope.rawValue)"
            return Field.Choice(value: scope.rawValue, title: words[text])
        }
        return [
            Field(
                "name", words["keys.name"], hint: words["keys.nameHint"], example: "backend", isNeeded: true),
            Field("scope", words["keys.scope"], .choice(scopes), value: "server", isNeeded: true),
            Field("actsForUsers", words["keys.actsForUsers"], .check, hint: words["keys.actsForUsersHint"]),
            Field("expiresInDays", words["keys.days"], .number, hint: words["keys.daysHint"], value: "365"),
        ]
    }

    @Sendable private static func showKeys(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let keys = try await asked.api.get("/v1/admin/keys").list("keys")
        let create = asked.form("create", fields(words), submit: words["keys.create"], isOnce: true)
        var page = Page(words["keys.title"], lead: words["keys.lead"])
        page.parent = (path: "/access", title: words["area.access"])
        page.parts = [
            keys.isEmpty ? Empty(text: words["keys.none"]) : table(of: keys, asked),
            Section(
                words["keys.new"], create.map { [$0] } ?? [],
                isClosed: asked.refused?.act != "create" && !keys.isEmpty),
        ]
        return page
    }

    private static func table(of keys: [JSONTree], _ asked: PageRequest) -> Table {
        let words = asked.words
        let rows = keys.map { key -> [Cell] in
            let revoke = asked.form(
                "revoke", [], submit: words["keys.revoke"], kind: .danger, hidden: [("id", key.text("id"))],
                question: words("keys.revokeQuestion", ["name": key.text("name")]))
            let isOver = !key.text("revokedAt").isEmpty
            return [
                .many([.text(key.text("name")), .code(key.text("id"))]),
                .many(
                    [.badge(.plain, key.text("scope"))]
                        + (key["actsForUsers"]?.bool == true ? [.text(words["keys.actsForUsers"])] : [])),
                .many([.time(key.text("createdAt")), .text(key.text("createdBy"))]),
                key.text("usedAt").isEmpty ? .text(words["keys.unused"]) : .time(key.text("usedAt")),
                end(of: key, asked), isOver ? .none : revoke.map(Cell.button) ?? .none,
            ]
        }
        let columns = [
            "keys.name", "keys.scope", "keys.made", "keys.used", "keys.end", "access.acts",
        ]
        return Table(words["keys.title"], columns.map { words[$0] }, rows)
    }

    private static func end(of key: JSONTree, _ asked: PageRequest) -> Cell {
        let words = asked.words
        if let time = key.text("revokedAt").nonEmpty {
            return .many([.badge(.bad, words["keys.revoked"]), .time(time)])
        }
        guard let time = key.text("expiresAt").nonEmpty else { return .text(words["keys.never"]) }
        let isOver = Words.date(time).map { $0 <= asked.now } ?? false
        return isOver ? .many([.badge(.bad, words["keys.expired"]), .time(time)]) : .time(time)
    }

    @Sendable private static func createKey(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        let words = asked.words
        let body = entries.body(fields(words))
        let made = try await asked.api.send(
            APICall(
                method: .post, path: "/v1/admin/keys", once: entries[Entries.once].nonEmpty,
                body: body.json)
        ).json
        var page = Page(words("keys.madeTitle", ["name": made.text("name")]))
        page.parent = (path: "/access/keys", title: words["keys.title"])
        if let key = made.text("key").nonEmpty {
            page.parts = [Notice(.warning, words["keys.onceOnly"]), Code(key)]
        } else {
            let ways = [Way(path: "/access/keys", title: words["keys.title"])]
            page.parts = [Notice(.warning, words["keys.madeBefore"], ways: ways)]
        }
        return .page(page)
    }

    @Sendable private static func revokeKey(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        try await asked.api.send(
            APICall(method: .delete, path: apiPath("v1", "admin", "keys", entries["id"])))
        return .done("keys.revoked", at: "/access/keys")
    }
}
