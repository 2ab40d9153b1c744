import Kernel

/// Which versions are believed to be releases. Whoever has a client key can make versions up, and
/// installations that have them.
///
/// Those are believed that a policy names, that a tenth of some day's installations had, or a hundredth of
/// those of seven days.
struct BelievedVersions: Sendable {
    /// How many had a version on a day.
    struct Count: Sendable {
        /// Which day it is of all.
        let day: Int
        let version: VersionNumber
        let number: Int
    }

    private static let days = 7

    private let believed: Set<VersionNumber>
    /// The versions that at least 1 % of some day had, with the greatest share.
    let spread: [VersionNumber: Double]

    /// - Parameters:
    ///   - counts: one for each day and version.
    ///   - wholes: how many there were on each day.
    ///   - named: the versions that policies name.
    init(_ counts: [Count], of wholes: [Int], named: Set<VersionNumber>) {
        var (believed, spread, days) = (named, [VersionNumber: Double](), [VersionNumber: Int]())
        for count in counts where count.number * 100 >= wholes[count.day] && count.number > 0 {
            let version = count.version
            spread[version] = max(spread[version] ?? 0, Double(count.number) / Double(wholes[count.day]))
            days[version, default: 0] += 1
            if count.number * 10 >= wholes[count.day] || days[version] == Self.days {
                believed.insert(version)
            }
        }
        (self.believed, self.spread) = (believed, spread)
    }

    func contains(_ version: VersionNumber) -> Bool { believed.contains(version) }

    /// Whether somebody who has a version has a release or a newer one. A newer one that is not believed does
    /// not count.
    func isUpdated(_ version: VersionNumber, to release: VersionNumber) -> Bool {
        version == release || version > release && contains(version)
    }
}

extension PolicyRules {
    /// The versions that policies name for an app on a platform. Nil for all.
    func versions(of app: String?, on platform: AppPlatform?) -> Set<VersionNumber> {
        let named = releases.filter { release in
            (platform == nil || release.platform == platform)
                && (app == nil || release.app.isEmpty || release.app == app)
        }
        return Set(named.compactMap { VersionNumber($0.version) })
    }
}
