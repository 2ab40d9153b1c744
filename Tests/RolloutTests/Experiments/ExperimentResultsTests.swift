import Testing

@testable import Rollout

/// What an experiment's counts mean.
@Suite struct ExperimentResultsTests {
    private static func results(
        _ counts: [(units: Int, reached: Int)], weights: [Int] = [5000, 5000]
    ) -> ExperimentResults {
        let names = ["control", "a", "b", "c"].prefix(counts.count)
        let experiment = Experiment(
            key: "x", variations: zip(names, weights).map { .init(name: $0, weight: $1) }, goal: .friend)
        let days = counts.map { units, reached in
            ExperimentCounts.Day(units: units, goals: ["friend": .init(units: reached)])
        }
        return ExperimentResults(experiment, Dictionary(uniqueKeysWithValues: zip(names, days)))
    }

    private static let verdicts: [([(units: Int, reached: Int)], ExperimentVerdict)] = [
        ([(0, 0), (0, 0)], .tooEarly), ([(100, 5), (100, 50)], .tooEarly),
        ([(100, 95), (100, 90)], .tooEarly), ([(1000, 100), (1000, 121)], .undecided),
        ([(5000, 500), (5000, 600)], .better("a")), ([(5000, 600), (5000, 500)], .worse),
        // 700 units of one are missing: no verdict, however clear it looks.
        ([(5000, 500), (4300, 900)], .sampleRatioMismatch),
    ]

    @Test(arguments: verdicts)
    func `the verdict follows from the counts`(
        counts: [(units: Int, reached: Int)], verdict: ExperimentVerdict
    ) {
        #expect(Self.results(counts).verdict == verdict)
    }

    @Test func `of several better variations the best wins, and each must be surer than one alone`() {
        let thirds = [3334, 3333, 3333]
        let best = Self.results([(5000, 500), (5000, 700), (5000, 800)], weights: thirds)
        #expect(best.verdict == .better("b"))
        let alone = Self.results([(5000, 500), (5000, 600)])
        let among = Self.results([(5000, 500), (5000, 600), (5000, 500)], weights: thirds)
        #expect(alone.verdict == .better("a") && among.verdict == .undecided)
        let worse = Self.results([(5000, 800), (5000, 500), (5000, 500)], weights: thirds)
        #expect(worse.verdict == .worse)
    }

    @Test func `the control is compared with nobody, and the goal of the experiment is always there`() throws
    {
        let results = Self.results([(10, 0), (12, 1)])
        #expect(results.variations.map(\.name) == ["control", "a"])
        #expect(results.variations[0].goals["friend"]?.against == nil)
        let against = try #require(results.variations[1].goals["friend"]?.against)
        let (chance, loss) = try (#require(against.chanceToBeat), #require(against.expectedLoss))
        #expect(chance > 0.5 && loss > 0)
    }
}
