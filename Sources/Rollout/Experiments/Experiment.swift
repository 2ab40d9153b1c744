/// Compares variations of remote values.
package struct Experiment: Hashable, Sendable {
    var key: String
    var when = Targeting()
    /// The control first, then by name.
    var variations: [Variation]
    /// How much of each variation's share takes part, of `Bucket.count`.
    var coverage = Bucket.count
    var namespace: BucketNamespace?
    /// Nil: the key.
    var seed: String?
    /// Counted apart: a new one begins anew.
    var phase = 1
    /// Whether a unit that was exposed keeps its variation until the next phase, whatever else changes.
    var isSticky = false
    var goal: Goal
    /// The variation that all get from now on; nobody is counted any more.
    var winner: String?

    struct Variation: Hashable, Sendable {
        var name: String
        /// Of `Bucket.count`.
        var weight: Int
        /// What it gives values instead.
        var values: [String: String] = [:]
    }

    /// What the control is called unless the file names another.
    static let usualControl = "control"

    /// With which the others are compared.
    var control: String { variations.first?.name ?? Self.usualControl }

    /// Names of values of Kith's own pages begin with it.
    static let pagePrefix = "landing."

    var isOfPages: Bool { variations.contains { $0.values.keys.contains { $0.hasPrefix(Self.pagePrefix) } } }

    func variation(_ name: String) -> Variation? { variations.first { $0.name == name } }
}

extension Experiment {
    /// What a unit is to get.
    struct Assignment: Hashable, Sendable {
        var variation: Variation
        /// False for the winner.
        var isCounted = true
    }

    /// Nil if it does not take part.
    /// - Parameter exposed: the variation to which the unit was exposed in this phase.
    func assignment(of unit: ExperimentUnit?, _ asking: AskingApp, exposed: String? = nil) -> Assignment? {
        let isMeant = when.miss(asking, key: key) == nil
        if let winner = winner.flatMap(variation) {
            return isMeant ? Assignment(variation: winner, isCounted: false) : nil
        }
        guard let unit else { return nil }
        if isSticky, let kept = exposed.flatMap(variation) { return Assignment(variation: kept) }
        return isMeant ? variation(of: unit).map { Assignment(variation: $0) } : nil
    }

    /// That of its bucket, whatever the conditions say; nil if it does not take part.
    func variation(of unit: ExperimentUnit) -> Variation? {
        guard namespace?.contains(unit.text) != false else { return nil }
        let shares = BucketShares(weights: variations.map(\.weight), coverage: coverage)
        return shares.place(of: Bucket.of(unit.text, seed: seed ?? key)).map { variations[$0] }
    }
}
