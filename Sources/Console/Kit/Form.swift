/// Where a person enters something. Without a script it works as with one.
struct Form: Part {
    /// The act of the page that it does. Nil for a form that asks for a page with other parameters.
    let act: String?
    let fields: [Field]
    let submit: String
    /// The look of the button.
    var kind = Kind.first
    var path: String?
    /// What the page knows, and the person does not enter.
    var hidden: [(String, String)] = []
    /// The token that shows that a page of this session has the form.
    var token: String?
    /// What is asked before it is done: in a dialog of the script, or else on a page.
    var question: String?
    /// Whether its fields stand beside each other.
    var isRow = false
    var isPost: Bool
    /// What is wrong with it as a whole.
    var mistake: Markup?

    enum Kind: String, Sendable { case first, plain, danger }

    init(
        act: String?, fields: [Field], submit: String, kind: Kind = .first, path: String? = nil,
        hidden: [(String, String)] = [], token: String? = nil
    ) {
        (self.act, self.fields, self.submit, self.kind) = (act, fields, submit, kind)
        (self.path, self.hidden, self.token, isPost) = (path, hidden, token, act != nil)
    }

    func markup(_ words: Words) -> Markup {
        // The first button is the one that Enter presses.
        let first =
            fields.contains(where: \.hasButton)
            ? [tag("button", ["class": "unseen", "tabindex": "-1", "aria-hidden": "true"], submit)] : []
        let hidden =
            hidden
            + [("act", act), ("token", token), (Entries.question, question)].compactMap { name, value in
                value.map { (name, $0) }
            }
        let inputs = hidden.map { tag("input", ["type": "hidden", "name": $0.0, "value": $0.1]) }
        let mistake = mistake.map { [tag("p", ["class": "mistake", "role": "alert"], $0)] } ?? []
        let look = kind == .plain ? "button" : "button \(kind.rawValue)"
        let button = tag(
            "p", ["class": "ways"], tag("button", ["class": look, "data-question": question], submit))
        return tag(
            "form",
            [
                "method": isPost ? "post" : "get", "action": path,
                "class": [isRow ? "row" : nil, fields.isEmpty ? "bare" : nil].compactMap(\.self)
                    .joined(separator: " ").nonEmpty,
                "data-filter": isPost ? nil : "",
            ], inputs + first + mistake + entries(words) + [button])
    }
}

extension Form {
    /// The fields, with a frame around those that belong together.
    fileprivate func entries(_ words: Words) -> [Markup] {
        var (parts, rest) = ([Markup](), fields[...])
        while let first = rest.first {
            let together = rest.prefix { $0.group == first.group }
            rest = rest[together.endIndex...]
            let content = together.map { $0.markup(words, saysOptional: isPost) }
            parts += first.group.map { [tag("fieldset", [:], [tag("legend", [:], $0)] + content)] } ?? content
        }
        return parts
    }
}

/// One entry of a form.
struct Field: Sendable {
    enum Kind: Sendable {
        case text, url, number, day, time, search, color
        case long(rows: Int)
        case choice([Choice])
        /// Several choices, each in a row of its own. The value has commas between them.
        case several([Choice])
        case check
        /// Several texts, a comma between them.
        case list
        /// A button that shows the form again, and what was told for it.
        case again(String, told: String?)
    }

    struct Choice: Sendable {
        let value: String
        let title: String
    }

    /// The field of the call's body, with dots between the levels, as in `parameters.link`.
    private(set) var name: String
    let title: String
    var kind = Kind.text
    var hint: String?
    var example: String?
    var value = ""
    var isNeeded = false
    /// What the API says is wrong with it.
    var mistake: Markup?
    /// The title of the fields that belong together.
    var group: String?
    /// Whether it may stay empty together with its group alone, so that it does not say so itself.
    var isOfPart = false
    /// What one may enter, among others, as what was entered here before.
    var suggestions: [String] = []
    /// How many rows it has at least, if it has rows.
    var rows = 0
    /// What a script calls the way to fill a long text from a file. Nil: there is none.
    var file: String?

    init(
        _ name: String, _ title: String, _ kind: Kind = .text, hint: String? = nil, example: String? = nil,
        value: String = "", isNeeded: Bool = false
    ) {
        (self.name, self.title, self.kind, self.hint) = (name, title, kind, hint)
        (self.example, self.value, self.isNeeded) = (example, value, isNeeded)
    }

    /// The same field under another name.
    func named(_ name: String) -> Field {
        var field = self
        field.name = name
        return field
    }

    /// The same field among those that belong together.
    func grouped(_ title: String) -> Field {
        var field = self
        field.group = title
        return field
    }

    /// Whether it is a time of the operator's zone.
    var isTime: Bool { if case .time = kind { true } else { false } }

    private var id: String { "field-\(name)" }

    /// Whether it has a button that shows the form again.
    var hasButton: Bool {
        switch kind {
        case .several, .again: true
        default: false
        }
    }

    /// - Parameter saysOptional: whether it says that one may leave it empty.
    func markup(_ words: Words, saysOptional: Bool) -> Markup {
        let described = [hint.map { _ in "\(id)-hint" }, mistake.map { _ in "\(id)-mistake" }].compactMap(
            \.self
        )
        .joined(separator: " ").nonEmpty
        let hint = hint.map { tag("p", ["class": "hint", "id": "\(id)-hint"], $0) } ?? .nothing
        let mistake = mistake.map { tag("p", ["class": "mistake", "id": "\(id)-mistake"], $0) } ?? .nothing
        if case .again(let asked, let told) = kind {
            let answer = told.map { tag("p", ["class": "told", "role": "status"], $0) } ?? .nothing
            return tag(
                "div", ["class": "field", "id": id], answer, mistake, Self.button(asked, title, at: id))
        }
        if case .check = kind {
            let box = tag(
                "input",
                [
                    "type": "checkbox", "id": id, "name": name, "value": "true",
                    "checked": value == "true" ? "" : nil, "aria-describedby": described,
                ])
            return tag(
                "div", ["class": "field check"], tag("label", ["for": id], box, Markup(title)), hint, mistake)
        }
        let label = tag(
            "label", ["for": id], Markup(title),
            saysOptional && !isNeeded && !isOfPart
                ? tag("span", ["class": "soft"], " \(words["kit.optional"])") : .nothing
        )
        return tag("div", ["class": "field"], label, hint, input(described, words), mistake)
    }

    private static func button(_ asked: String, _ title: String, at id: String) -> Markup {
        let attributes: Attributes = [
            "class": "button", "name": Self.again, "value": asked, "formnovalidate": "",
            "formaction": "#\(id)",
        ]
        return tag("p", [:], tag("button", attributes, title))
    }

    private func input(_ described: String?, _ words: Words) -> Markup {
        let isInvalid: String? = mistake == nil ? nil : "true"
        switch kind {
        case .long(let rows):
            // The browser drops a newline that follows the tag.
            return tag(
                "textarea",
                [
                    "id": id, "name": name, "rows": "\(rows)", "required": isNeeded ? "" : nil,
                    "placeholder": example, "aria-describedby": described, "aria-invalid": isInvalid,
                    "data-file": file,
                ], "\n\(value)")
        case .choice(let choices):
            return select(
                choices, value,
                ["id": id, "name": name, "aria-describedby": described, "aria-invalid": isInvalid])
        case .several(let choices):
            return several(choices, described, words)
        default:
            return tag(
                "input",
                [
                    "type": type, "id": id, "name": name,
                    "value": value.isEmpty ? nil : value,
                    "required": isNeeded ? "" : nil, "placeholder": example, "aria-describedby": described,
                    "aria-invalid": isInvalid, "autocomplete": "off",
                    "inputmode": type == "url" ? "url" : nil, "step": type == "number" ? "any" : nil,
                    "list": suggestions.isEmpty ? nil : "\(id)-list",
                ]) + suggested
        }
    }

    private var suggested: Markup {
        guard !suggestions.isEmpty else { return .nothing }
        return tag(
            "datalist", ["id": "\(id)-list"], suggestions.map { tag("option", ["value": $0], []) })
    }

    /// A choice that is none of these stays as it is.
    private func select(_ choices: [Choice], _ value: String, _ attributes: Attributes) -> Markup {
        let isKnown = value.isEmpty || choices.contains { $0.value == value }
        let all = choices + (isKnown ? [] : [Choice(value: value, title: value)])
        let options = all.map { choice in
            tag(
                "option", ["value": choice.value, "selected": choice.value == value ? "" : nil],
                choice.title)
        }
        return tag("select", attributes, options)
    }

    /// How many rows wait for a further choice.
    private static let emptyRows = 2
    /// The most rows. Each has all choices, so more of them make a page that no browser shows well.
    private static let mostRows = 12

    private func several(_ choices: [Choice], _ described: String?, _ words: Words) -> Markup {
        let chosen = value.split(separator: ",").map(String.init)
        let count = max(rows, chosen.count + Self.emptyRows)
        guard count <= Self.mostRows else {
            return tag(
                "input",
                ["type": "text", "id": id, "name": name, "value": value, "aria-describedby": described])
        }
        let all = [Choice(value: "", title: words["kit.noChoice"])] + choices
        let rows = (0..<count).map { place in
            let attributes: Attributes = [
                "id": place == 0 ? id : nil, "name": Entries.row(place, of: name),
                "aria-describedby": described,
                "aria-label": place == 0 ? nil : title, "aria-invalid": mistake == nil ? nil : "true",
            ]
            return select(all, chosen.indices.contains(place) ? chosen[place] : "", attributes)
        }
        return tag("div", ["class": "rows"], rows + [Self.button(name, words["kit.oneMore"], at: id)])
    }

    /// The entry by which a form is asked for again.
    static let again = "again"

    private var type: String {
        switch kind {
        case .number: "number"
        case .day: "date"
        case .time: "datetime-local"
        case .search: "search"
        case .color: "color"
        // Not `url`: what is wrong with it is for the API to say, with the reason.
        default: "text"
        }
    }
}

extension [Field] {
    /// Says at a field what is wrong with it. Throws what is wrong with none of these.
    mutating func say(_ problem: APIProblem, _ words: Words) throws(APIProblem) {
        guard let index = firstIndex(where: { $0.name == problem.field }) else { throw problem }
        self[index].mistake = problem.sentence(words, of: self[index].title)
    }
}

extension String {
    /// Nil if it is empty.
    var nonEmpty: String? { isEmpty ? nil : self }
}
