/// How an experiment measures a goal.
enum GoalMeasure: String, CaseIterable, Sendable {
    /// By how many of the units reached it.
    case rate
    /// By the mean of the values of all units.
    case mean
}
