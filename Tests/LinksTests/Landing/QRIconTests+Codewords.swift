import Testing

@testable import Links

/// What the icon covers, codeword by codeword, by ISO/IEC 18004.
extension QRIconTests {
    @Test(arguments: 1...40) func `each block corrects what the icon covers, twice over at H`(version: Int) {
        let symbol = SymbolLayout(version: version)
        let square = QRCode.clearing(in: symbol.width)
        #expect(square.count * 5 <= symbol.width && square.count % 2 == 1)
        #expect(square.lowerBound + square.upperBound == symbol.width)
        #expect(square.lowerBound > 8, "clear of finders, timing, format and version")
        let covered = symbol.codewords(in: square)
        let bounds: [(level: QRCode.Level, share: Double)] =
            version == 40 ? [(.H, 0.5), (.Q, 0.6), (.M, 0.75), (.L, 0.75)] : [(.H, 0.5), (.Q, 0.6)]
        for (level, share) in bounds {
            let blocks = symbol.blocks(level)
            for number in 0..<blocks.count {
                let errors = covered.count { blocks.order[$0] == number }
                #expect(Double(errors) < share * Double(blocks.corrects), "block \(number) at \(level)")
            }
        }
    }
}

/// Where the codewords of a symbol stand.
private struct SymbolLayout {
    let version: Int
    var width: Int { 17 + 4 * version }

    /// Finders, timing, format, version and alignment.
    private func isPattern(_ row: Int, _ column: Int) -> Bool {
        let far = width - 8
        if row == 6 || column == 6 { return true }
        if (row < 9 && (column < 9 || column >= far)) || (row >= far && column < 9) { return true }
        if version >= 7, (row < 6 && column >= far - 3) || (column < 6 && row >= far - 3) { return true }
        let places = alignments
        guard let y = places.first(where: { abs($0 - row) <= 2 }),
            let x = places.first(where: { abs($0 - column) <= 2 })
        else { return false }
        return (x, y) != (6, 6) && (x, y) != (6, width - 7) && (x, y) != (width - 7, 6)
    }

    /// Annex E.
    private var alignments: [Int] {
        guard version > 1 else { return [] }
        let count = version / 7 + 2
        let step = version == 32 ? 26 : (version * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        return [6] + (0..<count - 1).map { width - 7 - $0 * step }
    }

    /// The codewords that have a bit in the square, in the order in which they are placed: two columns at a
    /// time from the right, upwards first.
    func codewords(in square: Range<Int>) -> Set<Int> {
        var (bits, found) = (0, Set<Int>())
        var isUpward = true
        for right in stride(from: width - 1, to: 0, by: -2).map({ $0 > 6 ? $0 : $0 - 1 }) where right > 0 {
            for step in 0..<width {
                let row = isUpward ? width - 1 - step : step
                for column in [right, right - 1] where !isPattern(row, column) {
                    if square.contains(row), square.contains(column) { found.insert(bits / 8) }
                    bits += 1
                }
            }
            isUpward.toggle()
        }
        return found
    }

    /// The block of each codeword, in the order in which they are placed, and how many errors a block
    /// corrects.
    func blocks(_ level: QRCode.Level) -> (count: Int, corrects: Int, order: [Int]) {
        let table: [QRCode.Level: (checks: [Int], blocks: [Int])] = [
            .H: (Self.checksOfH, Self.blocksOfH), .Q: (Self.checksOfQ, Self.blocksOfQ),
        ]
        // Version 40, the only one that is taken with less.
        let (checks, count) =
            table[level].map { ($0.checks[version - 1], $0.blocks[version - 1]) }
            ?? (level == .M ? (28, 49) : (30, 25))
        let bits = (0..<width * width).count { !isPattern($0 / width, $0 % width) }
        // The last blocks have one data codeword more, if the codewords do not divide evenly.
        let (length, longer) = (bits / 8).quotientAndRemainder(dividingBy: count)
        let data = (0...length - checks).flatMap { place in
            (0..<count).filter { place < length - checks || $0 >= count - longer }
        }
        return (count, checks / 2, data + (0..<checks).flatMap { _ in 0..<count })
    }

    // Table 9: check codewords of a block, and blocks, by version.
    private static let checksOfH = [
        17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28,
        30, 24, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ]
    private static let blocksOfH = [
        1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25,
        25, 34, 30, 32, 35, 37, 40, 42, 45, 48, 51, 54, 57, 60, 63, 66, 70, 74, 77, 81,
    ]
    private static let checksOfQ = [
        13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30,
        28, 30, 30, 30, 30, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
    ]
    private static let blocksOfQ = [
        1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20,
        23, 23, 25, 27, 29, 34, 34, 35, 38, 40, 43, 45, 48, 51, 53, 56, 59, 62, 65, 68,
    ]
}
