package import Foundation

/// Something that happened, to be added to a sum.
package struct Tally: Equatable, Sendable {
    /// The sum to which it belongs.
    package struct Key: Hashable, Comparable, Sendable {
        /// Of what or whom it is. Empty: of everything.
        package var subject: String
        /// What was counted, such as `links.page`.
        package var measure: String
        /// The day, such as `2026-11-24`, in the operator's time zone, or `ever`.
        package var day: String

        /// The day of a sum of all days together.
        package static let ever = "infinity"

        package init(_ subject: String, _ measure: String, on day: String) {
            (self.subject, self.measure, self.day) = (subject, measure, day)
        }

        package static func < (one: Self, other: Self) -> Bool {
            (one.subject, one.measure, one.day) < (other.subject, other.measure, other.day)
        }
    }

    package var key: Key
    package var count: Int64
    package var parts: [CountDimension: String]
    /// Who it was, as a hash that nobody can turn back, if different ones are counted.
    package var member: UInt64?

    package init(_ key: Key, count: Int64 = 1, parts: [CountDimension: String] = [:], member: UInt64? = nil) {
        (self.key, self.count, self.parts, self.member) = (key, count, parts, member)
    }
}

/// A sum: how often something happened to a subject on a day.
package struct DaySum: Equatable, Sendable {
    package var count: Int64 = 0
    package var parts = CountParts()
    /// The different ones who did it. Nil if they are not told apart.
    package var members: Sketch?
    /// False if somebody else wrote its parts or members, so that they are left out.
    package var isWhole = true

    /// The largest count, as the table has it, so that those of ten years can be added.
    static let most: Int64 = 999_999_999_999_999

    package init() {}

    mutating func add(_ tally: Tally) {
        for (dimension, value) in tally.parts where !value.isEmpty {
            parts.add(value, of: dimension, tally.count)
        }
        if let member = tally.member {
            if members == nil { members = Sketch() }
            members?.add(member)
        }
        count = min(count + tally.count, Self.most)
    }

    /// Adds another day or server's sum.
    package mutating func merge(_ other: DaySum) {
        parts.merge(other.parts)
        if let theirs = other.members {
            if members == nil { members = Sketch() }
            members?.merge(theirs)
        }
        count = min(count + other.count, Self.most)
    }
}

extension UUID {
    /// Its first 64 bits.
    package var firstBits: UInt64 {
        withUnsafeBytes(of: uuid) { bytes in bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
    }
}

extension Sequence<Tally> {
    /// The sums of these.
    package var sums: [Tally.Key: DaySum] {
        reduce(into: [:]) { sums, tally in sums[tally.key, default: DaySum()].add(tally) }
    }
}
