/// The experiments that `kith apply` made true, by their keys.
public struct AppliedExperiments: KeyedSection {
    public static let name = "experiments"

    var entries: [String: [String: String]] = [:]

    static let most = 100
    static let mostDepth = 8

    public init() {}

    public var texts: [String: String] { entryTexts }

    static func isList(_ field: String) -> Bool {
        !field.hasPrefix("variations.") && FieldReader.isList(field)
    }

    struct Rules: Sendable {
        /// In the order of their keys.
        var experiments: [Experiment] = []
        /// Whether any is of Kith's own pages.
        var ofPages = false

        subscript(key: String) -> Experiment? { experiments.first { $0.key == key } }
    }

    func read() -> (rules: Rules, mistakes: [String]) {
        guard entries.count <= Self.most else {
            return (Rules(), ["experiments has more than \(Self.most) experiments"])
        }
        var (rules, mistakes) = (Rules(), [String]())
        for (key, fields) in entries.sorted(by: { $0.key < $1.key }) {
            var reader = ExperimentReader(key, fields)
            rules.experiments += [reader.experiment()].compactMap(\.self)
            mistakes += reader.fields.mistakes
        }
        rules.ofPages = rules.experiments.contains(where: \.isOfPages)
        return (rules, mistakes.isEmpty ? Self.clashes(rules.experiments) : mistakes)
    }

    /// Two experiments that change the same value for the same unit would measure each other.
    private static func clashes(_ experiments: [Experiment]) -> [String] {
        var found: [String] = []
        for (place, one) in experiments.enumerated() {
            for other in experiments[..<place] {
                let names = Set(one.variations.flatMap(\.values.keys))
                let shared = names.intersection(other.variations.flatMap(\.values.keys)).sorted()
                guard let name = shared.first else { continue }
                if let mine = one.namespace, let theirs = other.namespace, mine.excludes(theirs) { continue }
                found.append(
                    "experiments.\(one.key): changes \(name), as experiments.\(other.key) does: give both parts of one namespace that do not overlap"
                )
            }
        }
        return found
    }

    /// The texts of values of Kith's own pages, with their places in the file.
    var pageTexts: [(place: String, name: String, text: String)] {
        entries.flatMap { key, fields in
            fields.compactMap { field, text in
                guard let (_, part) = ExperimentReader.variation(of: field), part.hasPrefix("values."),
                    part.dropFirst("values.".count).hasPrefix(Experiment.pagePrefix)
                else { return nil }
                return ("experiments.\(key).\(field)", String(part.dropFirst("values.".count)), text)
            }
        }
    }
}
