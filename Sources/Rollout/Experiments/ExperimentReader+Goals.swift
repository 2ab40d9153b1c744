import Kernel

/// Reads how an experiment measures its goals, and which must not get worse.
extension ExperimentReader {
    /// The most goals that have a measure, and that are guardrails.
    private static let most = 20

    mutating func measures() -> [String: GoalMeasure] {
        var found: [String: GoalMeasure] = [:]
        for goal in goals(of: "measures") {
            found[goal] = fields.read("measures.\(goal)", Self.form(GoalMeasure.self)) {
                GoalMeasure(rawValue: $0)
            }
        }
        return found
    }

    mutating func guardrails() -> [String: Guardrail] {
        var found: [String: Guardrail] = [:]
        for goal in goals(of: "guardrails") {
            let place = "guardrails.\(goal)"
            fields.require("\(place).margin")
            let margin = fields.read("\(place).margin", "a number from 0 on, with at most six decimals") {
                $0.wholeMatch(of: /\d{1,12}(\.\d{1,6})?/) == nil ? nil : Double($0)
            }
            let worse = fields.read("\(place).worse", Self.form(Guardrail.Direction.self)) {
                Guardrail.Direction(rawValue: $0)
            }
            found[goal] = Guardrail(margin: margin ?? 0, worse: worse ?? .lower)
        }
        return found
    }

    private static func form<Choice: CaseIterable & RawRepresentable<String>>(_: Choice.Type) -> String {
        Choice.allCases.map(\.rawValue).joined(separator: " or ")
    }

    /// Returns the goals that a table of the file has, in the order of their names.
    private mutating func goals(of table: String) -> [String] {
        let parts = fields.fields.keys.map { $0.split(separator: ".", maxSplits: 2).map(String.init) }
        let goals = Set(parts.filter { $0.count > 1 && $0[0] == table }.map { $0[1] }).sorted()
        for goal in goals where Goal(goal) == nil {
            fields.refuse("\(table).\(goal)", "the name must be \(EntryKey.form)")
        }
        if goals.count > Self.most { fields.refuse(table, "has more than \(Self.most) goals") }
        return goals
    }

    /// Finds goals that no unit can reach, and guardrails that say nothing.
    mutating func judgeGoals(_ experiment: Experiment) {
        let goal = experiment.goal.name
        let places =
            [("goal", goal)] + experiment.guardrails.keys.sorted().map { ("guardrails.\($0)", $0) }
            + experiment.measures.keys.sorted().filter { $0 != goal }.map { ("measures.\($0)", $0) }
        for (place, name) in places {
            let isBuiltIn = Goal.builtIn.contains { $0.name == name }
            if !experiment.isOfPages, isBuiltIn {
                fields.refuse(place, "is one of the pages of invites: no unit of an app reaches it")
            }
            if experiment.isOfPages, !isBuiltIn {
                fields.refuse(
                    place,
                    "must be tap, install, signup or friend: nobody can say that a visitor of a page reached another"
                )
            }
        }
        if experiment.isOfPages, experiment.measures.values.contains(.mean) {
            fields.refuse("measures", "is for apps: a visitor of a page reaches a goal once")
        }
        if experiment.guardrails[goal] != nil {
            fields.refuse("guardrails.\(goal)", "is the goal that decides")
        }
        for (name, guardrail) in experiment.guardrails.sorted(by: { $0.key < $1.key })
        where guardrail.margin >= 1 && guardrail.worse == .lower {
            fields.refuse(
                "guardrails.\(name).margin",
                "must be below 1: no number falls by more than all of it, and 0.02 is 2 % of the control's")
        }
    }
}
