import Kernel

/// What is around each page: the navigation, the headline, and the calls that the page made.
struct PageFrame {
    let page: Page
    let area: Area
    let areas: [Area]
    let appName: String
    let session: PersonSession
    let words: Words
    let calls: [APICall]
    /// What was just done.
    let notice: String?
    let path: String
    let token: String

    static let contentSecurityPolicy =
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    var html: String {
        let main = tag(
            "main", ["id": "main", "tabindex": "-1"],
            [head] + (notice.map { [Notice(.good, $0).markup(words)] } ?? [])
                + page.parts.map { $0.markup(words) } + [callsUsed])
        return Self.document(
            page.title.isolated + " · " + words["console"], words,
            body: tag("a", ["class": "skip", "href": "#main"], words["kit.skip"]) + navigation + main,
            refreshes: page.refreshes)
    }

    private var head: Markup {
        let above =
            page.parent.map { tag("p", ["class": "parent"], anchor($0.path, "‹ " + $0.title)) } ?? .nothing
        let lead = page.lead.map { tag("p", ["class": "lead"], $0) } ?? .nothing
        let ways = page.actions.enumerated().map { place, way in
            anchor(way.path, way.title, ["class": place == 0 ? "button first" : "button"])
        }
        return tag(
            "header", ["class": "head"], above, tag("h1", [:], page.title), lead,
            ways.isEmpty ? .nothing : tag("p", ["class": "ways"], ways))
    }

    private var navigation: Markup {
        let items = areas.map { one in
            tag(
                "li", [:],
                anchor(one.path, words["area.\(one.rawValue)"], ["aria-current": one == area ? "page" : nil]))
        }
        let list = tag("nav", ["aria-label": words["kit.areas"]], tag("ul", [:], items))
        let account = tag(
            "div", ["class": "account"],
            anchor("/account", session.email.text), languages,
            signOut.markup(words))
        let name = tag("p", ["class": "app"], anchor("/", appName))
        let menu = tag("details", ["class": "menu"], tag("summary", [:], words["kit.menu"]), list, account)
        return tag("header", ["class": "side"], name, tag("div", ["class": "wide"], list, account), menu)
    }

    /// The ways to this page in other languages, each in its own words.
    private var languages: Markup {
        tag(
            "p", ["class": "languages"],
            Words.names.filter { $0.tag != words.language }.map {
                anchor(path.appending(query: ["hl": $0.tag]), $0.name, ["lang": $0.tag, "hreflang": $0.tag])
            })
    }

    private var signOut: Form {
        var form = Form(act: nil, fields: [], submit: words["kit.signOut"], kind: .plain, path: "/sign-out")
        form.isPost = true
        return form
    }

    /// The calls that showed this page, as a person makes them in a terminal.
    private var callsUsed: Markup {
        guard !calls.isEmpty else { return .nothing }
        return tag(
            "details", ["class": "calls", "id": "calls"],
            [tag("summary", [:], words["kit.asCalls"])] + calls.map { Code($0.text).markup(words) })
    }

    static func document(_ title: String, _ words: Words, body: Markup, refreshes: Int? = nil)
        -> String
    {
        let head = tag(
            "head", [:], tag("meta", ["charset": "utf-8"]), tag("title", [:], title),
            tag(
                "meta",
                ["name": "viewport", "content": "width=device-width, initial-scale=1, viewport-fit=cover"]),
            tag("meta", ["name": "color-scheme", "content": "light dark"]),
            tag("link", ["rel": "icon", "href": "data:,"]),
            tag("link", ["rel": "stylesheet", "href": Asset.style.path]),
            tag("script", ["src": Asset.script.path, "defer": ""], ""))
        return "<!doctype html>\n"
            + tag(
                "html", ["lang": words.language, "dir": "ltr"], head,
                tag(
                    "body",
                    ["data-refreshes": refreshes.map(String.init), "data-cancel": words["kit.cancel"]], body)
            ).html
    }
}
