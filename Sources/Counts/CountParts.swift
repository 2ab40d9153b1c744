import Foundation
import Web

/// How a sum divides by its dimensions: the most frequent values of each, some that may become frequent, and
/// together all others.
///
/// A value that gets a place late may have been counted among the others before, and nobody knows how often:
/// no more than the values that lost theirs. Whoever decides which values stay adds that (Space-Saving,
/// Metwally, Agrawal and El Abbadi 2005, merged as in Cafaro, Pulimeno and Tempesta 2016). So no count is too
/// high, and a value with more than a fiftieth of all has a place, whatever came before.
package struct CountParts: Equatable, Sendable {
    /// How many of the most frequent values of a dimension a sum keeps. Whoever invents others, however
    /// many, takes the place of none: only a value that was counted more often does.
    package static let mostValues = 100
    /// How many further values it keeps, which may become frequent.
    package static let mostRising = 50
    /// How many bytes a value has at most. Beyond, it is cut.
    package static let mostBytes = 128

    private(set) package var values: [CountDimension: [String: Int64]] = [:]
    /// What was counted with a value that is not among `values`.
    private(set) package var others: [CountDimension: Int64] = [:]
    /// How often a value of `values` may be among `others`, at most. The empty name: one that is not among
    /// `values`.
    private(set) var missed: [CountDimension: [String: Int64]] = [:]

    package init() {}

    package init(_ values: [CountDimension: [String: Int64]]) {
        self.values = values
    }

    mutating func add(_ value: String, of dimension: CountDimension, _ count: Int64 = 1) {
        let value = Self.plain(value)
        if !value.isEmpty { values[dimension, default: [:]][value, default: 0] += count }
    }

    /// Returns as much of a value as a sum keeps, in one spelling and without what nobody sees: blanks around
    /// it, controls, and what turns text around. A character may have any number of accents, so bytes are
    /// counted.
    package static func plain(_ value: String) -> String {
        let isASCII = value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        if isASCII, value.utf8.count <= mostBytes, value.utf8.first != 0x20, value.utf8.last != 0x20 {
            return value
        }
        var (kept, room) = (String.UnicodeScalarView(), mostBytes)
        for scalar in value.precomposedStringWithCanonicalMapping.unicodeScalars where isSeen(scalar) {
            room -= UTF8.width(scalar)
            guard room >= 0 else { break }
            kept.append(scalar)
        }
        return String(kept).trimmingCharacters(in: .whitespaces)
    }

    private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return !properties.isDefaultIgnorableCodePoint && !properties.isNoncharacterCodePoint
            && !unseen.contains(properties.generalCategory)
    }

    private static let unseen: Set<Unicode.GeneralCategory> = [
        .control, .format, .lineSeparator, .paragraphSeparator,
    ]

    package mutating func merge(_ other: CountParts) {
        for dimension in Set(missed.keys).union(other.missed.keys) {
            missed[dimension] = CountParts.missed(of: dimension, in: self, other)
        }
        values.merge(other.values) { $0.merging($1, uniquingKeysWith: +) }
        others.merge(other.others, uniquingKeysWith: +)
    }

    /// What may be among the others of two sums together.
    private static func missed(of dimension: CountDimension, in sums: CountParts...) -> [String: Int64] {
        let names = Set(sums.flatMap { $0.values[dimension, default: [:]].keys }).union([""])
        return names.reduce(into: [:]) { missed, name in
            let count = sums.reduce(Int64(0)) { count, sum in
                let isKept = sum.values[dimension]?[name] != nil
                return count + (sum.missed[dimension]?[isKept ? name : ""] ?? 0)
            }
            if count > 0 { missed[name] = count }
        }
    }

    /// Keeps the most frequent values of each dimension, and of the rest those that may have been counted
    /// most often; of equal ones those that come first in the alphabet.
    package mutating func bound(to most: Int = mostValues, rising: Int = mostRising) {
        for (dimension, counts) in values where counts.count > most + rising {
            let missed = missed[dimension] ?? [:]
            let rest = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.dropFirst(most)
                .map { (value: $0.key, atMost: $0.value + (missed[$0.key] ?? 0)) }
                .sorted { ($1.atMost, $0.value) < ($0.atMost, $1.value) }
            for (value, atMost) in rest.dropFirst(rising) {
                others[dimension, default: 0] += values[dimension]?.removeValue(forKey: value) ?? 0
                self.missed[dimension]?[value] = nil
                self.missed[dimension, default: [:]]["", default: 0] = max(
                    self.missed[dimension]?[""] ?? 0, atMost)
            }
        }
    }
}

/// The form in the database: an object for each dimension, in which the empty name stands for all others, and
/// one whose name begins with `~` for what its values may have missed.
extension CountParts {
    private static let mark = "~"

    /// - Parameter text: what `json` returned. Nil for anything else.
    package init?(json text: String) {
        guard let all = JSON.numbers(text) else { return nil }
        for (name, counts) in all {
            guard counts.values.allSatisfy((0...DaySum.most).contains) else { return nil }
            let isMissed = name.hasPrefix(Self.mark)
            guard let dimension = CountDimension(rawValue: String(name.dropFirst(isMissed ? 1 : 0))),
                !counts.isEmpty
            else { continue }
            if isMissed {
                missed[dimension] = counts
            } else {
                values[dimension] = counts
                others[dimension] = values[dimension]?.removeValue(forKey: "")
            }
        }
    }

    package var json: String {
        var all = values
        for (dimension, count) in others { all[dimension, default: [:]][""] = count }
        return JSON.text(
            numbers: all.map { ($0.rawValue, $1) } + missed.map { (Self.mark + $0.rawValue, $1) })
    }
}
