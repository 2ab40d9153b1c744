import Foundation
package import Kernel

/// Calls that are counted together.
package struct VersionCalls: Equatable, Sendable {
    var number = 0
    /// The installations that made them, as far as they named themselves.
    var installations: Set<Installation> = []

    package init(number: Int = 0, installations: Set<Installation> = []) {
        (self.number, self.installations) = (number, installations)
    }

    static func += (calls: inout Self, more: Self) {
        calls.number += more.number
        calls.installations.formUnion(more.installations)
    }
}

/// An app on a phone.
package struct Installation: Hashable, Sendable {
    /// A hash of its id.
    var id: UUID
    /// The first number of the system's version. Nil if the app does not say it, or it is none that there is.
    var system: Int?

    /// The numbers that systems may have, so that made-up ones make few sums.
    private static let systems = 1...40

    init(id: UUID, system: VersionNumber?) {
        self.id = id
        self.system = system?.major.flatMap { Self.systems.contains($0) ? $0 : nil }
    }
}

/// The calls on a day by apps of one version with one answer. It says nothing about who called.
package struct VersionCount: Hashable, Sendable {
    /// The day, such as `2026-11-24`, in the operator's time zone.
    var day: String
    /// A bundle id or package. Empty if the app did not say it, and the host's app has none.
    var app: String
    var platform: AppPlatform
    /// The version, or one of the words `other` and `unreadable`.
    var version: String
    var action: UpdatePolicy.Action

    /// The word for a version for which there was no room, or for an app that neither a file nor the settings
    /// name.
    static let other = "other"
    static let unreadable = "unreadable"
    /// The most versions of an app on a day and platform, in addition to those that are always counted.
    static let mostVersions = 200
    /// How many of the most frequent versions of the days before are always counted.
    static let mostUsual = 50

    /// The versions of one app on a day and platform.
    struct Place: Hashable, Sendable {
        var day: String
        var app: String
        var platform: AppPlatform
    }

    /// A version of an app, on any day.
    package struct Release: Hashable, Sendable {
        /// The app. Empty for any app.
        var app: String
        var platform: AppPlatform
        var version: String
    }

    var place: Place { Place(day: day, app: app, platform: platform) }
    var release: Release { Release(app: app, platform: platform, version: version) }

    package init(
        day: String, app: String, platform: AppPlatform, version: String, action: UpdatePolicy.Action
    ) {
        (self.day, self.app, self.platform) = (day, app, platform)
        (self.version, self.action) = (version, action)
    }

    /// Returns the subject of `counts` under which the version's installations on a system are counted.
    package func subject(on system: Int?) -> String {
        "version \(platform.rawValue) \(version) \(app)" + (system.map { " \($0)" } ?? "")
    }

    /// Whether the version is always counted, so that made-up versions cannot push it out.
    /// - Parameter kept: the versions that policies name, that were usual on the days before, or that are
    ///   frequent.
    func isKept(_ kept: Set<Release>) -> Bool {
        version == Self.other || version == Self.unreadable || kept.contains(release)
            || kept.contains(Release(app: "", platform: platform, version: version))
    }

    /// Limits how many versions each place has, in addition to those that are always counted. Further ones
    /// become `other`.
    /// - Parameter known: the versions that are already counted.
    static func bounded(
        _ counts: [VersionCount: VersionCalls], known: [Place: Set<String>], kept: Set<Release> = []
    ) -> [VersionCount: VersionCalls] {
        var bounded: [VersionCount: VersionCalls] = [:]
        var others: [Place: Set<String>] = [:]
        for (place, versions) in known {
            others[place] = versions.filter { version in
                !VersionCount(place, version).isKept(kept)
            }
        }
        // The most frequent come first: among versions that come at once, real ones are before made-up ones.
        let ordered = counts.sorted {
            ($1.value.number, $0.key.version) < ($0.value.number, $1.key.version)
        }
        for (count, calls) in ordered {
            var count = count
            if !count.isKept(kept), others[count.place]?.contains(count.version) != true {
                if (others[count.place]?.count ?? 0) < mostVersions {
                    others[count.place, default: []].insert(count.version)
                } else {
                    count.version = other
                }
            }
            bounded[count, default: VersionCalls()] += calls
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
