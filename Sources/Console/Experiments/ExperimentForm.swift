import Foundation
import Web

/// The form of an experiment: which values it tries, what each variation gives, and what decides.
enum ExperimentForm {
    /// The field of the form that has the names of the values.
    private static let parameters = "parameters"

    /// Returns the kind with a field for each chosen value in each variation.
    @Sendable static func adapted(
        _ kind: ItemKind, _ asked: PageRequest, _ item: ItemKind.Fields?, _ entries: Entries?
    ) async throws -> ItemKind {
        let (values, _) = try await ItemPages.items("values", asked)
        let (others, _) = try await ItemPages.items("experiments", asked)
        let all = values.map { Parameter(name: $0.0, standard: $0.1["value"] ?? "") }
        let own = list(item.map(shown)?[parameters])
        let names = Set(
            (entries?[parameters] ?? asked.value(ItemPages.set(parameters)).nonEmpty).map(list) ?? own)
        // A name of no value makes no field, however many of them somebody enters.
        let gone = own.filter { name in !all.contains { $0.name == name } }
        let chosen = (all + gone.map { Parameter(name: $0, standard: "") }).filter {
            names.contains($0.name)
        }
        var kind = kind
        let choices = all.map {
            Field.Choice(value: $0.name, title: "\($0.name) (\($0.standard.prefix(40)))")
        }
        let goals = Set(others.compactMap { $0.1["goal"] }).sorted()
        let (fields, tail) = (kind.fields, kind.tail)
        kind.fields = { words in
            fields(words).map { field in
                var field = field
                if field.name == parameters { field.kind = .several(choices) }
                if field.name == "goal" { field.suggestions = goals }
                return field
            }
        }
        if item == nil { kind.tail = { tail($0).filter { !["winner", "phase"].contains($0.name) } } }
        for index in kind.groups.indices where kind.groups[index].name == ItemGroup.variations.name {
            let own = kind.groups[index].fields
            kind.groups[index].fields = { words in own(words) + chosen.map { $0.field(words) } }
        }
        let words = asked.words
        kind.mistake = { mistake(in: $0, $1, chosen, words) }
        return kind
    }

    private static func mistake(
        in item: ItemKind.Fields, _ entries: Entries, _ chosen: [Parameter], _ words: Words
    ) -> (field: String, sentence: String)? {
        let entered = entries.all.map(\.name)
        if chosen.contains(where: { one in !entered.contains { $0.hasSuffix(".values.\(one.name)") } }) {
            return (parameters, words["experiments.enterValues"])
        }
        for (field, text) in item.sorted(by: { $0.key < $1.key }) {
            guard let name = value(of: field), let one = chosen.first(where: { $0.name == name }),
                let mistake = one.mistake(in: text)
            else { continue }
            return (field, words(mistake, ["value": one.standard]))
        }
        return nil
    }

    private static func list(_ text: String?) -> [String] {
        (text ?? "").split(separator: ",").map(String.init)
    }

    /// Returns the value that a field of a variation gives. Nil if it is another field.
    private static func value(of field: String) -> String? {
        let parts = field.split(separator: ".", maxSplits: 3).map(String.init)
        return parts.count == 4 && parts[0] == "variations" && parts[2] == "values" ? parts[3] : nil
    }

    // MARK: As the form says it

    /// In the form the measure of a goal stands beside it, and a margin is in per cent.
    @Sendable static func shown(_ item: ItemKind.Fields) -> ItemKind.Fields {
        var form = item
        form[parameters] = Set(item.keys.compactMap(value)).sorted().joined(separator: ",").nonEmpty
        for (goal, field) in measures(of: item) { form[field] = form.removeValue(forKey: "measures.\(goal)") }
        for field in margins(of: item) { form[field] = item[field].map { perCent($0) ?? $0 } }
        return form
    }

    @Sendable static func kept(_ form: ItemKind.Fields) -> ItemKind.Fields {
        let chosen = Set(list(form[parameters]))
        var item = form.filter { field, _ in value(of: field).map(chosen.contains) ?? true }
        item[parameters] = nil
        for (goal, field) in measures(of: form) {
            if let measure = item.removeValue(forKey: field) { item["measures.\(goal)"] = measure }
        }
        // What cannot be read goes on in a form that the API refuses.
        for field in margins(of: form) { item[field] = form[field].map { part($0) ?? "\($0) %" } }
        return item
    }

    /// The goals of an experiment, and the field in which the form asks how each is measured.
    private static func measures(of item: ItemKind.Fields) -> [(goal: String, field: String)] {
        ItemGroup.guardrails.keys(item).map { ($0, "guardrails.\($0).measure") }
            + (item["goal"].map { [($0, "measure")] } ?? [])
    }

    private static func margins(of item: ItemKind.Fields) -> [String] {
        ItemGroup.guardrails.keys(item).map { "guardrails.\($0).margin" }
    }

    private static func perCent(_ part: String) -> String? {
        Decimal(string: part, locale: Locale(identifier: "en_US_POSIX")).map { "\($0 * 100)" }
    }

    private static func part(_ perCent: String) -> String? {
        guard perCent.wholeMatch(of: /\d{1,10}(\.\d{1,4})?/) != nil else { return nil }
        return Decimal(string: perCent, locale: Locale(identifier: "en_US_POSIX")).map { "\($0 / 100)" }
    }
}

extension ItemGroup {
    static let variations = ItemGroup(
        name: "variations",
        fields: { words in [Field("weight", words["experiments.weight"], example: "50")] },
        first: [["": "control", "weight": "50"], ["weight": "50"]])

    static let guardrails = ItemGroup(
        name: "guardrails",
        key: {
            Field("", $0["experiments.goal"], hint: $0["experiments.guardrailHint"], example: "refunded")
        },
        fields: { words in
            [
                Field(
                    "margin", words["experiments.margin"], hint: words["experiments.marginHint"], example: "2"
                ),
                Field(
                    "worse", words["experiments.worse"], choice(words, "experiments.worse", ["", "higher"])),
                measure(words),
            ]
        })

    fileprivate static func measure(_ words: Words) -> Field {
        Field("measure", words["experiments.measure"], choice(words, "experiments.measure", ["", "mean"]))
    }

    fileprivate static func choice(_ words: Words, _ texts: String, _ values: [String]) -> Field.Kind {
        .choice(values.map { .init(value: $0, title: words["\(texts).\($0)"]) })
    }
}

extension ItemKind {
    static let experiments = ItemKind(
        section: "experiments", area: .experiments, path: "/experiments",
        fields: { words in
            [
                Field(
                    "goal", words["experiments.goal"], hint: words["experiments.goalHint"], example: "spent",
                    isNeeded: true),
                ItemGroup.measure(words),
                Field(
                    "parameters", words["experiments.parameters"], .several([]),
                    hint: words["experiments.parametersHint"]),
                Field("parameters.enter", words["experiments.enter"], .again("parameters.enter", told: nil)),
            ]
        },
        groups: [.variations, .guardrails],
        tail: { words in
            let who =
                [
                    Field(
                        "coverage", words["experiments.coverageOfThem"],
                        hint: words["experiments.coverageHint"],
                        example: "100")
                ] + conditions(words, at: "when.")
            let rest = [
                Field(
                    "control", words["experiments.control"], hint: words["experiments.controlHint"],
                    example: "control"),
                Field(
                    "state", words["experiments.state"],
                    ItemGroup.choice(
                        words, "experiments.state", ["", "draft", "running", "stopped", "archived"])),
                Field("winner", words["experiments.winner"], hint: words["experiments.winnerHint"]),
                Field("phase", words["experiments.phase"], example: "1"),
            ]
            return who.map { $0.grouped(words["experiments.who"]) }
                + rest.map { $0.grouped(words["experiments.run"]) }
        },
        shown: ExperimentForm.shown, kept: ExperimentForm.kept, adapted: ExperimentForm.adapted,
        more: { try await ExperimentPages.results($0, $1, $2) },
        aside: { try await ExperimentSizeFields.fields($0, $1) },
        ways: { $1 ? [Way(path: "/values/new", title: $0["items.values.new"])] : [] })
}
