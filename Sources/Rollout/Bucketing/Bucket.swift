/// Which of 10,000 equal buckets a text falls into, by GrowthBook's hash, version 2
/// (https://docs.growthbook.io/lib/build-your-own#the-hashing-algorithm): the same in every server and in apps that have a library
/// of it.
enum Bucket {
    static let count = 10_000

    /// - Parameter seed: what is decided: another seed shuffles anew.
    static func of(_ text: String, seed: String) -> Int {
        Int(fnv1a(String(fnv1a(seed + text))) % UInt32(count))
    }

    /// Which of 1,000 buckets, by the hash's version 1, in which GrowthBook asks for namespaces.
    static func thousandth(of text: String, seed: String) -> Int { Int(fnv1a(text + seed) % 1000) }

    /// FNV-1a over UTF-16 code units, as JavaScript has them; most write it over bytes, which differs outside ASCII.
    private static func fnv1a(_ text: String) -> UInt32 {
        text.utf16.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }
}
