import Web

/// The QR code of a link in the look that a person wants, and its files.
enum LinkQRSection {
    private static let look = ["size", "color", "logo"]

    /// The page of the API that shows a link.
    static func page(of link: JSONTree) -> String {
        "/links/\(PercentEncoding.encode(link.text("code")))+"
            .appending(query: ["domain": link.text("domain")])
    }

    private static func file(_ format: String, of link: JSONTree, _ asked: PageRequest) -> String {
        "/links/\(PercentEncoding.encode(link.text("code")))+/qr.\(format)".appending(query: [
            "domain": link.text("domain"), "size": asked.value("size"), "color": asked.value("color"),
            "logo": asked.value("logo"),
        ])
    }

    static func section(of link: JSONTree, _ asked: PageRequest) async throws -> Section {
        let words = asked.words
        var fields = [
            Field("size", words["links.qrSize"], .number, example: "640", value: asked.value("size")),
            Field(
                "color", words["links.qrColor"], .color, value: asked.value("color").nonEmpty ?? "#000000"),
            Field(
                "logo", words["links.qrLogo"],
                .choice([
                    .init(value: "", title: words["links.qrLogo.none"]),
                    .init(value: "app", title: words["links.qrLogo.app"]),
                ]), value: asked.value("logo")),
        ]
        var parts: [any Part] = []
        do {
            try await asked.api.send(APICall(method: .get, path: file("svg", of: link, asked)))
            parts = [
                Picture(path: file("svg", of: link, asked), alternative: words["links.qrOf"], size: 200)
            ]
        } catch let problem as APIProblem where look.contains(problem.field ?? "") {
            for index in fields.indices where fields[index].name == problem.field {
                fields[index].mistake =
                    words.text(ifAny: "links.qrMistake.\(fields[index].name)").map { Markup($0) }
                    ?? problem.sentence(words, of: fields[index].title)
            }
        }
        var form = Form(
            act: nil, fields: fields, submit: words["kit.show"], kind: .plain,
            hidden: [("domain", link.text("domain"))] + (asked.name.map { [(PagePath.name, $0)] } ?? []))
        form.isRow = true
        let name = link.text("code").replacing("/", with: "-")
        let files = ["svg", "png"].map { format in
            Way(
                path: file(format, of: link, asked),
                title: words("links.qrFile", ["format": format.uppercased()]),
                file: "\(name).\(format)")
        }
        return Section(words["links.qr"], [form] + parts, actions: parts.isEmpty ? [] : files)
    }
}
