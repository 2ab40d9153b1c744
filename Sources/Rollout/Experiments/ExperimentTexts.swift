import Charts

/// The words of the picture of an experiment.
struct ExperimentTexts: Sendable {
    /// The title, with the key in place of `%`.
    let title: String
    let goal: String
    let phase: String
    /// The titles of the intervals and of the chances, with the control in place of `%`.
    let intervals: String
    let chances: String

    init(_ words: ChartWords) { self = words.tag == "ja" ? Self.japanese : Self.english }

    private init(title: String, goal: String, phase: String, intervals: String, chances: String) {
        (self.title, self.goal, self.phase) = (title, goal, phase)
        (self.intervals, self.chances) = (intervals, chances)
    }

    private static let english = ExperimentTexts(
        title: "Experiment %", goal: "goal", phase: "phase",
        intervals: "Reached the goal, with the interval of the difference from %",
        chances: "Chance to be better than %")

    private static let japanese = ExperimentTexts(
        title: "実験「%」", goal: "目標", phase: "回",
        intervals: "目標の達成率（「%」との差の区間つき）", chances: "「%」より良い確率")
}
