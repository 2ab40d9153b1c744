package import Postgres

/// Where tallies come from. What it returns stays until it is counted, and then is never returned again.
package protocol CountSource: Sendable {
    /// Its row in `count_positions`.
    static var name: String { get }

    /// Returns the next part behind a position. Nil if there is none.
    func next(after position: Int64) async throws -> CountedPart?

    /// Learns that what it returned last is counted.
    func didCount()

    /// Returns for how many seconds the oldest behind a position has waited. Nil if none waits, or if what
    /// waits is in this process.
    func lag(after position: Int64) async throws -> Double?
}

extension CountSource {
    package func didCount() {}

    package func lag(after position: Int64) async throws -> Double? { nil }
}

/// A part of a source, which is counted at once.
package struct CountedPart: Sendable {
    package var tallies: [Tally]
    /// The position behind it.
    package var end: Int64
    /// Takes away what is counted, or goes with it: a statement, and how many rows it must change. Nil: any
    /// number.
    package var taking: [(statement: Statement, rows: Int?)]
    /// Whether there is more behind it.
    package var isFull: Bool
    package var way: Way

    /// How it changes the sums of its days.
    package enum Way: Sendable {
        case adding
        /// It stands in place of what was there before.
        case replacing
        /// It adds members, and how many different ones there are is the count.
        case tellingApart
    }

    package init(
        _ tallies: [Tally], end: Int64, taking: [(statement: Statement, rows: Int?)] = [], isFull: Bool,
        way: Way = .adding
    ) {
        (self.tallies, self.end, self.taking) = (tallies, end, taking)
        (self.isFull, self.way) = (isFull, way)
    }
}
