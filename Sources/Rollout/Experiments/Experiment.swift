/// An experiment that compares variations of remote values.
package struct Experiment: Hashable, Sendable {
    var key: String
    var when = Targeting()
    /// The variations: the control first, then the others by name.
    var variations: [Variation]
    /// How much of each variation's share takes part, of `Bucket.count`.
    var coverage = Bucket.count
    var namespace: BucketNamespace?
    /// The seed of the buckets. Nil for the key.
    var seed: String?
    /// The phase. Each phase is counted separately, so a new one begins anew.
    var phase = 1
    /// Whether a unit that was exposed keeps its variation until the next phase, whatever else changes.
    var isSticky = false
    /// The goal that decides.
    var goal: Goal
    /// How goals are measured, by their names. Those that are not here are measured by rate.
    var measures: [String: GoalMeasure] = [:]
    /// The goals that must not get worse, by their names.
    var guardrails: [String: Guardrail] = [:]
    var state = State.running
    /// The variation that all get while the experiment is stopped.
    var winner: String?

    enum State: String, CaseIterable, Sendable {
        /// Nobody takes part yet, and everything may change.
        case draft
        case running
        /// All get the winner's values if there is one. Nobody is counted any more.
        case stopped
        /// Nobody gets anything of it. It stays in the list.
        case archived
    }

    var isRunning: Bool { state == .running }

    /// Whether it may change a value.
    var isInEffect: Bool { isRunning || (state == .stopped && winner != nil) }

    struct Variation: Hashable, Sendable {
        var name: String
        /// The weight, of `Bucket.count`.
        var weight: Int
        /// The values that it gives instead.
        var values: [String: String] = [:]
    }

    /// The name of the control unless the file gives another.
    static let usualControl = "control"

    /// The name of the variation with which the others are compared.
    var control: String { variations.first?.name ?? Self.usualControl }

    /// The prefix of the names of values of Kith's own pages.
    static let pagePrefix = "landing."

    var isOfPages: Bool { variations.contains { $0.values.keys.contains { $0.hasPrefix(Self.pagePrefix) } } }

    func measure(of goal: String) -> GoalMeasure { measures[goal] ?? .rate }

    func variation(_ name: String) -> Variation? { variations.first { $0.name == name } }
}
