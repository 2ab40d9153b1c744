import Foundation
import Hummingbird
import Kernel
import Web

/// What an app must do. It repeats for whom it is, so that a signed answer proves nothing to another app.
struct PolicyResponse: Encodable {
    let action: UpdatePolicy.Action
    /// The key of the policy that decides.
    let policy: String?
    let target: String?
    let url: String?
    let title: String?
    let text: String?
    /// The language of title and text.
    let language: String?
    let snoozeHours: Int?
    let platform: AppPlatform?
    let app: String?
    /// The version as Kith reads it.
    let version: String?
    /// How often the policies changed.
    let revision: Int64
    let expiresAt: Date

    /// - Parameter url: the app's page in the store.
    init(
        _ decision: PolicyRules.Decision, for asking: AskingApp, url storeURL: String?, revision: Int64
    ) {
        let policy = decision.action > .none ? decision.by?.policy : nil
        let message = policy?.message(in: asking.language)
        action = decision.action
        self.policy = decision.by?.key
        target = policy?.target?.description
        url = policy.flatMap { $0.url ?? storeURL }
        (title, text) = (message?.1.title, message?.1.text)
        language = message?.language.tag
        snoozeHours = action == .soft ? policy?.snoozeHours : nil
        (platform, app, version) = (asking.platform, asking.app, asking.version?.description)
        self.revision = revision
        expiresAt = Self.expiry(of: decision, at: asking.at)
    }

    /// Returns a time one to two hours ahead, or the time when the answer may change by itself. It is the
    /// same within an hour, so that the answer is the same.
    static func expiry(of decision: PolicyRules.Decision, at now: Date) -> Date {
        let hour = (now.timeIntervalSince1970 / 3600).rounded(.down) * 3600
        return min(decision.changesAt ?? .distantFuture, Date(timeIntervalSince1970: hour + 7200))
    }
}

/// The answer in the shape that many apps keep as a parameter of Remote Config, with which the app itself
/// compares and decides.
struct RemoteConfigResponse: Encodable {
    let version: String
    let isForce: Bool
    /// The days, such as 2026-11-21.
    let startDate: String
    let endDate: String
    let supportOSVersion: String

    enum CodingKeys: String, CodingKey {
        case version
        case isForce = "is_force"
        case startDate = "start_date"
        case endDate = "end_date"
        case supportOSVersion = "support_os_version"
    }

    /// Creates the answer with every member, as such apps expect. If there is nothing to do, it asks for a
    /// version that all have.
    init(_ decision: PolicyRules.Decision, for asking: AskingApp) {
        let policy = decision.action > .none ? decision.by?.policy : nil
        // A block without a target applies to every version of the app.
        let fallback = policy == nil ? VersionNumber.zero : asking.version?.successor ?? .zero
        version = (policy?.target ?? fallback).description
        isForce = decision.action >= .hard
        startDate = policy?.firstDay ?? "1970-01-01"
        endDate = policy?.lastDay ?? "9999-12-31"
        supportOSVersion = (policy?.minimumSystem ?? .zero).description
    }
}

/// The applied policies.
package struct PoliciesResponse: ResponseEncodable {
    let version: Int64
    /// The key with which apps verify answers. Nil without `KITH_SECRETS_KEY`.
    let publicKey: String?
    /// The texts of the policies' fields.
    let policies: [String: [String: String]]
}

/// What an app would be answered, and why.
package struct PolicyTrialResponse: ResponseEncodable {
    let answer: PolicyResponse
    /// Whether Kith can read the version. An app whose version it cannot read gets no action.
    let isVersionRead: Bool
    /// The policies in the order in which they are tried.
    let policies: [Part]

    struct Part: Encodable {
        let policy: String
        let action: UpdatePolicy.Action
        let outcome: Outcome
        /// The first condition that does not hold.
        let condition: Targeting.Miss?
    }

    enum Outcome: String, Encodable {
        case decides
        /// The policy is for the app, but another comes first, or the version cannot be read.
        case stands
        case misses
    }

    init(_ answer: PolicyResponse, _ rules: PolicyRules, for asking: AskingApp) {
        self.answer = answer
        isVersionRead = asking.version != nil
        policies = rules.ordered.map { named in
            let miss = named.policy.miss(asking, key: named.key)
            let outcome: Outcome = miss != nil ? .misses : named.key == answer.policy ? .decides : .stands
            return Part(
                policy: named.key, action: named.policy.action, outcome: outcome, condition: miss)
        }
    }
}
