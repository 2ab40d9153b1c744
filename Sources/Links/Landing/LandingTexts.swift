import Foundation
import Web

/// Every text of the pages in one language, read from a file such as `ja.json`. The person on the card
/// speaks.
struct LandingTexts: Sendable {
    /// The keys of the file.
    enum Key: String, CaseIterable, Sendable {
        /// The locale as Open Graph writes it: `ja_JP`.
        case locale
        /// The direction: `ltr` or `rtl`.
        case direction
        case inviteTitle, profileTitle
        /// Texts below the name on a card.
        case cardInvite, cardProfile
        case inviteSentence, askSentence, profileSentence, needs
        case daysLeft, hoursLeft, minutesLeft, placesLeft, friends
        case open, hasApp, appStore, playStore, home, goOn, openInBrowser, browserHint
        case save, saveHint, saveLink, saveLinkHint, saved, saveRefused
        case showQR, scan, copy, linkCopied, qrAlternative
        case runBy, privacy, report
        case notFoundTitle, notFoundSentence, notFoundAdvice
        case goneTitle, goneSentence, goneAdvice
        case tryAgainTitle, tryAgainSentence, tryAgainAdvice
        case keyTitle, keySentence, keyAdvice
        case closes, closesMore, closedTitle, closedSentence, closedAdvice
        // These are for the page of one short link, for operators.
        case linkName, linkCreated, linkExpires, linkArchived, linkNowhere
        case linkLeads, linkComputer, linkPreview, linkPageFirst, linkAtOnce, linkOpens, linkFlow
        case linkParameters, linkLeftOut, linkQR
        // These are for the picture of a deep link's flow.
        case flowAgent, flowAgentHint, flowShow, flowCounts, flowBroken, flowMac, flowYes, flowNo
        case flowHas, flowHasStore, flowNewEnough, flowInApp, flowSkipsPage, flowInvite, flowIsIPad
        case flowElsewhere, flowPage, flowAtOnce
        case linkClicks, linkDays, linkDay, linkAll, linkOther, linkEvent, linkTable
        case eventClick, eventRedirect, eventInstall, eventFirstOpen, eventReopen
        case eventSignUp, eventFriendship
    }

    /// A placeholder in a text, such as `{name}`.
    enum Placeholder: String, CaseIterable, Sendable {
        case name, app, count, system, date, `operator`
    }

    private var phrases: [Key: [Part]]
    /// The values that fill placeholders wherever they stand.
    private var values: [Placeholder: String] = [:]

    private enum Part: Sendable {
        case text(String)
        case placeholder(Placeholder)
    }

    /// - Parameter file: the name of the file, for the error.
    /// - Throws: ``TemplateError`` if a key is missing or unknown, or nothing fills a placeholder of a text.
    init(json: Data, file: String) throws {
        guard let texts = try? JSONDecoder().decode([String: String].self, from: json) else {
            throw TemplateError(file: file, reason: "is not one JSON object of texts by their keys")
        }
        var phrases: [Key: [Part]] = [:]
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            guard let key = Key(rawValue: name) else {
                throw TemplateError(file: file, reason: "'\(name)' is not a text of the pages")
            }
            phrases[key] = try Self.parts(of: text, key, key.placeholders, file)
        }
        if let missing = Key.allCases.first(where: { phrases[$0] == nil }) {
            throw TemplateError(file: file, reason: "'\(missing.rawValue)' is missing")
        }
        guard ["ltr", "rtl"].contains(texts["direction"]) else {
            throw TemplateError(file: file, reason: "'direction' must be ltr or rtl")
        }
        guard texts["locale"]?.wholeMatch(of: /[a-z]{2,3}(_[A-Z]{2})?/) != nil else {
            throw TemplateError(file: file, reason: "'locale' must be as in ko_KR or ko")
        }
        self.phrases = phrases
    }

    private static func parts(
        of text: String, _ key: Key, _ filled: [Placeholder], _ file: String
    ) throws -> [Part] {
        guard !text.isEmpty else { throw TemplateError(file: file, reason: "'\(key)' is empty") }
        var parts: [Part] = []
        for piece in text.split(separator: "{", omittingEmptySubsequences: false) {
            guard !parts.isEmpty || piece.startIndex > text.startIndex else {
                parts.append(.text(String(piece)))
                continue
            }
            let halves = piece.split(separator: "}", maxSplits: 1, omittingEmptySubsequences: false)
            let named = halves.count == 2 ? Placeholder(rawValue: String(halves[0])) : nil
            guard let placeholder = named, filled.contains(placeholder) else {
                throw TemplateError(file: file, reason: "'\(key)' \(key.refusal(of: named, among: filled))")
            }
            parts += [.placeholder(placeholder), .text(String(halves[1]))]
        }
        return parts
    }

    /// Returns the texts with some of them changed.
    func changed(by changes: LandingChanges) -> LandingTexts {
        guard !changes.texts.isEmpty else { return self }
        var texts = self
        for (key, text) in changes.texts {
            if let parts = try? Self.parts(of: text, key, LandingChanges.placeholders, "") {
                texts.phrases[key] = parts
            }
        }
        return texts
    }

    /// Returns the texts with these values in every text that names them.
    func with(_ values: [Placeholder: String]) -> LandingTexts {
        var texts = self
        texts.values.merge(values) { $1 }
        return texts
    }

    /// Returns what is wrong with another text for a user's page. Nil if it may be there.
    static func mistake(in text: String, of key: Key) -> String? {
        do {
            _ = try parts(of: text, key, LandingChanges.placeholders, "")
            return nil
        } catch {
            return (error as? TemplateError)?.reason ?? "\(error)"
        }
    }

    /// Returns the day as the language writes it, with the digits of all other numbers on the pages.
    func day(_ day: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let locale = Locale(identifier: "\(self(.locale))@numbers=latn")
        return day.formatted(
            Date.FormatStyle(locale: locale, calendar: calendar, timeZone: .gmt).day().month(.wide).year())
    }

    /// Returns the text with its placeholders filled in. One without a value is left out.
    func callAsFunction(_ key: Key, _ values: [Placeholder: String] = [:]) -> String {
        (phrases[key] ?? []).reduce(into: "") { text, part in
            switch part {
            case .text(let piece): text += piece
            case .placeholder(let placeholder):
                text += values[placeholder] ?? self.values[placeholder] ?? ""
            }
        }
    }
}
