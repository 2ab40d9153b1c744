import Testing

@testable import Rollout

/// GrowthBook's hash, version 2.
@Suite struct BucketTests {
    @Test(arguments: [
        ("a", "seed", 505), ("ab", "foo", 2575),
        // Of the Python library growthbook 4.0.0; over UTF-8 they would be 2211, 5448 and 9409.
        ("たなか", "exp", 3198), ("😀", "exp", 7506), ("é", "exp", 9760),
    ])
    func `a text falls into the bucket into which other libraries put it`(
        text: String, seed: String, bucket: Int
    ) {
        #expect(Bucket.of(text, seed: seed) == bucket)
    }

    @Test func `buckets are equally full, and those of two seeds have nothing in common`() {
        let tenth = Bucket.count / 10
        var both = 0
        var counts = [Int](repeating: 0, count: 10)
        for number in 0..<100_000 {
            let bucket = Bucket.of("user-\(number)", seed: "one")
            counts[bucket / tenth] += 1
            if bucket < tenth, Bucket.of("user-\(number)", seed: "two") < tenth { both += 1 }
        }
        // More than five standard deviations.
        #expect(counts.allSatisfy { (9_500...10_500).contains($0) }, "\(counts)")
        #expect((840...1_160).contains(both), "\(both)")
    }
}
