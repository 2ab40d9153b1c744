/// What must hold of a goal beside the one that decides: it must not get worse than with the control by more
/// than a margin. It is relative, as the non-inferiority margins of Eppo and Spotify's Confidence.
struct Guardrail: Hashable, Sendable {
    /// By which part of the control's number it may get worse: 0.02 is 2 %.
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

    /// Judges by the interval of the difference from the worst number that is allowed, which is a multiple of
    /// the control's.
    func state(_ variation: Estimate, against control: Estimate, alpha: Double) -> State {
        let factor = worse == .lower ? 1 - margin : 1 + margin
        let sequence = ConfidenceSequence(
            difference: variation.value - factor * control.value,
            variance: variation.variance + factor * factor * control.variance,
            units: variation.units + control.units, alpha: alpha)
        guard let sequence else { return .unknownYet }
        let (worst, best) =
            worse == .lower ? (sequence.lower, sequence.upper) : (-sequence.upper, -sequence.lower)
        if best < 0 { return .broken }
        return worst >= 0 ? .holds : .unknownYet
    }
}
