/// The update policies that `kith apply` made true, by their keys.
public struct AppliedPolicies: AppliedSection {
    public static let name = "policies"

    /// The texts of the fields of each, by their names, as `when.version.lt`; those of a list are separated by commas.
    var policies: [String: [String: String]] = [:]

    static let most = 100

    public init() {}

    public var texts: [String: String] {
        var all: [String: String] = [:]
        for (key, fields) in policies {
            for (name, text) in fields { all["policies.\(key).\(name)"] = text }
        }
        return all
    }

    /// The policies, and what is wrong with them, in the words of the file.
    func read() -> (rules: PolicyRules, mistakes: [String]) {
        guard policies.count <= Self.most else {
            return (PolicyRules(), ["policies has more than \(Self.most) policies"])
        }
        var (read, mistakes) = ([String: UpdatePolicy](), [String]())
        for (key, fields) in policies.sorted(by: { $0.key < $1.key }) {
            var reader = PolicyReader(fields, place: "policies.\(key)")
            if key.wholeMatch(of: /[a-z][a-z0-9-]{0,31}/) == nil {
                reader.refuse(nil, "the key must be of lower-case letters, digits and hyphens")
            }
            read[key] = reader.policy()
            mistakes += reader.mistakes
        }
        let rules = PolicyRules(read)
        return (rules, mistakes.isEmpty ? rules.mistakes : mistakes)
    }
}
