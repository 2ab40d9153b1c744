import Foundation
import Web

/// What installations of some versions of an app are to do about a newer one.
struct UpdatePolicy: Hashable, Sendable {
    /// Says the platform, too.
    var when = Targeting()
    /// The highest that matches decides.
    var priority = 0
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
    /// The days of `when.from` and `when.until` where the file says them, as 2026-11-21: the last is the first that is no longer in it.
    var firstDay: String?
    var lastDay: String?

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
    /// Whether it offers the update to some bad releases alone, and so more to them than to older ones, which are well.
    var isOfBadReleases: Bool {
        let (version, build) = (when.version, when.build)
        guard action == .soft, !version.isDownward || !build.isDownward else { return false }
        let isLeft = target.map { version.isEmpty || version.isBelow($0) } ?? false
        return isLeft && (version.isDownward || version.isBounded) && (build.isDownward || build.isBounded)
    }

    /// Nil if it is for the installation.
    func miss(_ installation: AskingApp, key: String) -> Targeting.Miss? {
        // What its system cannot run is nothing to ask of it.
        let isTooOld = minimumSystem.map { (installation.system ?? $0) < $0 } ?? false
        return when.miss(installation, key: key) ?? (isTooOld ? .minimumOS : nil)
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
