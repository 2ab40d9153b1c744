import Foundation
import Web

/// How a sum divides by its dimensions: the most frequent values of each, and together all others.
package struct CountParts: Equatable, Sendable {
    /// How many values of a dimension a sum has at most. Whoever invents values only makes `others` larger:
    /// frequent ones stay.
    package static let mostValues = 100
    /// How many bytes a value has at most. Beyond, it is cut.
    package static let mostBytes = 128

    private(set) package var values: [CountDimension: [String: Int64]] = [:]
    /// What was counted with a value that is not among `values`.
    private(set) package var others: [CountDimension: Int64] = [:]

    package init() {}

    package init(_ values: [CountDimension: [String: Int64]]) {
        self.values = values
    }

    mutating func add(_ value: String, of dimension: CountDimension, _ count: Int64 = 1) {
        values[dimension, default: [:]][Self.cut(value), default: 0] += count
    }

    /// Returns the beginning of a value. A character may have any number of accents, so bytes are counted.
    package static func cut(_ value: String) -> String {
        guard value.utf8.count > mostBytes else { return value }
        var (kept, room) = (String.UnicodeScalarView(), mostBytes)
        for scalar in value.unicodeScalars {
            room -= UTF8.width(scalar)
            guard room >= 0 else { break }
            kept.append(scalar)
        }
        return String(kept)
    }

    package mutating func merge(_ other: CountParts) {
        values.merge(other.values) { $0.merging($1, uniquingKeysWith: +) }
        others.merge(other.others, uniquingKeysWith: +)
    }

    /// Keeps the most frequent values of each dimension, of equally frequent ones those that come first in
    /// the alphabet.
    package mutating func bound(to most: Int = mostValues) {
        for (dimension, counts) in values where counts.count > most {
            let ordered = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            values[dimension] = Dictionary(
                uniqueKeysWithValues: ordered.prefix(most).map { ($0.key, $0.value) })
            others[dimension, default: 0] += ordered.dropFirst(most).reduce(0) { $0 + $1.value }
        }
    }
}

/// The form in the database: an object for each dimension, in which the empty name stands for all others.
extension CountParts {
    package init?(json text: String) {
        guard let all = JSON.numbers(text) else { return nil }
        for (name, counts) in all {
            guard let dimension = CountDimension(rawValue: name), !counts.isEmpty else { continue }
            values[dimension] = counts
            others[dimension] = values[dimension]?.removeValue(forKey: "")
        }
    }

    package var json: String {
        var all = values
        for (dimension, count) in others { all[dimension, default: [:]][""] = count }
        return JSON.text(numbers: all.lazy.map { ($0.rawValue, $1) })
    }
}
