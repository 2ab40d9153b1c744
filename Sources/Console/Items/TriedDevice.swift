import Web

/// A device that somebody makes up, to see what it would be answered.
struct TriedDevice {
    private let asked: PageRequest
    private var fields: [Field]

    /// - Parameter id: the parameter of the call that names the installation or unit, with its title.
    init(_ asked: PageRequest, id: Field) {
        let words = asked.words
        func choice(_ name: String, _ choices: [Field.Choice]) -> Field {
            Field(
                name, words["tried.\(name)"], .choice([.init(value: "", title: words["when.any"])] + choices))
        }
        let systems = ["ios", "android"].map {
            Field.Choice(value: $0, title: words["updates.platform.\($0)"])
        }
        let all = [
            Field("platform", words["when.platform"], .choice(systems)),
            Field("version", words["updates.version"], example: "5.1"),
            Field("os", words["updates.os"], example: "17.0"),
            choice("language", words.languages), choice("country", words.countries),
            Field("app", words["when.app"], example: "com.example.app"), id,
        ]
        self.asked = asked
        fields = all.map { field in
            var field = field
            field.value = asked.value(field.name)
            return field
        }
    }

    /// Returns what a call answers for the device. Nil if nobody asked yet, or an entry is refused, which the
    /// form then says.
    mutating func answer(of path: String) async throws -> JSONTree? {
        guard !asked.value("platform").isEmpty else { return nil }
        let query = fields.filter { !$0.value.isEmpty }.map { field in
            "\(field.name)=\(PercentEncoding.encode(field.value))"
        }
        do {
            return try await asked.api.get("\(path)?\(query.joined(separator: "&"))")
        } catch let problem as APIProblem {
            try fields.say(problem, asked.words)
            return nil
        }
    }

    /// The form, in which what was asked stays.
    var form: Form {
        var form = Form(act: nil, fields: fields, submit: asked.words["updates.try"], kind: .plain)
        form.isRow = true
        return form
    }

    /// Says why a rule decides or does not.
    static func outcome(of rule: JSONTree, _ words: Words) -> Cell {
        let outcome = rule.text("outcome")
        let kind: Badge.Kind = ["decides", "takes_part", "winner"].contains(outcome) ? .good : .plain
        let condition = rule.text("condition").nonEmpty.map { name in
            words("tried.condition", ["name": words["tried.\(name)"]])
        }
        return .many([.badge(kind, words["tried.\(outcome)"])] + (condition.map { [.text($0)] } ?? []))
    }
}
