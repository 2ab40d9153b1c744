import Counts

/// Which versions make much of an app's calls on a day, as sums keep the values of a dimension. So a new
/// release is counted although somebody made up others before, and took all places.
struct FrequentVersions {
    /// A version has a place if it makes one of so many calls.
    private static let share: Int64 = 50
    /// And so many calls, since few calls make any version frequent.
    private static let least: Int64 = 20

    private var sums: [VersionCount.Place: CountParts] = [:]

    /// Adds calls, forgets other days, and returns the versions that have become frequent.
    mutating func add(_ counts: [VersionCount: VersionCalls]) -> Set<VersionCount.Release> {
        let days = Set(counts.keys.map(\.day))
        sums = sums.filter { days.contains($0.key.day) }
        for (place, some) in Dictionary(grouping: counts, by: \.key.place) {
            let calls = Dictionary(some.map { ($0.key.version, Int64($0.value.number)) }, uniquingKeysWith: +)
            sums[place, default: CountParts()].merge(CountParts([.version: calls]))
            sums[place]?.bound()
        }
        let found = sums.flatMap { place, parts in
            let calls = parts.values[.version] ?? [:]
            let all = calls.values.reduce(parts.others[.version] ?? 0, +)
            return calls.filter { $0.value >= Self.least && $0.value * Self.share >= all }.keys.map {
                VersionCount.Release(app: place.app, platform: place.platform, version: $0)
            }
        }
        return Set(found)
    }
}
