import Testing

@testable import AppTesting
@testable import Counts

/// How many different ones a sketch has.
struct SketchTests {
    private func sketch(_ hashes: some Sequence<UInt64>) -> Sketch {
        hashes.reduce(into: Sketch()) { $0.add($1) }
    }

    private func hashes(_ count: Int, series: Int = 1) -> [UInt64] {
        var numbers = SeededGenerator(series)
        return (0..<count).map { _ in numbers.next() }
    }

    @Test func `registers that no hash can have are refused, and the fullest ones can be counted`() {
        #expect(Sketch(bytes: [1] + [UInt8](repeating: 52, count: 1 << 14)) == nil)
        let full = Sketch(bytes: [1] + [UInt8](repeating: 51, count: 1 << 14))
        #expect(full?.count ?? 0 > 1_000_000)
    }

    @Test(arguments: [0, 1, 2, 100, 511, 512])
    func `up to 512 different ones are counted exactly, however often each comes`(count: Int) {
        let hashes = hashes(count)
        #expect(sketch(hashes + hashes.reversed() + hashes).count == count)
    }

    @Test(arguments: [513, 1000, 5000, 20_000, 40_000, 60_000, 100_000, 300_000])
    func `more are counted within five per cent`(count: Int) {
        for series in 1...3 {
            let error = Double(sketch(hashes(count, series: series)).count) / Double(count) - 1
            #expect(abs(error) < 0.05, "\(count): \(error)")
        }
    }

    @Test(arguments: [(10, 20), (400, 400), (100, 3000), (3000, 100), (3000, 5000)])
    func `what two servers saw is counted together, and what both saw once`(one: Int, other: Int) {
        let (mine, theirs) = (hashes(one), hashes(other, series: 2))
        var merged = sketch(mine + theirs.prefix(5))
        merged.merge(sketch(theirs))
        #expect(merged == sketch(mine + theirs))
    }

    @Test(arguments: [0, 3, 512, 513, 9000])
    func `what is stored is read again`(count: Int) {
        let sketch = sketch(hashes(count))
        #expect(Sketch(bytes: sketch.bytes) == sketch)
        #expect(sketch.bytes.count <= 16_385)
    }

    @Test(arguments: [[], [0, 1], [1, 2, 3], [2], Array(repeating: 1, count: 16_384)] as [[UInt8]])
    func `other bytes are no sketch`(bytes: [UInt8]) {
        #expect(Sketch(bytes: bytes) == nil)
    }
}
