extension Config {
    /// Variables that begin like settings but are not, each with the most similar setting.
    public static func unknown(environment: [String: String]) -> [(name: String, nearest: String)] {
        let settings = shown(environment: [:]).map(\.name)
        let known = Set(settings + settings.map { "\($0)_FILE" } + ["KITH_DEV_FOLDER"])
        return environment.keys.sorted().compactMap { name in
            guard name.hasPrefix("KITH_"), !known.contains(name), !isOfKubernetes(name) else { return nil }
            let nearest = known.sorted().min { distance($0, name) < distance($1, name) }
            return nearest.map { (name, $0) }
        }
    }

    /// Kubernetes sets such variables for each service, and a service may be called kith.
    private static func isOfKubernetes(_ name: String) -> Bool {
        name.wholeMatch(of: /KITH_(.+_)?(SERVICE_(HOST|PORT(_.+)?)|PORT(_[0-9]+_.+)?)/) != nil
    }

    /// How many characters to insert, delete or substitute (Levenshtein).
    private static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        var row = Array(0...other.count)
        for (index, character) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let exchanged = diagonal + (character == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(exchanged, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
