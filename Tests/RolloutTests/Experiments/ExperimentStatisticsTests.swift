import Foundation
import Testing

@testable import Rollout

/// The statistics against published vectors, and against a thousand experiments without any difference.
@Suite struct ExperimentStatisticsTests {
    private func isNear(_ one: Double, _ other: Double, _ most: Double) -> Bool { abs(one - other) <= most }

    @Test(arguments: [
        (1, 1, 1, 1, 0.5, 1e-12), (2, 1, 1, 2, 0.166666666667, 1e-12),
        (11, 91, 16, 86, 0.853283789934, 1e-11), (101, 901, 121, 881, 0.923183438973, 1e-11),
        (1001, 99_001, 1061, 98_941, 0.908000140585, 1e-9),
        // Beyond 10,000 successes by a normal distribution: a little off, and fast.
        (10_001, 990_001, 10_201, 989_801, 0.921367010, 1e-3),
        (100_011, 9_900_001, 100_611, 9_899_401, 0.9103, 1e-3),
    ])
    func `the chance that B beats A is that of the closed form`(
        a: Int, b: Int, c: Int, d: Int, chance: Double, most: Double
    ) {
        let (one, other) = (BetaPosterior(Double(a), Double(b)), BetaPosterior(Double(c), Double(d)))
        #expect(isNear(other.chanceToBeat(one), chance, most), "\(other.chanceToBeat(one))")
        #expect(isNear(one.chanceToBeat(other), 1 - chance, max(most, 1e-8)))
    }

    @Test(arguments: [(11, 91, 16, 86, 0.003578088), (101, 901, 121, 881, 0.000484614)])
    func `the expected loss is what choosing B costs where A is better`(
        a: Int, b: Int, c: Int, d: Int, loss: Double
    ) {
        let (one, other) = (BetaPosterior(Double(a), Double(b)), BetaPosterior(Double(c), Double(d)))
        #expect(isNear(other.expectedLoss(against: one), loss, 1e-9))
        #expect(one.expectedLoss(against: other) > loss)
    }

    @Test func `for many successes the loss is that of a normal distribution`() {
        let one = BetaPosterior(Proportion(units: 10_000_000, successes: 99_990))
        let other = BetaPosterior(Proportion(units: 10_000_000, successes: 99_980))
        let more = BetaPosterior(Proportion(units: 10_000_000, successes: 100_010))
        #expect(
            isNear(
                one.expectedLoss(against: other), one.expectedLoss(against: more) / 1, 2e-5))
        #expect(more.expectedLoss(against: one) > 0)
    }

    @Test(arguments: [
        (100, 1000, 121, 1000, -0.02277294, 0.06477294, 0.869838815, 0.933014938),
        (500, 5000, 600, 5000, 0.00085169, 0.03914831, 0.033486002, 0.999307232),
    ])
    func `the sequential interval is that of gbstats`(
        a: Int, n: Int, b: Int, m: Int, lower: Double, upper: Double, p: Double, chance: Double
    ) throws {
        let (one, other) = (Proportion(units: n, successes: a), Proportion(units: m, successes: b))
        let sequence = try #require(ConfidenceSequence(.rate(one), .rate(other)))
        #expect(isNear(sequence.lower, lower, 1e-8) && isNear(sequence.upper, upper, 1e-8))
        #expect(isNear(sequence.p, p, 1e-8))
        // gbstats' own chance to win, by a normal distribution.
        let score = sequence.difference / (one.variance + other.variance).squareRoot()
        #expect(isNear(NormalDistribution.below(score), chance, 1e-8))
    }

    @Test func `without a variance there is no interval`() {
        let none = Proportion(units: 100, successes: 0)
        #expect(ConfidenceSequence(.rate(none), .rate(none)) == nil)
        #expect(ConfidenceSequence(.rate(Proportion(units: 0, successes: 0)), .rate(none)) == nil)
    }

    @Test(arguments: [
        ([821_588, 815_482], [50, 50], 1.8217928726e-06, 1e-15), ([502, 498], [50, 50], 0.899, 1e-3),
        ([600, 400], [5000, 5000], 2.5e-10, 1e-11), ([0, 0], [5000, 5000], 1, 0),
        // By tables of χ² with 2, 3 and 4 degrees: 5.991, 7.815 and 9.488 are at 5 %.
        ([10, 0, 0], [3333, 3333, 3334], 4.54e-5, 1e-7),
        ([300, 200, 100], [5000, 3333, 1667], 1, 1e-3),
    ])
    func `a sample ratio is judged as by gbstats`(units: [Int], weights: [Int], p: Double, most: Double) {
        let ratio = SampleRatio(units: units, weights: weights)
        #expect(isNear(ratio.p, p, most), "\(ratio)")
        #expect(ratio.isMismatch == (p < 0.001))
    }

    @Test func `more degrees of freedom take a larger sum for the same p`() {
        for (count, sum) in [(2, 3.841), (3, 5.991), (4, 7.815), (5, 9.488), (6, 11.070)] {
            // One share is off by so much that χ² is the sum.
            let expected = 100_000.0
            let off = (sum * expected * Double(count - 1) / Double(count)).squareRoot()
            let units =
                [Int(expected + off)]
                + [Int](repeating: Int(expected - off / Double(count - 1)), count: count - 1)
            let ratio = SampleRatio(units: units, weights: [Int](repeating: 1, count: count))
            #expect(isNear(ratio.p, 0.05, 2e-3), "\(count): \(ratio)")
        }
    }

    /// Fast, and the same everywhere.
    struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    @Test func `of 1,000 experiments without a difference, at most 5 % find one in 14 daily looks`() {
        var random = SplitMix(state: 2027)
        var (sequential, naive, mismatches) = (0, 0, 0)
        for _ in 0..<1000 {
            var (units, successes) = ([0, 0], [0, 0])
            var (isSequential, isNaive) = (false, false)
            for _ in 0..<14 {
                for _ in 0..<300 {
                    let bits = random.next()
                    let arm = Int(bits & 1)
                    units[arm] += 1
                    // A tenth.
                    if (bits >> 1) % 10 == 0 { successes[arm] += 1 }
                }
                let (one, other) = (
                    Proportion(units: units[0], successes: successes[0]),
                    Proportion(units: units[1], successes: successes[1])
                )
                guard let sequence = ConfidenceSequence(.rate(one), .rate(other)) else { continue }
                if sequence.lower > 0 || sequence.upper < 0 { isSequential = true }
                let score = sequence.difference / (one.variance + other.variance).squareRoot()
                if abs(score) > 1.96 { isNaive = true }
            }
            if isSequential { sequential += 1 }
            if isNaive { naive += 1 }
            if SampleRatio(units: units, weights: [1, 1]).isMismatch { mismatches += 1 }
        }
        #expect(sequential <= 50, "\(sequential)")
        // A plain test at each look is wrong that often.
        #expect(naive >= 150, "\(naive)")
        #expect(mismatches <= 10, "\(mismatches)")
    }

    @Test(arguments: [(7, 20, 19, 20), (19, 20, 6, 20), (1, 3, 2, 3), (10, 20, 10, 20)])
    func `a difference of rates lies within what differences can be`(a: Int, of: Int, b: Int, among: Int)
        throws
    {
        let (one, other) = (Proportion(units: of, successes: a), Proportion(units: among, successes: b))
        let sequence = try #require(ConfidenceSequence(.rate(one), .rate(other)))
        #expect((-1...sequence.difference).contains(sequence.lower))
        #expect((sequence.difference...1).contains(sequence.upper))
        #expect((0...1).contains(sequence.p))
        for (mine, theirs) in [(one, other), (other, one)] {
            let posterior = BetaPosterior(mine)
            #expect((0...1).contains(posterior.chanceToBeat(BetaPosterior(theirs))))
            #expect((0...1).contains(posterior.expectedLoss(against: BetaPosterior(theirs))))
        }
    }
}
