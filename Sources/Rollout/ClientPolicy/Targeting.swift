package import Foundation
package import Kernel
package import Web

/// For which installations and visitors a rule is: all that is said must hold.
struct Targeting: Hashable, Sendable {
    /// Nil: any.
    var platform: AppPlatform?
    /// A bundle id or package; nil: any app.
    var app: String?
    var version = VersionCondition()
    var build = VersionCondition()
    var system = VersionCondition()
    /// One of these; empty: any.
    var languages: [Language] = []
    var countries: [String] = []
    /// How many of `Bucket.count` it is for.
    var rollout = Bucket.count
    /// Nil: the key of the rule.
    var salt: String?
    /// From then on, and before `until`.
    var from: Date?
    var until: Date?
}

extension Targeting {
    /// The first condition that does not hold, by its name in the file.
    enum Miss: String, Encodable, Sendable {
        case platform, app, version, build, os, minimumOS, language, country, rollout, from, until
    }

    /// Nil if all hold.
    /// - Parameter key: of the rule.
    func miss(_ asking: AskingApp, key: String) -> Miss? {
        if platform != nil, platform != asking.platform { return .platform }
        if app != nil, app != asking.app { return .app }
        if !version.holds(for: asking.version) { return .version }
        if !build.holds(for: asking.build) { return .build }
        if !system.holds(for: asking.system) { return .os }
        if !languages.isEmpty, !languages.contains(where: { asking.language?.isA($0) == true }) {
            return .language
        }
        if !countries.isEmpty, !countries.contains(where: { $0 == asking.country }) { return .country }
        if !isRolledOut(to: asking.id, key) { return .rollout }
        if let from, asking.at < from { return .from }
        if let until, asking.at >= until { return .until }
        return nil
    }

    private func isRolledOut(to id: String?, _ key: String) -> Bool {
        if rollout >= Bucket.count { return true }
        guard let id else { return false }
        return Bucket.of(id, seed: salt ?? key) < rollout
    }

    /// When time alone may change what holds.
    func changes(after time: Date) -> Date? { [from, until].compactMap(\.self).filter { $0 > time }.min() }
}

extension Language {
    /// Whether it is the other, or a kind of it: `zh-hant-tw` is `zh`.
    func isA(_ other: Language) -> Bool { tag == other.tag || tag.hasPrefix("\(other.tag)-") }
}

/// What an app says of itself when it asks, or a browser.
package struct AskingApp: Sendable {
    /// Nil only for a visitor at a computer.
    package var platform: AppPlatform?
    var app: String?
    /// Nil as the next two: it did not say, or nobody can read it.
    var version: VersionNumber?
    var build: VersionNumber?
    var system: VersionNumber?
    package var language: Language?
    /// Two capital letters.
    package var country: String?
    /// Of the installation or unit; only the rollout uses it, and nobody keeps it.
    package var id: String?
    package var at: Date

    package init(
        platform: AppPlatform? = nil, app: String? = nil, version: VersionNumber? = nil,
        build: VersionNumber? = nil, system: VersionNumber? = nil, language: Language? = nil,
        country: String? = nil, id: String? = nil, at: Date
    ) {
        self.platform = platform
        self.app = app
        self.version = version
        self.build = build
        self.system = system
        self.language = language
        self.country = country
        self.id = id
        self.at = at
    }
}
