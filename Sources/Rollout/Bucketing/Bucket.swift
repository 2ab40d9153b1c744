/// Which of 10,000 equal buckets a text falls into, by GrowthBook's hash, version 2
/// (https://docs.growthbook.io/lib/build-your-own#the-hashing-algorithm). It is the same in every server, and
/// in apps that use a GrowthBook library.
enum Bucket {
    static let count = 10_000

    /// - Parameter seed: the name of the decision. Another seed shuffles anew.
    static func of(_ text: String, seed: String) -> Int {
        Int(fnv1a(String(fnv1a(seed + text))) % UInt32(count))
    }

    /// Returns which of 1,000 buckets a text falls into, by the hash's version 1, which GrowthBook requires
    /// for namespaces.
    static func thousandth(of text: String, seed: String) -> Int { Int(fnv1a(text + seed) % 1000) }

    /// Computes FNV-1a over UTF-16 code units, as JavaScript has them. Most libraries compute it over bytes,
    /// which differs outside ASCII.
    private static func fnv1a(_ text: String) -> UInt32 {
        text.utf16.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}
