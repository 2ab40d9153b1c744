import Web

/// A value of apps as a form asks for it: by what kind of text it is now.
struct Parameter: Sendable {
    let name: String
    /// What apps get whom no rule fits.
    let standard: String

    enum Kind: Sendable { case flag, number, json, text }

    /// The API knows texts alone. What a text is now says what apps read in it.
    var kind: Kind {
        if ["true", "false"].contains(standard) { return .flag }
        if Self.isNumber(standard) { return .number }
        return ["{", "["].contains(standard.first) && Self.isJSON(standard) ? .json : .text
    }

    /// Beyond so many letters a text gets room for lines.
    private static let longText = 60

    func field(_ words: Words) -> Field {
        let now = standard.isEmpty ? "–" : standard
        let hint = words("parameters.asItIs", ["value": now])
        let kind: Field.Kind =
            switch self.kind {
            case .flag:
                .choice(
                    ["", "true", "false"].map {
                        Field.Choice(value: $0, title: words["parameters.flag.\($0)"])
                    })
            case .number: .number
            case .json: .long(rows: 3)
            case .text: standard.count > Self.longText ? .long(rows: 3) : .text
            }
        return Field("values.\(name)", name, kind, hint: hint)
    }

    /// Returns the key of the sentence that says why a text is not of its kind. Nil if it is.
    func mistake(in text: String) -> String? {
        switch kind {
        case .flag: ["true", "false"].contains(text) ? nil : "parameters.noFlag"
        case .number: Self.isNumber(text) ? nil : "parameters.noNumber"
        case .json: Self.isJSON(text) ? nil : "parameters.noJSON"
        case .text: nil
        }
    }

    private static func isNumber(_ text: String) -> Bool { Double(text)?.isFinite == true }

    private static func isJSON(_ text: String) -> Bool {
        (try? JSONTree(Array(text.utf8), .document)) != nil
    }
}
