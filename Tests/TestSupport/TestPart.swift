internal import Foundation

/// The part of long repetitions that a run carries out: with `KITH_TEST_PART=1/4` the second of four, without
/// it all. `.ci/run` takes another part each day, so that nothing is never run.
public enum TestPart {
    private static let (part, parts): (Int, Int) = {
        let given = ProcessInfo.processInfo.environment["KITH_TEST_PART"] ?? "0/1"
        let numbers = given.split(separator: "/").compactMap { Int($0) }
        guard numbers.count == 2, (0..<numbers[1]).contains(numbers[0]) else {
            // A run that tests less than it says is worse than none.
            fatalError("KITH_TEST_PART must be as 1/4: the second of four parts")
        }
        return (numbers[0], numbers[1])
    }()

    public static func of<Item>(_ items: [Item]) -> [Item] {
        items.indices.filter { $0 % parts == part }.map { items[$0] }
    }

    /// Returns how many of some random repetitions are made, and the seeds of their randomness.
    public static func seeds(_ count: Int) -> [Int] { of(Array(0..<count)) }
}
