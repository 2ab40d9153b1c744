import Web

extension Config {
    /// Returns variables that begin like settings but are not, each with the most similar setting.
    package static func unknown(environment: [String: String]) -> [(name: String, nearest: String)] {
        let settings = shown(environment: [:]).map(\.name)
        let known = Set(settings + settings.map { "\($0)_FILE" } + ["KITH_DEV_FOLDER"])
        return environment.keys.sorted().compactMap { name in
            guard name.hasPrefix("KITH_"), !known.contains(name), !isOfKubernetes(name) else { return nil }
            return name.nearest(among: known).map { (name, $0) }
        }
    }

    /// Whether Kubernetes sets the variable. It does for each service, and a service may be called kith.
    private static func isOfKubernetes(_ name: String) -> Bool {
        name.wholeMatch(of: /KITH_(.+_)?(SERVICE_(HOST|PORT(_.+)?)|PORT(_[0-9]+_.+)?)/) != nil
    }
}
