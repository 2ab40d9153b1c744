import Foundation
import Web

/// Reads a policy from the texts of its fields.
struct PolicyReader {
    var fields: FieldReader

    static let names = Set(
        ["platform", "app", "priority", "action", "target", "minimumOS", "url", "snoozeHours", "messages.*"]
            + FieldReader.targetingNames.map { "when.\($0)" })

    private static let (mostTitle, mostText, mostLanguages) = (200, 2000, 50)

    init(_ fields: [String: String], place: String) {
        self.fields = FieldReader(fields, place: place)
    }

    /// Reads the policy. Nil if there is a mistake.
    mutating func policy() -> UpdatePolicy? {
        fields.refuseUnknown(Self.names)
        let platform = fields.platform("platform")
        let action = fields.read("action", "none, soft, hard or block") { UpdatePolicy.Action(rawValue: $0) }
        fields.require("platform", "action")
        let app = fields.app("app")
        var policy = UpdatePolicy(action: action ?? .none)
        policy.priority = fields.priority()
        policy.target = fields.version("target")
        policy.minimumSystem = fields.version("minimumOS")
        policy.url = fields.read("url", "an https URL, or one of a store, as in itms-apps://… or market://…")
        {
            $0.isStoreURL ? $0 : nil
        }
        policy.snoozeHours = fields.number("snoozeHours", 1...8760)
        policy.when = fields.targeting()
        (policy.when.platform, policy.when.app) = (platform, app)
        policy.firstDay = fields.fields["when.from"]?.day
        policy.lastDay = fields.fields["when.until"]?.dayAfter
        readMessages(&policy)
        if fields.mistakes.isEmpty { judge(policy) }
        return fields.mistakes.isEmpty ? policy : nil
    }

    private mutating func readMessages(_ policy: inout UpdatePolicy) {
        for (name, text) in fields.fields.sorted(by: { $0.key < $1.key }) where name.hasPrefix("messages.") {
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, let language = Language(parts[1]), ["title", "text"].contains(parts[2])
            else {
                fields.refuse(
                    name,
                    "is not allowed: messages have a title and a text for each language, as in messages.ja.title"
                )
                continue
            }
            let most = parts[2] == "title" ? Self.mostTitle : Self.mostText
            if text.count > most { fields.refuse(name, "has more than \(most) characters") }
            if parts[2] == "title" {
                policy.messages[language, default: .init()].title = text
            } else {
                policy.messages[language, default: .init()].text = text
            }
        }
        if policy.messages.count > Self.mostLanguages {
            fields.refuse("messages", "has more than \(Self.mostLanguages) languages")
        }
    }

    /// Finds mistakes that one field alone does not show.
    private mutating func judge(_ policy: UpdatePolicy) {
        if [.soft, .hard].contains(policy.action), policy.target == nil {
            fields.refuse("target", "is missing: \(policy.action) asks for an update to it")
        }
        if policy.action >= .hard, policy.target != nil, policy.minimumSystem == nil {
            fields.refuse(
                "minimumOS",
                "is missing: the oldest system that runs the target, so that no phone is forced that cannot run it"
            )
        }
        if policy.action > .none, let target = policy.target, policy.when.build.isEmpty,
            policy.when.version.holds(for: target)
        {
            fields.refuse("target", "would be asked to update, too: let when.version end below \(target)")
        }
        if policy.snoozeHours != nil, policy.action != .soft {
            fields.refuse("snoozeHours", "is only for soft")
        }
    }
}

extension String {
    /// The day of a time by RFC 3339, in the time's own zone.
    fileprivate var day: String { String(prefix(10)) }

    /// The day after a time. It is the same day if the time is midnight.
    fileprivate var dayAfter: String? {
        if dropFirst(11).hasPrefix("00:00:00") { return day }
        return Date(rfc3339: "\(day)T00:00:00Z").map { JSON.timestamp($0 + 86_400).day }
    }

    /// Whether it is an https URL, or one with the scheme of a store's app.
    fileprivate var isStoreURL: Bool {
        let ofStore = ["itms-apps", "market"].first { hasPrefix("\($0)://") }
        let onTheWeb = ofStore.map { "https\(dropFirst($0.utf8.count))" } ?? self
        return utf8.count <= 2048 && WebURL(written: onTheWeb)?.isSecure == true
    }
}
