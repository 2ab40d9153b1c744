import Foundation
import Web

/// Choices of a form by their names: countries, languages, and whatever the texts list.
extension Words {
    var countries: [Field.Choice] { Self.countriesByLanguage[language] ?? [] }
    var languages: [Field.Choice] { Self.languagesByLanguage[language] ?? [] }

    /// What a language is called. Its tag if it has no name here.
    func languageName(_ tag: String) -> String {
        languages.first { $0.value == tag.lowercased() }?.title ?? tag
    }

    /// Returns a choice for each text whose key begins like this, with the rest of the key as its value.
    func choices(under prefix: String) -> [Field.Choice] {
        texts.filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key }
            .map { .init(value: String($0.key.dropFirst(prefix.count)), title: $0.value) }
    }

    /// What an act of the audit is called.
    func act(_ name: String) -> String { text(ifAny: "audit.act.\(name)") ?? name }

    /// Lists what is told of something, by names.
    func details(_ members: [JSONTree.Member]) -> String {
        members.compactMap(detail(_:)).joined(separator: self["kit.comma"])
    }

    /// Says a name and a value. Nil of what is not so, and of what is no value.
    func detail(_ member: JSONTree.Member) -> String? {
        let key = member.key
        let name = text(ifAny: "detail.\(key)") ?? key
        if let isSo = member.value.bool { return isSo ? name : nil }
        guard let value = member.value.text ?? member.value.int.map(number) else { return nil }
        let known = key == "act" ? act(value) : text(ifAny: "detail.\(key).\(value)")
        return self("kit.detail", ["name": name, "value": known ?? minute(value) ?? value])
    }

    private static let countriesByLanguage = named(countryCodes) {
        $0.localizedString(forRegionCode: $1)
    }
    private static let languagesByLanguage = named(languageTags) {
        $0.localizedString(forIdentifier: $1)
    }

    /// Returns the choices in each language of the console, by their names.
    private static func named(
        _ codes: [String], _ name: (Locale, String) -> String?
    ) -> [String: [Field.Choice]] {
        Dictionary(
            uniqueKeysWithValues: files.map { tag, _ in
                let locale = Locale(identifier: tag)
                let choices = codes.map { Field.Choice(value: $0, title: name(locale, $0) ?? $0) }
                return (
                    tag, choices.sorted { $0.title.compare($1.title, locale: locale) == .orderedAscending }
                )
            })
    }

    /// The codes of two letters, without those of groups, and those that stand for no country.
    private static let countryCodes = Locale.Region.isoRegions.map(\.identifier).filter { code in
        code.utf8.count == 2 && !["CQ", "EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"].contains(code)
    }

    private static let languageTags = [
        "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he", "hi",
        "hr",
        "hu", "id", "it", "ja", "ko", "lt", "lv", "ms", "nb", "nl", "pl", "pt", "pt-br", "ro", "ru",
        "sk",
        "sl", "sr", "sv", "th", "tr", "uk", "vi", "zh-hans", "zh-hant",
    ]
}
