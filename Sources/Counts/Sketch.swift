import Foundation

/// How many different things there were, without keeping which: up to 512 exactly, beyond with an error of
/// about 0.8 % (HyperLogLog with 2^14 registers, counted by LogLog-Beta, Qin et al. 2016,
/// https://arxiv.org/abs/1612.02284).
package struct Sketch: Equatable, Sendable {
    private enum Form: Equatable {
        /// The hashes themselves.
        case few(Set<UInt64>)
        /// For each of the 2^14 values of a hash's first bits, the highest place of the first 1 in its rest.
        case many([UInt8])
    }

    private var form = Form.few([])

    private static let mostExact = 512
    private static let bits = 14
    /// The highest place of a 1, if there is none.
    private static let highest = UInt8(64 - bits + 1)

    package init() {}

    /// - Parameter bytes: what `bytes` returned. Nil for anything else.
    package init?(bytes: [UInt8]) {
        switch bytes.first {
        case 0 where bytes.count % 8 == 1:
            let hashes = stride(from: 1, to: bytes.count, by: 8).map { start in
                bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            }
            form = .few(Set(hashes))
        case 1 where bytes.count == 1 + 1 << Self.bits:
            let registers = Array(bytes.dropFirst())
            guard registers.allSatisfy({ $0 <= Self.highest }) else { return nil }
            form = .many(registers)
        default: return nil
        }
    }

    package var bytes: [UInt8] {
        switch form {
        case .few(let hashes):
            [0]
                + hashes.sorted().flatMap { hash in
                    (0..<8).map { UInt8(truncatingIfNeeded: hash >> (56 - 8 * $0)) }
                }
        case .many(let registers): [1] + registers
        }
    }

    /// Adds something, and returns whether that changed the sketch. The same again changes nothing.
    /// - Parameter hash: 64 bits that are as good as random.
    @discardableResult
    package mutating func add(_ hash: UInt64) -> Bool {
        switch form {
        case .few(var hashes):
            form = .few([])
            let isNew = hashes.insert(hash).inserted
            form = hashes.count > Self.mostExact ? .many(Self.registers(of: hashes)) : .few(hashes)
            return isNew
        case .many(var registers):
            form = .few([])
            let isNew = Self.note(hash, in: &registers)
            form = .many(registers)
            return isNew
        }
    }

    /// Adds all that another one has.
    package mutating func merge(_ other: Sketch) {
        switch (form, other.form) {
        case (_, .few(let hashes)): for hash in hashes { add(hash) }
        case (.few(let hashes), .many):
            form = other.form
            for hash in hashes { add(hash) }
        case (.many(let mine), .many(let theirs)): form = .many(zip(mine, theirs).map(max))
        }
    }

    package var count: Int {
        switch form {
        case .few(let hashes): hashes.count
        case .many(let registers): Self.estimate(registers)
        }
    }

    private static func registers(of hashes: Set<UInt64>) -> [UInt8] {
        var registers = [UInt8](repeating: 0, count: 1 << bits)
        for hash in hashes { _ = note(hash, in: &registers) }
        return registers
    }

    private static func note(_ hash: UInt64, in registers: inout [UInt8]) -> Bool {
        let place = Int(hash >> (64 - bits))
        let rank = UInt8(min(64 - bits, (hash << bits).leadingZeroBitCount) + 1)
        guard rank > registers[place] else { return false }
        registers[place] = rank
        return true
    }

    private static func estimate(_ registers: [UInt8]) -> Int {
        var ranks = [Int](repeating: 0, count: 256)
        for rank in registers { ranks[Int(rank)] += 1 }
        let (size, empty) = (Double(registers.count), Double(ranks[0]))
        let sum = ranks.enumerated().reduce(0.0) { $0 + Double($1.element) * exp2(-Double($1.offset)) }
        let log = log(empty + 1)
        // The polynomial of the paper for 2^14 registers.
        let powers: [Double] = [
            0.070471823, 0.17393686, 0.16339839, -0.09237745, 0.03738027, -0.005384159, 0.00042419,
        ]
        let beta = -0.370393911 * empty + powers.reversed().reduce(0) { ($0 + $1) * log }
        let alpha = 0.7213 / (1 + 1.079 / size)
        let count = alpha * size * (size - empty) / (beta + sum)
        return Int(min(count.rounded(), Double(DaySum.most)))
    }
}
