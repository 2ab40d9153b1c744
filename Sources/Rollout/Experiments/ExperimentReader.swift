import Kernel

/// Reads an experiment from the texts of its fields.
struct ExperimentReader {
    private let key: String
    var fields: FieldReader

    static let names = Set(
        [
            "goal", "control", "coverage", "seed", "phase", "sticky", "state", "winner", "namespace.name",
            "namespace.from",
            "namespace.to", "when.platform", "when.app", "variations.*.weight", "variations.*.values.*",
            "measures.*",
            "guardrails.*.margin", "guardrails.*.worse",
        ] + FieldReader.targetingNames.map { "when.\($0)" })
    private static let mostVariations = 10
    static let mostPhases = 1_000_000

    init(_ key: String, _ fields: [String: String]) {
        self.key = key
        self.fields = FieldReader(fields, place: "experiments.\(key)")
    }

    /// Returns the variation that a field belongs to, and which part of it. Nil if it does not belong to a
    /// variation.
    static func variation(of field: String) -> (name: String, part: Substring)? {
        let parts = field.split(separator: ".", maxSplits: 2)
        return parts.count == 3 && parts[0] == "variations" ? (String(parts[1]), parts[2]) : nil
    }

    /// Reads the experiment. Nil if there is a mistake.
    mutating func experiment() -> Experiment? {
        fields.requireKey(key)
        fields.refuseUnknown(Self.names)
        fields.require("goal")
        let goal = fields.read("goal", EntryKey.form) { Goal($0) }
        let variations = variations()
        var when = fields.targeting()
        (when.platform, when.app) = (fields.platform("when.platform"), fields.app("when.app"))
        var experiment = Experiment(key: key, when: when, variations: variations, goal: goal ?? .friend)
        (experiment.measures, experiment.guardrails) = (measures(), guardrails())
        experiment.coverage = fields.share("coverage") ?? Bucket.count
        experiment.namespace = namespace()
        experiment.seed = fields.salt("seed")
        experiment.phase = fields.number("phase", 1...Self.mostPhases) ?? 1
        experiment.isSticky =
            fields.read("sticky", "true or false") { ["true": true, "false": false][$0] } ?? false
        experiment.winner = fields.read("winner", "the name of a variation") { name in
            variations.contains { $0.name == name } ? name : nil
        }
        let states = Experiment.State.allCases.map(\.rawValue).joined(separator: ", ")
        let state = fields.read("state", "one of \(states)") { Experiment.State(rawValue: $0) }
        experiment.state = state ?? (experiment.winner == nil ? .running : .stopped)
        if fields.mistakes.isEmpty { judge(experiment) }
        return fields.mistakes.isEmpty ? experiment : nil
    }

    private mutating func variations() -> [Experiment.Variation] {
        var found: [String: Experiment.Variation] = [:]
        for (field, text) in fields.fields.sorted(by: { $0.key < $1.key }) {
            guard let (name, part) = Self.variation(of: field) else { continue }
            if found[name] == nil { found[name] = variation(name) }
            guard part.hasPrefix("values.") else { continue }
            let value = String(part.dropFirst("values.".count))
            if !RemoteValue.isName(value) { fields.refuse(field, "is not the name of a value") }
            if text.utf8.count > RemoteValue.mostBytes {
                fields.refuse(field, "has more than \(RemoteValue.mostBytes) bytes")
            }
            found[name]?.values[value] = text
        }
        let control = fields.fields["control"] ?? Experiment.usualControl
        return found.values.sorted {
            ($0.name == control ? 0 : 1, $0.name) < ($1.name == control ? 0 : 1, $1.name)
        }
    }

    private mutating func variation(_ name: String) -> Experiment.Variation {
        let place = "variations.\(name)"
        if !EntryKey.isOne(name) { fields.refuse(place, "must be \(EntryKey.form)") }
        fields.require("\(place).weight")
        return Experiment.Variation(name: name, weight: fields.share("\(place).weight") ?? 0)
    }

    private mutating func namespace() -> BucketNamespace? {
        let parts = ["namespace.name", "namespace.from", "namespace.to"]
        guard parts.contains(where: { fields.fields[$0] != nil }) else { return nil }
        for part in parts { fields.require(part) }
        let name = fields.salt("namespace.name") ?? ""
        let (from, until) = (fields.share("namespace.from") ?? 0, fields.share("namespace.to") ?? 0)
        // Namespaces have only 1,000 parts.
        for (field, place) in [("namespace.from", from), ("namespace.to", until)] where place % 10 != 0 {
            fields.refuse(field, "may have one decimal")
        }
        if from >= until { fields.refuse("namespace.to", "must be above namespace.from") }
        return BucketNamespace(name: name, from: from, until: until)
    }

    /// Finds mistakes that one field alone does not show.
    private mutating func judge(_ experiment: Experiment) {
        let names = experiment.variations.map(\.name)
        let control = fields.fields["control"] ?? Experiment.usualControl
        if names.first != control || names.count < 2 {
            fields.refuse(
                "variations", "must have one called \(control), as the field control says, and another")
        }
        if names.count > Self.mostVariations {
            fields.refuse("variations", "has more than \(Self.mostVariations) variations")
        }
        let sum = experiment.variations.reduce(0) { $0 + $1.weight }
        if sum != Bucket.count { fields.refuse("variations", "must have weights that sum to 100") }
        let values = experiment.variations.flatMap(\.values.keys)
        if experiment.isOfPages, values.contains(where: { !$0.hasPrefix(Experiment.pagePrefix) }) {
            fields.refuse(
                "variations", "has values of pages (landing.…) and of apps, which know different units")
        }
        judgeGoals(experiment)
        for condition in ["when.version", "when.build", "when.os", "when.app"] where experiment.isOfPages {
            if fields.fields.keys.contains(where: { $0 == condition || $0.hasPrefix("\(condition).") }) {
                fields.refuse(condition, "is for apps: of a browser nobody knows it")
            }
        }
        if experiment.winner != nil, [.draft, .running].contains(experiment.state) {
            fields.refuse("winner", "is for an experiment that is stopped or archived")
        }
        if experiment.isOfPages, experiment.isSticky {
            fields.refuse("sticky", "is for apps: a visitor of pages is known for one day")
        }
    }
}
