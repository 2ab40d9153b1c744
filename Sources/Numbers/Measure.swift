import Charts
import Counts
import Events
import Kernel
import Visits
import Web

/// Something that is counted, and of which people ask numbers.
///
/// Another measure is a row of `Measure+All`, and what adds to it, as `CountedEvent.tallies`. It has names in
/// `NumbersWords`, and rows in docs/numbers.md and in the table of `MeasureTests`.
package struct Measure: Sendable {
    /// Its name in calls, such as `links.clicks`.
    let name: String
    /// What one of it is.
    let summary: String
    /// The measures of `counts` whose sum it is.
    let counted: [String]
    /// By what it divides.
    let dimensions: [CountDimension]
    let counting: Aggregation
    let scope: Scope
    /// The measure of which it is a share. Nil if it is of none.
    let base: String?
    /// Whether its values may be summed. If not, as of different units, it is divided by `item` unless one of
    /// them is asked for.
    let addsUp: Bool
    /// Of what length of time it counts the different ones: whoever comes in two of them counts in both, so
    /// they do not add up. Nil if it counts how often something happened.
    let distinct: ChartUnit?
    /// For how many days something may still be counted on a day that is over.
    let growsFor: Int
    /// The values of `cause`.
    let causes: [String]

    /// What of its rows counts.
    enum Aggregation: Sendable {
        /// How often it happened.
        case times
        /// How many different ones there were on a day.
        case members
        /// How often it happened, and how long it took.
        case durations
        /// How many there were at the end of a time.
        case levels
        /// How many different ones there were in a month.
        case months
    }

    /// Of what there are numbers beside those of everything.
    enum Scope: Sendable {
        case everything
        /// Of a domain of deep links, and of one of its short links.
        case links
        /// Of a version of an app.
        case versions
    }

    /// Beside its dimensions, by what its numbers are filtered.
    var filters: [String] {
        guard scope == .links else { return [] }
        // Somebody may visit several links, so different visitors do not add up.
        return ["domain", "link"] + (counting == .members ? [] : ["tag"])
    }

    /// Whether its old days become months. The calls of versions have a table of their own.
    var becomesMonths: Bool { name != "versions.calls" }

    init(
        _ name: String, _ summary: String, of counted: [String]? = nil, by dimensions: [CountDimension] = [],
        counting: Aggregation = .times, scope: Scope = .everything, base: String? = nil, addsUp: Bool = true,
        distinct: ChartUnit? = nil, growsFor: Int = 0, causes: [String] = []
    ) {
        (self.name, self.summary, self.counted) = (name, summary, counted ?? [name])
        (self.counting, self.scope, self.base, self.addsUp) = (counting, scope, base, addsUp)
        self.dimensions = counting == .durations ? [.seconds] : dimensions
        (self.distinct, self.growsFor, self.causes) = (distinct, growsFor, causes)
    }

    static func named(_ name: String) -> Measure? { all.first { $0.name == name } }

    /// Those of which a month keeps what was last.
    package static let levels = Set(all.filter { $0.counting == .levels }.map(\.name))
}

/// What numbers divide into.
extension Measure {
    /// Returns all values that a dimension has. Nil if they come from outside.
    func values(of dimension: CountDimension) -> [String]? {
        switch dimension {
        case .platform:
            scope == .versions
                ? AppPlatform.allCases.map(\.rawValue) : Click.Platform.allCases.map(\.rawValue)
        case .kind: ["name", "personal", "custom"]
        case .via: ["qr"]
        case .cause: causes
        case .friends: LevelStore.friends
        case .country, .referrer, .source, .medium, .campaign, .language, .browser, .app, .item, .seconds,
            .version, .os:
            nil
        }
    }
}
