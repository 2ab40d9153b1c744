import Foundation

/// What installations of some versions of an app are to do about a newer one.
struct UpdatePolicy: Hashable, Sendable {
    var platform: AppPlatform
    /// A bundle id or package; nil: any app.
    var app: String?
    /// The highest that matches decides.
    var priority = 0
    var version = VersionCondition()
    var build = VersionCondition()
    var system = VersionCondition()
    /// One of these; empty: any.
    var languages: [Language] = []
    var countries: [String] = []
    /// How many of `Bucket.count` it is for.
    var rollout = Bucket.count
    /// Nil: the key of the policy.
    var salt: String?
    /// From then on, and before `until`.
    var from: Date?
    var until: Date?
    var action: Action
    /// The version to update to.
    var target: VersionNumber?
    /// The oldest system that runs the target.
    var minimumSystem: VersionNumber?
    /// Nil: where the store has the app.
    var url: String?
    var messages: [Language: Message] = [:]
    /// For how long an app shows a `soft` no more, once its user put it off.
    var snoozeHours: Int?

    /// The harsher, the later.
    enum Action: String, CaseIterable, Comparable, Encodable, Sendable {
        case none
        /// The app offers the update.
        case soft
        /// The app goes on only once it is updated.
        case hard
        /// The app does not go on.
        case block

        static func < (one: Action, other: Action) -> Bool {
            (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
        }
    }

    struct Message: Hashable, Sendable {
        var title: String?
        var text: String?
    }
}

extension UpdatePolicy {
    /// Why a policy is not for an installation: the first condition that does not hold, by its name in the file.
    enum Miss: String, Encodable, Sendable {
        case platform, app, version, build, os, minimumOS, language, country, rollout, from, until
    }

    /// Nil if it is for the installation.
    func miss(_ installation: AskingApp, key: String) -> Miss? {
        if platform != installation.platform { return .platform }
        if app != nil, app != installation.app { return .app }
        if !version.holds(for: installation.version) { return .version }
        if !build.holds(for: installation.build) { return .build }
        if !system.holds(for: installation.system) { return .os }
        // What its system cannot run is nothing to ask of it.
        if let minimumSystem, let has = installation.system, has < minimumSystem { return .minimumOS }
        if !languages.isEmpty, !languages.contains(where: { installation.language?.isA($0) == true }) {
            return .language
        }
        if !countries.isEmpty, !countries.contains(where: { $0 == installation.country }) { return .country }
        if !isRolledOut(to: installation.id, key) { return .rollout }
        if let from, installation.at < from { return .from }
        if let until, installation.at >= until { return .until }
        return nil
    }

    private func isRolledOut(to installation: String?, _ key: String) -> Bool {
        if rollout >= Bucket.count { return true }
        guard let installation else { return false }
        return Bucket.of(installation, seed: salt ?? key) < rollout
    }

    /// What it asks for. Nobody is forced whose system may be too old for the target.
    func action(for installation: AskingApp) -> Action {
        minimumSystem != nil && installation.system == nil ? min(action, .soft) : action
    }

    /// In the language that fits best: what the app speaks, said less exactly, English, or the first.
    func message(in language: Language?) -> (language: Language, Message)? {
        let ranked = (language?.widened ?? []) + ["en"]
        let found =
            ranked.lazy.compactMap { tag in messages.first { $0.key.tag == tag } }.first
            ?? messages.min { $0.key.tag < $1.key.tag }
        return found.map { ($0.key, $0.value) }
    }
}

extension Language {
    /// Whether it is the other, or a kind of it: `zh-hant-tw` is `zh`.
    func isA(_ other: Language) -> Bool { tag == other.tag || tag.hasPrefix("\(other.tag)-") }
}

/// What an app says of itself when it asks.
struct AskingApp: Sendable {
    var platform: AppPlatform
    var app: String?
    /// Nil as the next two: it did not say, or nobody can read it.
    var version: VersionNumber?
    var build: VersionNumber?
    var system: VersionNumber?
    var language: Language?
    /// Two capital letters.
    var country: String?
    /// Of the installation; only the rollout uses it, and nobody keeps it.
    var id: String?
    var at: Date
}
