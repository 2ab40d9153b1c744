import Testing

@testable import Rollout

/// Goals that must not get worse than with the control.
@Suite struct GuardrailTests {
    /// Results of 5,000 units of each variation, of which some became friends, were refunded, and gave stars.
    private static func results(
        friends: [Int], refunded: [Int], stars: [Double], margins: (refunded: Double, stars: Double)
    ) -> ExperimentResults {
        let names = Array(["control", "a", "b"].prefix(friends.count))
        let weights = friends.count == 2 ? [5000, 5000] : [3334, 3333, 3333]
        var experiment = Experiment(
            key: "x", variations: zip(names, weights).map { .init(name: $0, weight: $1) }, goal: .friend)
        experiment.measures["stars"] = .mean
        experiment.guardrails = [
            "refunded": Guardrail(margin: margins.refunded, worse: .higher),
            "stars": Guardrail(margin: margins.stars),
        ]
        let days = names.indices.map { place in
            // Each unit gave the mean or one star more or less, half of them each.
            let mean = stars[place]
            return ExperimentCounts.Day(
                units: 5000,
                goals: [
                    "friend": .init(units: friends[place]), "refunded": .init(units: refunded[place]),
                    "stars": .init(units: 5000, sum: 5000 * mean, sumOfSquares: 5000 * (mean * mean + 1)),
                ])
        }
        return ExperimentResults(experiment, Dictionary(uniqueKeysWithValues: zip(names, days)))
    }

    typealias Row = (
        refunded: Int, stars: Double, states: [Guardrail.State?], verdict: ExperimentVerdict
    )

    /// With the control 200 units were refunded, and the mean is 4 stars. The rate may be higher by half of
    /// it, and the mean lower by a twentieth.
    @Test(
        arguments: [
            (200, 4.0, [.holds, .holds], .better("a")), (400, 4.0, [.broken, .holds], .guardrailBroken),
            (200, 3.7, [.holds, .broken], .guardrailBroken),
            (400, 3.7, [.broken, .broken], .guardrailBroken),
            (270, 4.0, [.unknownYet, .holds], .better("a")), (200, 3.8, [.holds, .unknownYet], .better("a")),
            // Better than the control breaks nothing, and units that never do it are known, too.
            (0, 4.5, [.holds, .holds], .better("a")),
        ] as [Row])
    func `a variation that breaks a guardrail is not the best`(row: Row) {
        let results = Self.results(
            friends: [500, 700], refunded: [200, row.refunded], stars: [4, row.stars], margins: (0.5, 0.05))
        let goals = results.variations[1].goals
        #expect([goals["refunded"]?.guardrail, goals["stars"]?.guardrail] == row.states)
        #expect(results.verdict == row.verdict)
        #expect(results.variations[0].goals["refunded"]?.guardrail == nil)
    }

    @Test func `the best of those that break none is best, though a better one breaks one`() {
        let results = Self.results(
            friends: [500, 700, 900], refunded: [200, 200, 600], stars: [4, 4, 4], margins: (0.5, 0.05))
        #expect(results.verdict == .better("a"))
        #expect(results.variations[2].goals["refunded"]?.guardrail == .broken)
    }

    @Test func `nothing is known of a guardrail that hardly anybody reached, or if units are missing`() {
        var experiment = Experiment(
            key: "x", variations: [.init(name: "control", weight: 5000), .init(name: "a", weight: 5000)],
            goal: .friend)
        experiment.guardrails["crashed"] = Guardrail(margin: 0.001, worse: .higher)
        func state(_ units: [Int], _ crashed: [Int]) -> Guardrail.State? {
            let days = zip(units, crashed).map {
                ExperimentCounts.Day(units: $0, goals: ["crashed": .init(units: $1)])
            }
            let results = ExperimentResults(experiment, ["control": days[0], "a": days[1]])
            return results.variations[1].goals["crashed"]?.guardrail
        }
        #expect(state([0, 0], [0, 0]) == .unknownYet)
        #expect(state([5000, 5000], [0, 0]) == .unknownYet)
        #expect(state([50_000, 50_000], [0, 5]) == .unknownYet)
        #expect(state([5000, 5000], [0, 300]) == .broken)
        #expect(state([5000, 4000], [0, 300]) == .unknownYet)
    }
}
