import Kernel

/// Calls on a day by apps of one version with one answer: nothing of who called.
package struct VersionCount: Hashable, Sendable {
    /// As `2026-11-24`, in UTC.
    var day: String
    /// A bundle id or package; empty: the app did not say, and the host's has none.
    var app: String
    var platform: AppPlatform
    /// `other` and `unreadable` are none.
    var version: String
    var action: UpdatePolicy.Action

    /// A version for which there was no place, or an app that nobody named in a file or the settings.
    static let other = "other"
    static let unreadable = "unreadable"
    /// Of an app on a day and platform, beside those that nobody can push out.
    static let mostVersions = 200
    /// How many of the most frequent of the days before nobody can push out.
    static let mostUsual = 50

    /// The versions of one app on a day and platform.
    struct Place: Hashable, Sendable {
        var day: String
        var app: String
        var platform: AppPlatform
    }

    /// A version of an app, on any day.
    package struct Release: Hashable, Sendable {
        /// Empty: of any app.
        var app: String
        var platform: AppPlatform
        var version: String
    }

    var place: Place { Place(day: day, app: app, platform: platform) }
    var release: Release { Release(app: app, platform: platform, version: version) }

    /// Whether nobody can push it out by versions that are made up.
    /// - Parameter kept: those that policies name or that were usual on the days before.
    func isKept(_ kept: Set<Release>) -> Bool {
        version == Self.other || version == Self.unreadable || kept.contains(release)
            || kept.contains(Release(app: "", platform: platform, version: version))
    }

    /// Lets each place have no more versions than it may beside those that are kept; further ones are `other`.
    /// - Parameter known: those that are counted already.
    static func bounded(
        _ counts: [VersionCount: Int], known: [Place: Set<String>], kept: Set<Release> = []
    ) -> [VersionCount: Int] {
        var bounded: [VersionCount: Int] = [:]
        var others: [Place: Set<String>] = [:]
        for (place, versions) in known {
            others[place] = versions.filter { version in
                !VersionCount(place, version).isKept(kept)
            }
        }
        // The most frequent first: of what comes at once, real versions are before made-up ones.
        for (count, number) in counts.sorted(by: { ($1.value, $0.key.version) < ($0.value, $1.key.version) })
        {
            var count = count
            if !count.isKept(kept), others[count.place]?.contains(count.version) != true {
                if (others[count.place]?.count ?? 0) < mostVersions {
                    others[count.place, default: []].insert(count.version)
                } else {
                    count.version = other
                }
            }
            bounded[count, default: 0] += number
        }
        return bounded
    }
}

extension VersionCount {
    fileprivate init(_ place: Place, _ version: String) {
        self.init(
            day: place.day, app: place.app, platform: place.platform, version: version, action: .none)
    }
}
