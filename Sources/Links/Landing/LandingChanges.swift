import Rollout
import Web

/// What remote values change about a page: its texts, and the order of its buttons.
struct LandingChanges: Hashable, Sendable {
    /// The texts, in the form that files of languages have.
    var texts: [LandingTexts.Key: String] = [:]
    /// The buttons that come first.
    var order: [LandingButton] = []

    init() {}

    /// - Parameter values: the remote values by their names: `landing.inviteSentence.ja`, or `landing.order`.
    init(_ values: [String: String], _ language: Language) {
        for (name, text) in values {
            switch Self.part(name) {
            case .text(let key, language): texts[key] = text
            case .order: order = Self.offers(text) ?? []
            default: continue
            }
        }
    }

    /// Returns the buttons, those of `order` first.
    func ordered(_ offers: [LandingButton]) -> [LandingButton] {
        order.filter(offers.contains) + offers.filter { !order.contains($0) }
    }
}

extension LandingChanges {
    private enum Part: Equatable {
        case text(LandingTexts.Key, Language)
        case order
    }

    /// Texts that every visitor of an invite may see.
    static let keys: Set<LandingTexts.Key> = [
        .inviteTitle, .inviteSentence, .askSentence, .open, .hasApp, .appStore, .playStore, .openInBrowser,
        .browserHint, .save, .saveHint, .saved, .showQR, .scan, .copy, .linkCopied,
    ]

    /// The placeholders that such a text may contain. These texts stand only on the page of a user.
    static let placeholders: [LandingTexts.Placeholder] = [.name, .app]

    private static let offers: [String: [LandingButton]] = [
        "app": [.app, .appOrPlayStore], "appStore": [.appStore], "playStore": [.playStore],
        "browser": [.browser],
    ]

    /// Returns the part of a page that a value changes. Nil if a page has no such value.
    private static func part(_ name: String) -> Part? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.first == "landing" else { return nil }
        if parts.count == 2, parts[1] == "order" { return .order }
        guard parts.count == 3, let key = LandingTexts.Key(rawValue: String(parts[1])), keys.contains(key),
            let language = Language(parts[2])
        else { return nil }
        return .text(key, language)
    }

    private static func offers(_ text: String) -> [LandingButton]? {
        let names = text.split(separator: ",").map { String($0.filter { $0 != " " }) }
        guard !names.isEmpty, Set(names).count == names.count, names.allSatisfy({ offers[$0] != nil }) else {
            return nil
        }
        return names.flatMap { offers[$0] ?? [] }
    }

    /// Returns what is wrong with values of pages, in the words of the file.
    static func mistakes(in values: AppliedValues) -> [String] { mistakes(in: values.pageTexts) }
    static func mistakes(in experiments: AppliedExperiments) -> [String] {
        mistakes(in: experiments.pageTexts)
    }

    private static func mistakes(in texts: [(place: String, name: String, text: String)]) -> [String] {
        texts.sorted { $0.place < $1.place }.compactMap { place, name, text in
            switch part(name) {
            case nil:
                let known = keys.map(\.rawValue).sorted().joined(separator: ", ")
                return
                    "\(place): pages have no \(name): there are landing.order and, with a language behind it, "
                    + "as in landing.open.ja, landing.\(known)"
            case .order where offers(text) == nil:
                return
                    "\(place): '\(text)' is not allowed: it must be some of app, appStore, playStore and browser"
            case .text(let key, _):
                return LandingTexts.mistake(in: text, of: key).map { "\(place): \($0)" }
            default: return nil
            }
        }
    }
}
