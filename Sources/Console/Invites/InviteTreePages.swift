import Web

/// Who invited whom: a person, who brought them, and whom they brought. Each of these leads on to their own.
enum InviteTreePages {
    static let all: [ConsolePage] = [
        ConsolePage(
            "/invites/{uid}", in: .invites, shows: "GET /v1/admin/users/{uid}/invitees",
            acts: BranchActs.all, showTree)
    ]

    static func path(of uid: String) -> String { PagePath.of(uid, in: "/invites") }

    private static let limit = 20

    @Sendable private static func showTree(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let uid = asked.parameter("uid")
        let tree = try await asked.api.get(
            (apiPath("v1", "admin", "users", uid) + "/invitees").appending(query: [
                "limit": "\(limit)", "after": asked.value("after"),
            ]))
        let name = tree.text("username").nonEmpty ?? uid
        var page = Page(words("trees.title", ["name": name]), lead: words["trees.lead"])
        page.parent = (path: "/inviters", title: words["inviters.title"])
        page.actions = [Way(path: PagePath.of(uid, in: "/people"), title: words["trees.person"])]
        let rest = tree.list("below").first.map { $0.int("users") - tree.list("invitees").count } ?? 0
        page.parts = [
            Figures(figures: figures(of: tree, words)),
            InviteTreePart(
                inviter: tree.text("invitedBy").nonEmpty, root: InviteTreePart.Node(tree, words),
                nodes: tree.list("invitees").map { InviteTreePart.Node($0, words) },
                rest: tree.text("next").nonEmpty.map {
                    Way(
                        path: asked.path.appending(query: ["after": $0]),
                        title: asked.value("after").isEmpty
                            ? words("trees.rest", ["count": words.number(rest)]) : words["kit.next"])
                }),
        ]
        if tree["complete"]?.bool == false { page.parts.append(Sentence(words["trees.incomplete"])) }
        page.parts += BranchActs.sections(asked)
        return page
    }

    private static func figures(of tree: JSONTree, _ words: Words) -> [Figures.Figure] {
        let all = Figures.Figure(name: words["trees.total"], number: words.number(tree.int("total")))
        let levels = tree.list("below").prefix(mostLevels).map { level in
            Figures.Figure(
                name: words("trees.depth", ["depth": "\(level.int("depth"))"]),
                number: words.number(level.int("users")))
        }
        return [all] + levels
    }

    private static let mostLevels = 5
}

/// A tree as lists in each other: a screen reader says them as such, and the style draws the lines.
struct InviteTreePart: Part {
    struct Node: Sendable {
        let uid: String
        let name: String
        let badges: [Badge]
        let note: String

        init(_ json: JSONTree, _ words: Words) {
            uid = json.text("uid")
            name = json.text("username").nonEmpty ?? uid
            let status = json.text("status")
            badges =
                (status == "active" ? [] : [Badge(kind: .bad, text: words["people.status.\(status)"])])
                + (json["frozen"] == nil ? [] : [Badge(kind: .warning, text: words["trees.frozen"])])
            let invited = json.int("invited")
            note = invited == 0 ? "" : words("trees.invited", ["count": words.number(invited)])
        }
    }

    let inviter: String?
    let root: Node
    let nodes: [Node]
    /// The way to those that are not shown.
    let rest: Way?

    func markup(_ words: Words) -> Markup {
        let below =
            nodes.map { tag("li", [:], link($0, words)) }
            + (rest.map { [tag("li", [:], anchor($0.path, $0.title, ["class": "node rest"]))] } ?? [])
        let list =
            below.isEmpty
            ? tag("p", ["class": "soft"], words["people.noInvitees"])
            : tag("ul", ["aria-label": words["people.invitees"]], below)
        let own = tag(
            "li", [:], tag("span", ["class": "node own", "aria-current": "true"], content(of: root, words)),
            list)
        guard let inviter else { return tag("ul", ["class": "tree"], own) }
        let above = anchor(
            InviteTreePages.path(of: inviter), words("trees.inviter", ["uid": inviter]), ["class": "node"])
        return tag("ul", ["class": "tree"], tag("li", [:], above, tag("ul", [:], own)))
    }

    private func link(_ node: Node, _ words: Words) -> Markup {
        tag(
            "span", ["class": "node"],
            [anchor(InviteTreePages.path(of: node.uid), node.name)] + notes(of: node, words))
    }

    private func content(of node: Node, _ words: Words) -> [Markup] {
        [tag("strong", [:], node.name)] + notes(of: node, words)
    }

    private func notes(of node: Node, _ words: Words) -> [Markup] {
        node.badges.map { $0.markup(words) }
            + (node.note.isEmpty ? [] : [tag("span", ["class": "note"], node.note)])
    }
}
