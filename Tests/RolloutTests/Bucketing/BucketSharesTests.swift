import Testing

@testable import Rollout

/// GrowthBook's vectors (`packages/sdk-js/test/cases.json`): `getBucketRange` and `chooseVariation`,
/// `inNamespace`, `hash`.
@Suite struct BucketSharesTests {
    /// Weights and coverage in hundredths of a per cent, and for each share its first bucket and the first
    /// behind it.
    private static let ranges: [(weights: [Int], coverage: Int, ranges: [Range<Int>])] = [
        ([5000, 5000], 10_000, [0..<5000, 5000..<10_000]),
        ([5000, 5000], 5000, [0..<2500, 5000..<7500]),
        ([5000, 5000], 0, [0..<0, 5000..<5000]),
        ([2500, 2500, 2500, 2500], 10_000, [0..<2500, 2500..<5000, 5000..<7500, 7500..<10_000]),
        ([4000, 6000], 10_000, [0..<4000, 4000..<10_000]),
        ([2000, 3000, 5000], 10_000, [0..<2000, 2000..<5000, 5000..<10_000]),
        ([2000, 3000, 5000], 2000, [0..<400, 2000..<2600, 5000..<6000]),
    ]

    @Test(arguments: ranges)
    func `shares and coverage make the ranges of GrowthBook`(
        weights: [Int], coverage: Int, ranges: [Range<Int>]
    ) {
        let shares = BucketShares(weights: weights, coverage: coverage)
        for bucket in 0..<Bucket.count {
            #expect(shares.place(of: bucket) == ranges.firstIndex { $0.contains(bucket) }, "\(bucket)")
        }
    }

    @Test(arguments: [
        (10_000, 2000, 0), (10_000, 4000, 0), (10_000, 6000, 1), (10_000, 8000, 1), (10_000, 0, 0),
        (10_000, 5000, 1), (5000, 2000, 0), (5000, 4000, nil), (5000, 6000, 1), (5000, 8000, nil),
        (5000, 2500, nil), (5000, 5000, 1),
    ])
    func `a bucket chooses the variation that GrowthBook chooses`(coverage: Int, bucket: Int, place: Int?) {
        #expect(BucketShares(weights: [5000, 5000], coverage: coverage).place(of: bucket) == place)
    }

    @Test(arguments: [
        ("1", "namespace1", false), ("1", "namespace2", false), ("2", "namespace1", false),
        ("2", "namespace2", false), ("3", "namespace1", false), ("3", "namespace2", true),
        ("4", "namespace1", false), ("4", "namespace2", true),
    ])
    func `a namespace has the units that GrowthBook's has`(unit: String, name: String, isBelow: Bool) {
        let below = BucketNamespace(name: name, from: 0, until: 4000)
        let above = BucketNamespace(name: name, from: 4000, until: 10_000)
        #expect(below.contains(unit) == isBelow && above.contains(unit) == !isBelow)
        #expect(below.excludes(above) && !above.excludes(above))
        #expect(!below.excludes(BucketNamespace(name: "other", from: 4000, until: 10_000)))
    }

    @Test func `the first version of the hash is GrowthBook's, too`() {
        #expect(Bucket.thousandth(of: "a", seed: "") == 220)
    }

    @Test func `a unit in a covered share stays there, whatever coverage comes`() {
        let units = (0..<5000).map { "花子\($0)" }
        var before: [String: Int] = [:]
        for coverage in stride(from: 0, through: 10_000, by: 500) {
            let shares = BucketShares(weights: [3333, 3333, 3334], coverage: coverage)
            for unit in units {
                let place = shares.place(of: Bucket.of(unit, seed: "ramp"))
                if let known = before[unit] { #expect(place == known, "\(unit) at \(coverage)") }
                before[unit] = place
            }
        }
        #expect(before.count == units.count)
    }
}
