/// What must hold of a goal beside the one that decides: it must not get worse than with the control by more
/// than a margin.
struct Guardrail: Hashable, Sendable {
    /// The margin, in the unit of the goal's measure.
    var margin: Double
    var worse = Direction.lower

    /// Which numbers are the worse ones.
    enum Direction: String, CaseIterable, Sendable {
        case lower, higher
    }

    enum State: String, Sendable {
        case holds, broken
        case unknownYet = "unknown_yet"
    }

    /// Judges by the interval of the difference from the control.
    func state(_ sequence: ConfidenceSequence) -> State {
        let (worst, best) =
            worse == .lower ? (sequence.lower, sequence.upper) : (-sequence.upper, -sequence.lower)
        if best < -margin { return .broken }
        return worst >= -margin ? .holds : .unknownYet
    }
}
