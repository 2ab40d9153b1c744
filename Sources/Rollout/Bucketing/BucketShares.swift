/// Divides all buckets among variations, by their weights, as GrowthBook does
/// (https://docs.growthbook.io/lib/build-your-own#assigning-variations), but in whole numbers instead of
/// fractions.
struct BucketShares: Hashable, Sendable {
    /// The weights, whose sum is `Bucket.count`.
    let weights: [Int]
    /// How much of each share is used, from its start on, of `Bucket.count`. So a unit in a share stays there
    /// if the coverage rises.
    let coverage: Int

    /// Returns the index of the variation. Nil if the bucket is not covered.
    func place(of bucket: Int) -> Int? {
        var start = 0
        for (place, weight) in weights.enumerated() {
            let past = (bucket - start) * Bucket.count
            if past >= 0, past < coverage * weight { return place }
            start += weight
        }
        return nil
    }
}

/// A part of all units, so that experiments with other parts of the same namespace never have the same unit.
struct BucketNamespace: Hashable, Sendable {
    var name: String
    /// The range of `Bucket.count`, from the first on and before the second.
    var (from, until): (Int, Int)

    func contains(_ unit: String) -> Bool {
        let place = Bucket.thousandth(of: unit, seed: "__\(name)") * (Bucket.count / 1000)
        return place >= from && place < until
    }

    /// Whether no unit can be in both.
    func excludes(_ other: BucketNamespace) -> Bool {
        name == other.name && (until <= other.from || other.until <= from)
    }
}
