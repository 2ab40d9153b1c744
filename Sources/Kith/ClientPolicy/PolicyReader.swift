import Foundation

/// Reads a policy from the texts of its fields, and collects what is wrong with them.
struct PolicyReader {
    private let fields: [String: String]
    private let place: String
    private(set) var mistakes: [String] = []

    static let lists: Set = [
        "when.version.in", "when.build.in", "when.os.in", "when.language", "when.country",
    ]
    static let names: Set<String> = {
        let bounds = ["version", "build", "os"].flatMap { part in
            ["lt", "lte", "gt", "gte", "in"].map { "when.\(part).\($0)" }
        }
        return Set(
            bounds + [
                "platform", "app", "priority", "action", "target", "minimumOS", "url", "snoozeHours",
                "when.language", "when.country", "when.rollout.percent", "when.rollout.salt", "when.from",
                "when.until",
            ])
    }()

    private static let (mostTitle, mostText, mostLanguages) = (200, 2000, 50)

    init(_ fields: [String: String], place: String) {
        (self.fields, self.place) = (fields, place)
    }

    mutating func refuse(_ name: String?, _ reason: String) {
        mistakes.append("\(name.map { "\(place).\($0)" } ?? place): \(reason)")
    }

    /// Nil if there is a mistake.
    mutating func policy() -> UpdatePolicy? {
        refuseUnknown()
        let platform = read("platform", "ios or android") { AppPlatform(rawValue: $0) }
        let action = read("action", "none, soft, hard or block") { UpdatePolicy.Action(rawValue: $0) }
        for (name, value) in [("platform", fields["platform"]), ("action", fields["action"])]
        where value == nil {
            refuse(name, "is missing")
        }
        var policy = UpdatePolicy(platform: platform ?? .ios, action: action ?? .none)
        policy.app = read("app", "a bundle id or package, as in com.example.app") { $0.isAppID ? $0 : nil }
        policy.priority =
            read("priority", "a number from -1000 to 1000") { Self.number($0, -1000...1000) } ?? 0
        policy.target = version("target")
        policy.minimumSystem = version("minimumOS")
        policy.url = read("url", "an https URL, or one of a store, as in itms-apps://… or market://…") {
            $0.isStoreURL ? $0 : nil
        }
        policy.snoozeHours = read("snoozeHours", "a number from 1 to 8760") { Self.number($0, 1...8760) }
        readConditions(&policy)
        readMessages(&policy)
        if mistakes.isEmpty { judge(policy) }
        return mistakes.isEmpty ? policy : nil
    }

    private mutating func refuseUnknown() {
        for name in fields.keys.sorted() where !Self.names.contains(name) && !name.hasPrefix("messages.") {
            let nearest = name.nearest(among: Self.names.sorted()).map { ": did you mean \($0)?" } ?? ""
            mistakes.append("\(place).\(name) is not a field\(nearest)")
        }
    }

    private mutating func readConditions(_ policy: inout UpdatePolicy) {
        policy.version = condition("when.version")
        policy.build = condition("when.build")
        policy.system = condition("when.os")
        policy.languages = list("when.language", "a language, as in ja or zh-hant") { Language($0) }
        policy.countries = list("when.country", "a country by its two capital letters") {
            $0.wholeMatch(of: /[A-Z]{2}/) == nil ? nil : $0
        }
        policy.rollout =
            read("when.rollout.percent", "a number from 0 to 100, with at most two decimals") {
                Self.hundredths($0)
            } ?? Bucket.count
        policy.salt = read("when.rollout.salt", "at most 100 characters") { $0.utf8.count <= 100 ? $0 : nil }
        policy.from = time("when.from")
        policy.until = time("when.until")
    }

    private mutating func readMessages(_ policy: inout UpdatePolicy) {
        for (name, text) in fields.sorted(by: { $0.key < $1.key }) where name.hasPrefix("messages.") {
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, let language = Language(parts[1]), ["title", "text"].contains(parts[2])
            else {
                refuse(
                    name,
                    "is not allowed: messages have a title and a text for each language, as in messages.ja.title"
                )
                continue
            }
            let most = parts[2] == "title" ? Self.mostTitle : Self.mostText
            if text.count > most { refuse(name, "has more than \(most) characters") }
            if parts[2] == "title" {
                policy.messages[language, default: .init()].title = text
            } else {
                policy.messages[language, default: .init()].text = text
            }
        }
        if policy.messages.count > Self.mostLanguages {
            refuse("messages", "has more than \(Self.mostLanguages) languages")
        }
    }

    /// What one field alone does not show.
    private mutating func judge(_ policy: UpdatePolicy) {
        if [.soft, .hard].contains(policy.action), policy.target == nil {
            refuse("target", "is missing: \(policy.action) asks for an update to it")
        }
        if policy.action >= .hard, policy.target != nil, policy.minimumSystem == nil {
            refuse(
                "minimumOS",
                "is missing: the oldest system that runs the target, so that no phone is forced that cannot run it"
            )
        }
        if policy.action > .none, let target = policy.target, policy.build.isEmpty,
            policy.version.holds(for: target)
        {
            refuse("target", "would be asked to update, too: let when.version end below \(target)")
        }
        if let from = policy.from, let until = policy.until, from >= until {
            refuse("when.until", "must be after when.from")
        }
        if policy.snoozeHours != nil, policy.action != .soft { refuse("snoozeHours", "is only for soft") }
    }
}

/// The kinds of fields.
extension PolicyReader {
    private mutating func read<Value>(
        _ name: String, _ form: String, _ value: (String) -> Value?
    ) -> Value? {
        guard let text = fields[name] else { return nil }
        if let value = value(text) { return value }
        refuse(name, "'\(text)' is not allowed: it must be \(form)")
        return nil
    }

    private mutating func list<Value>(
        _ name: String, _ form: String, _ value: (String) -> Value?
    ) -> [Value] {
        (fields[name]?.listed ?? []).compactMap { text in
            if let value = value(text) { return value }
            refuse(name, "'\(text)' is not allowed: it must be \(form)")
            return nil
        }
    }

    private static let versionForm = "a version, as in 5.12.0: one to four numbers with dots between them"

    private mutating func version(_ name: String) -> VersionNumber? {
        read(name, Self.versionForm) { VersionNumber($0) }
    }

    private mutating func condition(_ name: String) -> VersionCondition {
        VersionCondition(
            below: version("\(name).lt"), upTo: version("\(name).lte"), above: version("\(name).gt"),
            from: version("\(name).gte"),
            among: list("\(name).in", Self.versionForm) { VersionNumber($0) })
    }

    private mutating func time(_ name: String) -> Date? {
        read(name, "a time as RFC 3339 writes it: 2026-11-21T09:30:00Z") { Date(rfc3339: $0) }
    }

    private static func number(_ text: String, _ range: ClosedRange<Int>) -> Int? {
        Int(text).flatMap { range.contains($0) ? $0 : nil }
    }

    /// Without floating point, so that 12.34 is 1234.
    private static func hundredths(_ text: String) -> Int? {
        guard let parts = text.wholeMatch(of: /(\d{1,3})(?:\.(\d{1,2}))?/) else { return nil }
        let decimals = "\(parts.2 ?? "")00".prefix(2)
        guard let number = Int("\(parts.1)\(decimals)"), number <= 10_000 else { return nil }
        return number
    }
}

extension String {
    /// Whether it may be a bundle id or a package; without a regular expression, which each call would parse.
    var isAppID: Bool {
        let letters = ASCIISet.alphanumeric + "._-"
        return (1...155).contains(utf8.count) && utf8.allSatisfy(letters.contains)
    }

    fileprivate var isStoreURL: Bool {
        let hasScheme = ["https://", "itms-apps://", "market://"].contains { hasPrefix($0) }
        return hasScheme && utf8.count <= 2048 && utf8.allSatisfy(\.isVisibleASCII)
    }
}
