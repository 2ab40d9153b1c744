import Foundation

/// Repeatable random numbers: each run prints its seed, and `KITH_TEST_SEED` takes it. The order of
/// concurrent tasks does not repeat.
struct SeededGenerator: RandomNumberGenerator {
    static let seed: UInt64 = {
        let given = ProcessInfo.processInfo.environment["KITH_TEST_SEED"].flatMap(UInt64.init)
        let seed = given ?? .random(in: .min ... .max)
        print("KITH_TEST_SEED=\(seed)")
        return seed
    }()

    private var state: UInt64

    /// Each `number` has a sequence of its own, so concurrent tasks need not share one.
    init(_ number: Int = 0) {
        state = Self.mix(Self.seed ^ Self.mix(UInt64(number)))
    }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return Self.mix(state)
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
