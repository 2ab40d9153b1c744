import Web

/// What the results of an experiment say, as a sentence.
struct VerdictSentence: Sendable {
    let name: String
    /// The variation that it names.
    let best: String
    let control: String

    /// Nil if the results have none.
    init?(_ results: JSONTree) {
        name = results.text("verdict")
        guard !name.isEmpty else { return nil }
        best = results.text("best")
        control = results.list("variations").first?.text("variation") ?? ""
    }

    /// Whether somebody has to do something: waiting longer changes nothing.
    var isFinal: Bool { !["too_early", "undecided"].contains(name) }

    /// The variation that is to win. Nil if there is none.
    var winner: String? { ["better", "worse"].contains(name) ? best.nonEmpty : nil }

    var kind: Notice.Kind {
        switch name {
        case "better": .good
        case "guardrail_broken", "sample_ratio_mismatch": .bad
        default: .warning
        }
    }

    func sentence(_ words: Words) -> String {
        words("experiments.verdict.\(name)", ["best": best, "control": control])
    }
}
