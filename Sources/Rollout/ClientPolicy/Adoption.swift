import Charts
import Foundation
import Web

/// How releases of an app spread. For each, how many of a day's installations had it or a newer one that is
/// believed, by day since the first on which at least 1 % of them did.
struct Adoption: Sendable {
    /// How many installations had a version on a day.
    struct Count: Sendable {
        let day: String
        let version: String
        let installations: Int
    }

    struct Release: Sendable {
        let version: VersionNumber
        /// Nil if at least 1 % of a day's installations never had it.
        var firstDay: String?
        /// Whether an installation said that it has this very version. Else nobody knows its first day.
        var isSeen = false
        /// Whether nothing was counted on the day before, so that nobody knows its first day.
        var mayBeOlder = false
        /// From the first day on: how many installations had it or a newer version, of how many.
        var days: [(count: Int, whole: Int)] = []
        /// On which counted day it had reached half of a day's installations, and nine tenths. Nil if it did
        /// not, or may be older.
        var half: Int?
        var nineTenths: Int?
        /// The policies that have it as their target.
        var policies: [Policy] = []
    }

    struct Policy: Sendable {
        let key: String
        let action: UpdatePolicy.Action
        /// When it begins. Nil if it holds since it was applied.
        let from: Date?
        /// How many days after the release's first day that is.
        let day: Int?
    }

    /// The newest first.
    private(set) var releases: [Release] = []

    static let mostReleases = AgeChart.mostSeries
    /// How many releases there are if none is asked for: believed ones, and others.
    private static let (usual, others) = (5, mostReleases - 5)

    /// - Parameters:
    ///   - days: those that were counted, oldest first.
    ///   - versions: the releases that are asked for. Nil: of those that at least 1 % of some day's
    ///     installations had, the newest that are believed, and of the others those that most had.
    ///   - named: the versions that policies name.
    ///   - followed: how many days after its first day each release is followed.
    init(
        _ counts: [Count], days: [String], versions: [VersionNumber]?, named: Set<VersionNumber> = [],
        followed: Int
    ) {
        let places = Dictionary(uniqueKeysWithValues: days.enumerated().map { ($1, $0) })
        let read = Dictionary(
            uniqueKeysWithValues: Set(counts.map(\.version)).map { ($0, VersionNumber($0)) })
        var wholes = [Int](repeating: 0, count: days.count)
        var known: [BelievedVersions.Count] = []
        for count in counts {
            guard let place = places[count.day] else { continue }
            wholes[place] += count.installations
            if let version = read[count.version] ?? nil {
                known.append(.init(day: place, version: version, number: count.installations))
            }
        }
        let believed = BelievedVersions(known, of: wholes, named: named)
        for version in versions ?? Self.usual(believed) {
            var (having, own) = (wholes.map { _ in 0 }, wholes.map { _ in 0 })
            for one in known where believed.isUpdated(one.version, to: version) {
                having[one.day] += one.number
                if one.version == version { own[one.day] += one.number }
            }
            releases.append(
                Release(version, zip(having, wholes).map { ($0, $1) }, own: own, days, followed))
        }
        releases.sort { $0.version > $1.version }
    }

    private static func usual(_ believed: BelievedVersions) -> [VersionNumber] {
        let newest = believed.spread.keys.filter(believed.contains).sorted(by: >).prefix(usual)
        let others = believed.spread.filter { !believed.contains($0.key) }
            .sorted { ($1.value, $1.key) < ($0.value, $0.key) }
        return newest + others.prefix(max(Self.others, usual - newest.count)).map(\.key)
    }

    /// Adds the policies that have the releases as their targets.
    /// - Parameter zone: whose days these are.
    mutating func add(_ policies: [PolicyRules.Named], in zone: TimeZone) {
        for place in releases.indices {
            let release = releases[place]
            releases[place].policies = policies.filter { $0.policy.target == release.version }.map { named in
                let from = named.policy.when.from
                let day = from.flatMap { from in
                    release.firstDay.flatMap { Self.days(from: $0, to: DaySpan.day(of: from, in: zone)) }
                }
                return Policy(key: named.key, action: named.policy.action, from: from, day: day)
            }
        }
    }

    private static func days(from first: String, to last: String) -> Int? {
        guard let first = Date(rfc3339: "\(first)T00:00:00Z"), let last = Date(rfc3339: "\(last)T00:00:00Z")
        else { return nil }
        return Int((last.timeIntervalSince(first) / 86_400).rounded())
    }
}

extension Adoption.Release {
    /// - Parameters:
    ///   - all: how many had it or a newer version on each of the days, of how many.
    ///   - own: how many had this very version.
    fileprivate init(
        _ version: VersionNumber, _ all: [(count: Int, whole: Int)], own: [Int], _ days: [String],
        _ followed: Int
    ) {
        self.version = version
        guard let seen = own.firstIndex(where: { $0 > 0 }) else { return }
        isSeen = true
        guard let first = all[seen...].firstIndex(where: { $0.whole > 0 && $0.count * 100 >= $0.whole })
        else { return }
        firstDay = days[first]
        mayBeOlder = all[..<first].last.map { $0.whole == 0 } ?? true
        self.days = Array(all[first...].prefix(followed + 1))
        guard !mayBeOlder else { return }
        func reached(_ tenths: Int) -> Int? {
            all[first...].firstIndex { $0.whole > 0 && $0.count * 10 >= $0.whole * tenths }.map { $0 - first }
        }
        (half, nineTenths) = (reached(5), reached(9))
    }
}
