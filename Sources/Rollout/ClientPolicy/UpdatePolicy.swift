import Foundation
import Web

/// What installations of some versions of an app must do about a newer one.
package struct UpdatePolicy: Hashable, Sendable {
    /// The conditions, including the platform.
    var when = Targeting()
    /// The priority. The highest policy that matches decides.
    var priority = 0
    var action: Action
    /// The version to update to.
    var target: VersionNumber?
    /// The oldest system that runs the target.
    var minimumSystem: VersionNumber?
    /// The URL of the update. Nil for the app's page in the store.
    var url: String?
    var messages: [Language: Message] = [:]
    /// For how many hours an app does not repeat a `soft` that its user put off.
    var snoozeHours: Int?
    /// The days of `when.from` and `when.until` as the file has them, such as 2026-11-21. The last day is the
    /// first that is no longer included.
    var firstDay: String?
    var lastDay: String?

    /// What the app must do. Later cases are harsher.
    package enum Action: String, CaseIterable, Comparable, Encodable, Sendable {
        case none
        /// The app offers the update.
        case soft
        /// The app goes on only once it is updated.
        case hard
        /// The app does not go on.
        case block

        package static func < (one: Action, other: Action) -> Bool {
            (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
        }
    }

    struct Message: Hashable, Sendable {
        var title: String?
        var text: String?
    }
}

extension UpdatePolicy {
    /// Whether it offers the update to some bad releases only. So it asks more of them than of older ones,
    /// which are fine.
    var isOfBadReleases: Bool {
        let (version, build) = (when.version, when.build)
        guard action == .soft, !version.isDownward || !build.isDownward else { return false }
        let isLeft = target.map { version.isEmpty || version.isBelow($0) } ?? false
        return isLeft && (version.isDownward || version.isBounded) && (build.isDownward || build.isBounded)
    }

    /// Returns the first condition that does not hold. Nil if the policy is for the installation.
    func miss(_ installation: AskingApp, key: String) -> Targeting.Miss? {
        // An installation is not asked for what its system cannot run.
        let isTooOld = minimumSystem.map { (installation.system ?? $0) < $0 } ?? false
        return when.miss(installation, key: key) ?? (isTooOld ? .minimumOS : nil)
    }

    /// Returns the action. Nobody is forced whose system may be too old for the target.
    func action(for installation: AskingApp) -> Action {
        minimumSystem != nil && installation.system == nil ? min(action, .soft) : action
    }

    /// Returns the message in the language that fits best: the app's language, a less exact form of it,
    /// English, or the first.
    func message(in language: Language?) -> (language: Language, Message)? {
        let ranked = (language?.widened ?? []) + ["en"]
        let found =
            ranked.lazy.compactMap { tag in messages.first { $0.key.tag == tag } }.first
            ?? messages.min { $0.key.tag < $1.key.tag }
        return found.map { ($0.key, $0.value) }
    }
}
