import Foundation
import Testing

@testable import Rollout

/// The statistics of means and guardrails, against gbstats and against a thousand experiments without any
/// difference.
@Suite struct MeanStatisticsTests {
    private static func sample(_ units: Int, _ sum: Double, _ squares: Double) -> Estimate {
        .mean(SampleMean(units: units, reached: units, sum: sum, sumOfSquares: squares))
    }

    private static let (loose, tight) = (
        [sample(1000, 50_000, 9e6), sample(1000, 61_000, 1.15e7)],
        [sample(5000, 1_250_000, 9e8), sample(5100, 1_480_000, 1.05e9)]
    )
    private static let few = [sample(40, 60, 130), sample(44, 90, 260)]

    /// The means of two samples as gbstats 0.8.0 (https://pypi.org/project/gbstats) compares them, by
    /// `SequentialTwoSidedTTest` and `EffectBayesianABTest` with `difference_type="absolute"`.
    private struct Vector: Sendable {
        var samples: [Estimate]
        var alpha = 0.05
        var difference, lower, upper, p, chance, loss: Double
    }

    private static let vectors = [
        Vector(
            samples: loose, difference: 11, lower: -0.8099066938857344, upper: 22.809906693885736,
            p: 0.08173298859373258, chance: 0.9981902800173396, loss: 0.0019814965736814224),
        Vector(
            samples: loose, alpha: 0.025, difference: 11, lower: -1.7089413170823224,
            upper: 23.70894131708232, p: 0.0767863178091741, chance: 0.9981902800173396,
            loss: 0.0019814965736814224),
        Vector(
            samples: tight, difference: 40.19607843137254, lower: 19.121094929468615,
            upper: 61.27106193327647, p: 4.3987031228761486e-07, chance: 0.999999997397877,
            loss: 2.908333275919988e-09),
        Vector(
            samples: few, difference: 0.5454545454545454, lower: -1.3036509906226528,
            upper: 2.3945600815317434, p: 0.8158377670645748, chance: 0.9832906108927588,
            loss: 0.0015390175667379265),
    ]

    @Test(arguments: vectors.indices)
    func `the interval, the chance and the loss of means are those of gbstats`(number: Int) throws {
        let vector = Self.vectors[number]
        let (one, other) = (vector.samples[0], vector.samples[1])
        let sequence = try #require(ConfidenceSequence(one, other, alpha: vector.alpha))
        for (found, expected) in [
            (sequence.difference, vector.difference), (sequence.lower, vector.lower),
            (sequence.upper, vector.upper), (sequence.p, vector.p),
            (other.chanceToBeat(one) ?? -1, vector.chance),
            (other.expectedLoss(against: one) ?? -1, vector.loss),
        ] {
            #expect(abs(found - expected) <= 1e-9 * max(1, abs(expected)), "\(found), \(expected)")
        }
        let back = try #require(one.chanceToBeat(other))
        #expect(abs(back + vector.chance - 1) < 1e-9)
    }

    @Test(arguments: [sample(0, 0, 0), sample(1, 7, 49), sample(10, 0, 0)])
    func `too few or equal values say nothing`(other: Estimate) {
        let none = Self.sample(10, 70, 490)
        #expect(ConfidenceSequence(none, other) == nil)
        #expect(other.chanceToBeat(none) == nil && other.expectedLoss(against: none) == nil)
    }

    /// Spendings: a tenth of the units spend, most of them little and a few very much.
    private static func spending(_ random: inout ExperimentStatisticsTests.SplitMix) -> Double {
        guard Double.random(in: 0..<1, using: &random) < 0.1 else { return 0 }
        let angle = 2 * Double.pi * Double.random(in: 0..<1, using: &random)
        let normal = (-2 * log(Double.random(in: 0.000_001..<1, using: &random))).squareRoot() * cos(angle)
        return exp(7 + 1.5 * normal).rounded()
    }

    @Test func `of 1,000 experiments without a difference, at most 5 % find one or break a guardrail`() {
        var random = ExperimentStatisticsTests.SplitMix(state: 2027)
        var (sequential, naive, broken) = (0, 0, 0)
        let guardrail = Guardrail(margin: 0)
        for _ in 0..<1000 {
            var samples = [SampleMean](
                repeating: .init(units: 0, reached: 0, sum: 0, sumOfSquares: 0), count: 2)
            var (isSequential, isNaive, isBroken) = (false, false, false)
            for _ in 0..<14 {
                for _ in 0..<200 {
                    let (arm, value) = (Int(random.next() & 1), Self.spending(&random))
                    samples[arm].units += 1
                    samples[arm].reached += value > 0 ? 1 : 0
                    samples[arm].sum += value
                    samples[arm].sumOfSquares += value * value
                }
                let (one, other) = (Estimate.mean(samples[0]), Estimate.mean(samples[1]))
                guard one.isEnough, other.isEnough, let sequence = ConfidenceSequence(one, other)
                else { continue }
                if sequence.lower > 0 || sequence.upper < 0 { isSequential = true }
                let score = sequence.difference / (one.variance + other.variance).squareRoot()
                if abs(score) > 1.96 { isNaive = true }
                // With the margin 0, the truth is just what is allowed.
                if guardrail.state(other, against: one, alpha: 0.05) == .broken { isBroken = true }
            }
            sequential += isSequential ? 1 : 0
            naive += isNaive ? 1 : 0
            broken += isBroken ? 1 : 0
        }
        #expect(sequential <= 50 && broken <= 50, "\(sequential), \(broken)")
        // A plain test at each look is wrong that often.
        #expect(naive >= 120, "\(naive)")
    }
}
