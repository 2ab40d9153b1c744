/// Mistakes about goals: how they are measured, and which must not get worse.
extension ExperimentFileTests {
    static let wrongGoals: [(yaml: String, mistake: String)] = [
        (
            experiment("measures: {bought: median}"),
            "line 5: experiments.x.measures.bought: 'median' is not allowed: it must be rate or mean"
        ),
        (
            experiment("measures: {1st: mean}"),
            "line 5: experiments.x.measures.1st: the name must be 1 to 32 of letters"
        ),
        (
            experiment("measures: {tap: mean}"),
            "line 5: experiments.x.measures.tap: is one of the pages of invites"
        ),
        (experiment("measures: mean"), "line 5: experiments.x.measures must be a table"),
        (
            experiment("measures: {\((1...21).map { "g\($0): mean" }.joined(separator: ", "))}"),
            "line 5: experiments.x.measures: has more than 20 goals"
        ),
        (
            experiment("guardrails: {refunded: {worse: higher}}"),
            "line 5: experiments.x.guardrails.refunded.margin: is missing"
        ),
        (
            experiment("guardrails: {refunded: {margin: -1}}"),
            "line 5: experiments.x.guardrails.refunded.margin: '-1' is not allowed"
        ),
        (
            experiment("guardrails: {refunded: {margin: 1}}"),
            "line 5: experiments.x.guardrails.refunded.margin: must be below 1"
        ),
        (
            experiment("guardrails: {refunded: {margin: 0.1, worse: more}}"),
            "line 5: experiments.x.guardrails.refunded.worse: 'more' is not allowed: it must be lower or higher"
        ),
        (
            experiment("guardrails: {bought: {margin: 0.1}}"),
            "line 5: experiments.x.guardrails.bought: is the goal that decides"
        ),
        (
            experiment("guardrails: {friend: {margin: 0.1}}"),
            "line 5: experiments.x.guardrails.friend: is one of the pages of invites"
        ),
        (
            experiment("guardrails: {refunded: 0.1}"),
            "line 5: experiments.x.guardrails.refunded must be a table with margin and worse"
        ),
        (
            "experiments: {x: {goal: friend, measures: {friend: mean}, variations: {control: {weight: 50}, b: {weight: 50, values: {landing: {open: {en: y}}}}}}}",
            "line 1: experiments.x.measures: is for apps"
        ),
    ]
}
