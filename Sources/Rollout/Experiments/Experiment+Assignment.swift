/// What units get.
extension Experiment {
    /// What a unit gets.
    struct Assignment: Hashable, Sendable {
        var variation: Variation
        /// Whether the unit is counted. False for the winner.
        var isCounted = true
    }

    /// Returns what a unit gets. Nil if it does not take part.
    /// - Parameter exposed: the variation to which the unit was exposed in this phase.
    func assignment(of unit: ExperimentUnit?, _ asking: AskingApp, exposed: String? = nil) -> Assignment? {
        guard isInEffect else { return nil }
        let isMeant = when.miss(asking, key: key) == nil
        if !isRunning, let winner = winner.flatMap(variation) {
            return isMeant ? Assignment(variation: winner, isCounted: false) : nil
        }
        guard let unit else { return nil }
        if isSticky, let kept = exposed.flatMap(variation) { return Assignment(variation: kept) }
        return isMeant ? variation(of: unit).map { Assignment(variation: $0) } : nil
    }

    /// Returns the variation of the unit's bucket, whatever the conditions say. Nil if it does not take part.
    func variation(of unit: ExperimentUnit) -> Variation? {
        guard namespace?.contains(unit.text) != false else { return nil }
        let shares = BucketShares(weights: variations.map(\.weight), coverage: coverage)
        return shares.place(of: Bucket.of(unit.text, seed: seed ?? key)).map { variations[$0] }
    }
}
