import Kernel

/// The update policies that `kith apply` has set up, by their keys.
package struct AppliedPolicies: KeyedSection {
    package static let name = "policies"

    var policies: [String: [String: String]] = [:]

    static let most = 100

    package init() {}

    package var entries: [String: [String: String]] {
        get { policies }
        set { policies = newValue }
    }

    package static func isList(_ field: String) -> Bool { FieldReader.isList(field) }

    package static var fieldNames: Set<String> { PolicyReader.names }

    /// Policies that can never decide are a mistake only here: servers accept them, so that applied ones keep
    /// working.
    package var mistakes: [String] {
        let (rules, mistakes) = read()
        return mistakes.isEmpty ? rules.unreachable : mistakes
    }

    package func dangers(over former: Self) -> [String: String] {
        let rules = Dictionary(uniqueKeysWithValues: read().rules.ordered.map { ($0.key, $0.policy) })
        // One that is rolled out to nobody forces nobody.
        return policies.filter { key, fields in
            ["hard", "block"].contains(fields["action"]) && former.policies[key] != fields
                && rules[key]?.when.rollout != 0
        }
        .mapValues { _ in "people who have such a version could not use the app until they update it" }
    }

    /// Returns the policies, and what is wrong with them, in the words of the file.
    package func read() -> (rules: PolicyRules, mistakes: [String]) {
        var policies: [String: UpdatePolicy] = [:]
        let mistakes = readEntries(atMost: Self.most, "policies") { key, fields in
            var reader = PolicyReader(fields, place: "policies.\(key)")
            reader.fields.requireKey(key)
            policies[key] = reader.policy()
            return reader.fields.mistakes
        }
        let rules = PolicyRules(policies)
        return (rules, mistakes.isEmpty ? rules.mistakes : mistakes)
    }
}
