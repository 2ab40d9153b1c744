/// A page of the console, as its area makes it. `PageFrame` puts it beside the navigation.
struct Page: Sendable {
    var title: String
    /// What the page is for, or what it shows, in a sentence.
    var lead: String?
    /// The page above this one.
    var parent: (path: String, title: String)?
    /// Links to what one does next, the first of which stands out.
    var actions: [Way] = []
    var parts: [any Part] = []
    /// How long the page may be old, in seconds, if it shows what goes on. Nil: until it is loaded again.
    var refreshes: Int?

    init(_ title: String, lead: String? = nil, parts: [any Part] = []) {
        (self.title, self.lead, self.parts) = (title, lead, parts)
    }
}

/// A link with its text.
struct Way: Sendable {
    let path: String
    let title: String
    /// The name of the file that a browser keeps. Nil if the link leads to a page.
    var file: String?
}

/// A part of a page.
protocol Part: Sendable {
    func markup(_ words: Words) -> Markup
}

/// Parts under a headline.
struct Section: Part {
    let title: String
    var lead: String?
    var parts: [any Part]
    var actions: [Way] = []
    /// Whether it is closed until one opens it.
    var isClosed = false
    /// By which a link leads to it.
    var id: String?

    init(
        _ title: String, lead: String? = nil, _ parts: [any Part], actions: [Way] = [],
        isClosed: Bool = false, id: String? = nil
    ) {
        (self.title, self.lead, self.parts) = (title, lead, parts)
        (self.actions, self.isClosed, self.id) = (actions, isClosed, id)
    }

    func markup(_ words: Words) -> Markup {
        let content =
            (lead.map { [tag("p", ["class": "lead"], $0)] } ?? []) + parts.map { $0.markup(words) }
            + (actions.isEmpty ? [] : [Ways(actions).markup(words)])
        if isClosed {
            return tag("details", ["class": "section", "id": id], [tag("summary", [:], title)] + content)
        }
        return tag("section", ["class": "section", "id": id], [tag("h2", [:], title)] + content)
    }
}

/// Links that look like buttons.
struct Ways: Part {
    let ways: [Way]
    init(_ ways: [Way]) { self.ways = ways }

    func markup(_ words: Words) -> Markup {
        tag(
            "p", ["class": "ways"],
            ways.map { anchor($0.path, $0.title, ["class": "button", "download": $0.file]) })
    }
}

/// A paragraph.
struct Sentence: Part {
    let text: Markup
    init(_ text: Markup) { self.text = text }
    init(_ text: String) { self.text = Markup(text) }
    func markup(_ words: Words) -> Markup { tag("p", [:], text) }
}

/// Something to know before one goes on.
struct Notice: Part {
    enum Kind: String, Sendable { case good, warning, bad }
    let kind: Kind
    let text: Markup
    var ways: [Way] = []

    init(_ kind: Kind, _ text: Markup, ways: [Way] = []) {
        (self.kind, self.text, self.ways) = (kind, text, ways)
    }

    init(_ kind: Kind, _ text: String, ways: [Way] = []) { self.init(kind, Markup(text), ways: ways) }

    func markup(_ words: Words) -> Markup {
        tag(
            "div", ["class": "notice \(kind.rawValue)", "role": kind == .bad ? "alert" : "status"],
            [tag("p", [:], text)] + (ways.isEmpty ? [] : [Ways(ways).markup(words)]))
    }
}

/// What a list says that has nothing yet, with the way on.
struct Empty: Part {
    let text: String
    var way: Way?

    func markup(_ words: Words) -> Markup {
        tag(
            "div", ["class": "empty"],
            [tag("p", [:], text)] + (way.map { [anchor($0.path, $0.title, ["class": "button first"])] } ?? [])
        )
    }
}

/// Names and values.
struct Facts: Part {
    let facts: [(name: String, value: Cell)]

    init(_ facts: [(String, Cell?)]) {
        self.facts = facts.compactMap { name, value in value.map { (name, $0) } }
    }

    func markup(_ words: Words) -> Markup {
        tag(
            "dl", ["class": "facts"],
            facts.map { tag("div", [:], tag("dt", [:], $0.name), tag("dd", [:], $0.value.markup(words))) })
    }
}

/// Lines one below another, such as links to what is to be done.
struct Lines: Part {
    let lines: [Cell]
    init(_ lines: [Cell]) { self.lines = lines }

    func markup(_ words: Words) -> Markup {
        tag("ul", ["class": "lines"], lines.map { tag("li", [:], $0.markup(words)) })
    }
}

/// A few numbers that are read at a glance.
struct Figures: Part {
    struct Figure: Sendable {
        let name: String
        let number: String
        /// Beside the number: what it was before, as a sentence.
        var note: String?
        /// Where the number is told in full.
        var path: String?
    }
    let figures: [Figure]

    func markup(_ words: Words) -> Markup {
        tag(
            "ul", ["class": "figures"],
            figures.map { figure in
                tag(
                    "li", [:],
                    [
                        tag(
                            "span", ["class": "name"],
                            [figure.path.map { anchor($0, figure.name) } ?? Markup(figure.name)]),
                        tag("strong", [:], figure.number),
                    ] + (figure.note.map { [tag("span", ["class": "note"], $0)] } ?? []))
            })
    }
}

/// A part with a smaller one beside it, or above it if there is no room.
struct Beside: Part {
    let part: any Part
    let other: any Part
    init(_ part: any Part, _ other: any Part) { (self.part, self.other) = (part, other) }

    func markup(_ words: Words) -> Markup {
        tag(
            "div", ["class": "beside"], part.markup(words),
            tag("div", ["class": "aside"], other.markup(words)))
    }
}

/// The way to the next rows of a list that is no table.
struct Next: Part {
    let path: String
    func markup(_ words: Words) -> Markup {
        tag("p", ["class": "ways"], anchor(path, words["kit.next"], ["class": "button", "rel": "next"]))
    }
}

/// Small parts one beside the other, such as forms of a button.
struct Row: Part {
    let parts: [any Part]
    func markup(_ words: Words) -> Markup { tag("div", ["class": "ways"], parts.map { $0.markup(words) }) }
}

/// Text as it stands in a file or a terminal, which one may copy.
struct Code: Part {
    let text: String
    init(_ text: String) { self.text = text }

    func markup(_ words: Words) -> Markup {
        tag(
            "div", ["class": "code"],
            tag("pre", ["tabindex": "0"], tag("code", [:], text.showingControls)),
            copyButton(text, words))
    }
}

/// A button that copies a text. The script shows it.
func copyButton(_ text: String, _ words: Words) -> Markup {
    tag(
        "button",
        [
            "type": "button", "class": "copy", "data-copy": text, "data-done": words["kit.copied"],
            "hidden": "",
        ], words["kit.copy"])
}

/// Lines of what changes: `+` is new, `-` goes, `~` differs.
struct Difference: Part {
    let lines: [String]

    func markup(_ words: Words) -> Markup {
        tag(
            "ul", ["class": "difference"],
            lines.map { line in
                let kind = line.hasPrefix("+") ? "new" : line.hasPrefix("-") ? "gone" : "other"
                return tag("li", ["class": kind], line.showingControls)
            })
    }
}

/// A picture of a chart that a call of the API draws, at its address.
struct ChartImage: Part {
    let path: String
    /// What it shows, for those who do not see it.
    let alternative: String

    func markup(_ words: Words) -> Markup {
        let address = "\(path)\(path.contains("?") ? "&" : "?")hl=\(words.language)"
        return tag(
            "figure", ["class": "chart"],
            tag(
                "picture", [:],
                tag(
                    "source", ["media": "(max-width: 560px)", "srcset": "\(address)&width=\(Self.narrowest)"]),
                tag(
                    "img",
                    ["src": address, "alt": alternative, "loading": "lazy", "width": "720", "height": "320"])
            ))
    }

    /// The width of the picture for phones, in pixels. A wide one would be too small to read there.
    private static let narrowest = 340
}

/// A picture at an address of this host.
struct Picture: Part {
    let path: String
    let alternative: String
    let size: Int

    func markup(_ words: Words) -> Markup {
        tag(
            "p", [:],
            tag(
                "img",
                [
                    "src": path, "alt": alternative, "width": "\(size)", "height": "\(size)",
                    "class": "picture",
                ]))
    }
}
