package import Foundation
package import Kernel
package import Web

/// The installations and visitors that a rule is for. All conditions must hold.
struct Targeting: Hashable, Sendable {
    /// The platform. Nil means any.
    var platform: AppPlatform?
    /// A bundle id or package. Nil means any app.
    var app: String?
    var version = VersionCondition()
    var build = VersionCondition()
    var system = VersionCondition()
    /// The languages, of which one must match. Empty means any.
    var languages: [Language] = []
    var countries: [String] = []
    /// The share that the rule is for, of `Bucket.count`.
    var rollout = Bucket.count
    /// The salt of the rollout. Nil means the key of the rule.
    var salt: String?
    /// The time in which the rule holds: from `from` on, and before `until`.
    var from: Date?
    var until: Date?
}

extension Targeting {
    /// Whether counts of versions say for whom it is.
    var isCounted: Bool {
        build == VersionCondition() && system == VersionCondition() && languages.isEmpty && countries.isEmpty
            && from == nil && until == nil
    }

    /// The first condition that does not hold, by its name in the file.
    enum Miss: String, Encodable, Sendable {
        case platform, app, version, build, os, minimumOS, language, country, rollout, from, until
    }

    /// Returns the first condition that does not hold. Nil if all hold.
    /// - Parameter key: the key of the rule.
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

    /// Returns when time alone may change the result.
    func changes(after time: Date) -> Date? { [from, until].compactMap(\.self).filter { $0 > time }.min() }
}

extension Language {
    /// Whether it is the other language, or a kind of it: `zh-hant-tw` is `zh`.
    func isA(_ other: Language) -> Bool { tag == other.tag || tag.hasPrefix("\(other.tag)-") }
}

/// What an app, or a browser, says about itself when it asks.
package struct AskingApp: Sendable {
    /// The platform. Nil only for a visitor at a computer.
    package var platform: AppPlatform?
    var app: String?
    /// The version. Nil if the app did not say it, or it cannot be read. The same holds for the next two.
    var version: VersionNumber?
    var build: VersionNumber?
    var system: VersionNumber?
    package var language: Language?
    /// The country as two capital letters.
    package var country: String?
    /// The id of the installation or unit. Only the rollout uses it, and it is not stored.
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
