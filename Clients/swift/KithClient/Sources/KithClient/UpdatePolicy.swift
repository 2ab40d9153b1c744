import Foundation

/// What the app is to do about a newer version of itself.
public struct UpdatePolicy: Codable, Hashable, Sendable {
    public let action: UpdateAction
    /// The key of the operator's policy that decides; nil if none does.
    public let policy: String?
    /// The version to update to.
    public let target: String?
    /// Where the store has it.
    public let url: URL?
    /// What to show; if there is none, words of your own.
    public let title, text: String?
    /// For how many hours to leave a user alone who put a `soft` off.
    public let snoozeHours: Int?
    /// For whom the answer is.
    let platform: InstallEvidence.Platform?
    let app, version: String?
    /// Until when it is good without another answer.
    public let expiresAt: Date

    /// Nothing is to do.
    public static let none = UpdatePolicy(
        action: .none, policy: nil, target: nil, url: nil, title: nil, text: nil, snoozeHours: nil,
        platform: nil, app: nil, version: nil, expiresAt: .distantFuture)

    /// Whether it was made for this app. The server writes versions in its own way, so `4` is `4.0`.
    func isFor(_ facts: AppFacts) -> Bool {
        func numbers(_ version: String?) -> [Int]? {
            guard let parts = version?.split(separator: ".").map({ Int($0) }), !parts.contains(nil) else {
                return nil
            }
            let numbers = parts.compactMap { $0 }
            return Array(numbers[..<((numbers.lastIndex { $0 != 0 } ?? -1) + 1)])
        }
        return platform == facts.platform && app == facts.app && numbers(version) == numbers(facts.version)
    }
}

/// What an app is to do about a newer version. Take one that you do not know as `none`.
public struct UpdateAction: OpenValue {
    public static let none: Self = "none"
    /// Offer the update.
    public static let soft: Self = "soft"
    /// Go on only once it is updated.
    public static let hard: Self = "hard"
    /// Do not go on.
    public static let block: Self = "block"

    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}
