/// Calls on a day by apps of one version with one answer: nothing of who called.
struct VersionCount: Hashable, Sendable {
    /// As `2026-11-24`, in UTC.
    var day: String
    /// A bundle id or package; empty: the app did not say, and the host's has none.
    var app: String
    var platform: AppPlatform
    /// `other` and `unreadable` are none.
    var version: String
    var action: UpdatePolicy.Action

    /// A version beyond `mostVersions`, or an app that nobody named in a file or the settings.
    static let other = "other"
    static let unreadable = "unreadable"
    /// Of an app on a day and platform.
    static let mostVersions = 200

    /// The versions of one app on a day and platform.
    struct Place: Hashable, Sendable {
        var day: String
        var app: String
        var platform: AppPlatform
    }

    var place: Place { Place(day: day, app: app, platform: platform) }

    /// Lets each place have no more versions than it may; further ones are `other`.
    /// - Parameter known: those that are counted already.
    static func bounded(_ counts: [VersionCount: Int], known: [Place: Set<String>]) -> [VersionCount: Int] {
        var (known, bounded) = (known, [VersionCount: Int]())
        // The most frequent first: of what comes at once, real versions are before made-up ones.
        for (count, number) in counts.sorted(by: { ($1.value, $0.key.version) < ($0.value, $1.key.version) })
        {
            var count = count
            if count.version != other, known[count.place]?.contains(count.version) != true {
                let others = known[count.place]?.subtracting([other]).count ?? 0
                if others < mostVersions {
                    known[count.place, default: []].insert(count.version)
                } else {
                    count.version = other
                }
            }
            bounded[count, default: 0] += number
        }
        return bounded
    }
}
