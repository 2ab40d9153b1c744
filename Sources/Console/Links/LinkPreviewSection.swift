import Web

/// How a link looks when it is shared: a card for each network.
enum LinkPreviewSection {
    private static let parameters = ["link", "st", "sd", "si", "ofl"]
    /// What the button of a form asks for that shows the cards.
    static let asked = "preview"

    /// The button of a form that shows what is entered as cards.
    static func button(_ words: Words) -> Field {
        var field = Field("previews", words["previews.look"], .again(asked, told: nil))
        field.group = words["links.preview"]
        return field
    }

    /// Shows what is entered in a form of which somebody asked for the cards. Nil if nobody did.
    static func section(ofForm asked: PageRequest, in domain: String = "") async throws -> Section? {
        guard let entries = asked.refused?.entries, entries[Field.again] == Self.asked else { return nil }
        return try await section(in: domain, asked) { entries["parameters.\($0)"] }
    }

    static func section(of link: JSONTree, _ asked: PageRequest) async throws -> Section? {
        try await section(in: link.text("domain"), asked) { link.text("parameters.\($0)") }
    }

    private static func section(
        in domain: String, _ asked: PageRequest, _ value: (String) -> String
    ) async throws -> Section? {
        let words = asked.words
        let pairs = (parameters.map { ($0, value($0)) } + [("domain", domain)]).filter { !$0.1.isEmpty }
        let query = pairs.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        do {
            let answer = try await asked.api.get("/v1/link-preview?\(query)")
            return Section(
                words["previews.title"], lead: words["previews.lead"], parts(of: answer, words),
                id: "previews")
        } catch let problem as APIProblem where [400, 404, 409].contains(problem.status) {
            return Section(
                words["previews.title"], [Notice(.bad, problem.sentence(words))], id: "previews")
        }
    }

    private static func parts(of answer: JSONTree, _ words: Words) -> [any Part] {
        if let elsewhere = answer.text("elsewhere").nonEmpty {
            return [Sentence(words("previews.elsewhere", ["url": elsewhere]))]
        }
        let faults = answer.list("faults").map { fault in
            Cell.text(words.text(ifAny: "previews.fault.\(fault.text("code"))") ?? fault.text("fault"))
        }
        let cards = PreviewCards(cards: answer.list("networks").map { PreviewCards.Card($0, words) })
        guard faults.isEmpty else { return [cards, Section(words["previews.faults"], [Lines(faults)])] }
        return [cards, Sentence(words["previews.sound"])]
    }
}

/// Cards as networks draw them. A picture is a frame with its address, since the page loads nothing from
/// elsewhere.
struct PreviewCards: Part {
    struct Card: Sendable {
        let network: String
        let title: String
        let description: String
        let picture: String
        let crop: String
        let note: String

        init(_ json: JSONTree, _ words: Words) {
            (network, title) = (json.text("network"), json.text("title"))
            (description, picture) = (json.text("description"), json.text("picture"))
            crop = json.text("crop")
            let cut = json["cuts"]?.bool == true ? [words["previews.cuts"]] : []
            note = ([words["previews.crop.\(crop)"]] + cut).joined(separator: " ")
        }
    }

    let cards: [Card]

    func markup(_ words: Words) -> Markup {
        tag(
            "ul", ["class": "previews"],
            cards.map { card in
                let picture =
                    card.picture.isEmpty
                    ? Markup.nothing : tag("span", ["class": "shot \(card.crop)"], card.picture)
                let texts = tag(
                    "span", ["class": "texts"], tag("strong", [:], card.title),
                    card.description.isEmpty ? .nothing : tag("span", [:], card.description))
                return tag(
                    "li", [:], tag("h3", [:], card.network),
                    tag("p", ["class": card.crop == "square" ? "preview small" : "preview"], picture, texts),
                    tag("p", ["class": "note"], card.note))
            })
    }
}
