import Kernel
import Pictures
import Web

/// The values that differ from page to page of one shape.
enum PageSlot: String, CaseIterable, Sendable {
    case name, displayName, username, avatarURL, initial, tint, friends
    /// The name within a text.
    case plainName
    case label, note, timeLeft, placesLeft
    case url, link, copied, qr, image, openURL, intentURL, browserURL, appArgument,
        appStoreURL,
        playStoreURL
}

/// The value that differs between error pages of one shape.
enum ErrorSlot: String, Sendable {
    case requestId
}

/// The values for templates; the built-in `landing.mustache` and `error.mustache` use them all.
struct PageValues {
    let app: AppListing
    let languages: LandingLanguages
    /// The texts, with what is the same on all pages of the app filled in.
    private let textsByLanguage: [Language: LandingTexts]

    init(app: AppListing, languages: LandingLanguages) {
        (self.app, self.languages) = (app, languages)
        textsByLanguage = Dictionary(
            uniqueKeysWithValues: languages.languages.all.map { language in
                let texts = languages[language]
                let values: [LandingTexts.Placeholder: String?] = [
                    .app: app.name.inPlainText, .date: app.sunset.map { texts.day($0.day) },
                    .operator: app.operatorName?.isolated,
                ]
                return (language, texts.with(values.compactMapValues(\.self)))
            })
    }

    /// Returns the texts, with what is the same on all pages of the app filled in.
    func texts(_ language: Language) -> LandingTexts {
        textsByLanguage[language] ?? languages[language]
    }

    func of(_ shape: PageShape) -> [String: Any] {
        let texts = texts(shape.language).changed(by: shape.changes)
            .with([.name: PageOutline.mark(PageSlot.plainName)])
        var values = common(shape.language)
        values.merge([
            "isInvite": shape.kind == .invite, "isAsk": shape.kind == .ask,
            "isProfile": shape.kind == .profile, "isLong": shape.isLong,
            "hasTerms": shape.hasTimeLeft || shape.hasPlacesLeft,
            "isPhone": shape.isPhone, "isInAppBrowser": shape.isInAppBrowser,
            "title": texts(shape.hasInviteTitle ? .inviteTitle : .profileTitle),
            "sentence": texts(shape.kind.sentence), "browserHint": texts(.browserHint),
            "scan": texts(.scan), "showQR": texts(.showQR), "copy": texts(.copy),
            "linkCopied": texts(.linkCopied), "qrAlternative": texts(.qrAlternative),
            "imageWidth": Card.width, "imageHeight": Card.height,
            "otherLocales": languages.languages.all.filter { $0 != shape.language }
                .map { ["locale": languages[$0](.locale)] },
        ]) { $1 }
        if shape.canSave {
            for key in [LandingTexts.Key.save, .saveHint, .saved, .saveRefused] {
                values[key.rawValue] = texts(key)
            }
        }
        values["opensOnPad"] = shape.opensOnPad ? texts(.hasApp) : nil
        values["needs"] = shape.needs.map { texts(.needs, [.system: $0]) }
        values["hasScript"] = shape.canSave || !shape.isPhone
        addClosing(shape.language, to: &values)
        values["appStoreID"] = app.appStoreID
        values["androidPackage"] = app.androidPackage
        for slot in PageSlot.allCases { values[slot.rawValue] = PageOutline.mark(slot) }
        let absent: [(Bool, PageSlot)] = [
            (shape.hasDisplayName, .displayName), (shape.hasAvatar, .avatarURL), (shape.opensApp, .openURL),
            (shape.hasFriends, .friends), (shape.hasLabel, .label),
            (shape.hasNote, .note), (shape.hasTimeLeft, .timeLeft), (shape.hasPlacesLeft, .placesLeft),
        ]
        for (has, slot) in absent where !has { values[slot.rawValue] = nil }
        add(shape.offers, texts, to: &values, leads: shape.leads) {
            slot(of: $0).map(PageOutline.mark) ?? address(of: $0)
        }
        return values
    }

    func of(_ shape: ErrorShape) -> [String: Any] {
        let texts = texts(shape.language)
        var values = common(shape.language)
        let (title, sentence, advice): (LandingTexts.Key, LandingTexts.Key, LandingTexts.Key) =
            switch shape.page {
            case .notFound: (.notFoundTitle, .notFoundSentence, .notFoundAdvice)
            case .gone: (.goneTitle, .goneSentence, .goneAdvice)
            case .tryAgain: (.tryAgainTitle, .tryAgainSentence, .tryAgainAdvice)
            case .needsKey: (.keyTitle, .keySentence, .keyAdvice)
            case .closed: (.closedTitle, .closedSentence, .closedAdvice)
            }
        (values["title"], values["sentence"], values["advice"]) = (
            texts(title), texts(sentence), texts(advice)
        )
        values["isClosed"] = shape.page == .closed
        if shape.page == .tryAgain { values["requestId"] = PageOutline.mark(ErrorSlot.requestId) }
        add(shape.offers, texts, to: &values, url: address)
        return values
    }

    func common(_ language: Language) -> [String: Any] {
        let texts = texts(language)
        var values: [String: Any] = [
            "lang": language.tag, "locale": texts(.locale), "direction": texts(.direction),
            "appName": app.name, "hasIcon": app.icon != nil, "privacy": texts(.privacy),
            "report": texts(.report),
            "hasFooter": app.operatorName != nil || app.privacyURL != nil || app.reportURL != nil,
        ]
        values["tagline"] = app.tagline
        values["runBy"] = app.operatorName.map { _ in texts(.runBy) }
        values["privacyURL"] = app.privacyURL
        values["reportURL"] = app.reportURL
        return values
    }

    /// Adds what a page says before the last day of the service has ended.
    func addClosing(_ language: Language, to values: inout [String: Any]) {
        guard app.sunset != nil else { return }
        let texts = texts(language)
        values["closes"] = texts(.closes)
        (values["closesURL"], values["closesMore"]) = (app.sunsetURL, texts(.closesMore))
    }

    /// - Parameter leads: whether the first button stands out from the others.
    private func add(
        _ offers: [LandingButton], _ texts: LandingTexts, to values: inout [String: Any],
        leads: Bool = true, url: (LandingButton) -> String
    ) {
        values["hasOffers"] = !offers.isEmpty
        values["offers"] = offers.enumerated().map { number, offer in
            let isFirst = number == 0
            return [
                "offer": texts(offer.text(isFirst: isFirst)), "offerURL": url(offer),
                "isFirst": isFirst && leads,
                "isQuiet": !isFirst && [.app, .appOrPlayStore].contains(offer),
                "isAppStore": offer == .appStore, "isPlayStore": offer == .playStore,
            ] as [String: Any]
        }
    }

    /// Returns the slot of a button on a page that leads to somebody, where its URL depends on the visit. Nil
    /// for a button that always leads to the same place.
    fileprivate func slot(of offer: LandingButton) -> PageSlot? {
        switch offer {
        case .app: .openURL
        case .appOrPlayStore: .intentURL
        case .browser: .browserURL
        case .appStore: .appStoreURL
        case .playStore: .playStoreURL
        case .home, .sunset: nil
        }
    }

    /// Returns the URL of a button on a page that leads to nobody.
    fileprivate func address(of offer: LandingButton) -> String {
        let url =
            switch offer {
            case .home: app.homeURL
            case .sunset: app.sunsetURL
            case .appStore: app.appStoreURL
            case .playStore: app.playStoreURL
            case .app, .appOrPlayStore, .browser: nil as String?
            }
        return url ?? ""
    }
}

extension LandingPage.Kind {
    fileprivate var sentence: LandingTexts.Key {
        switch self {
        case .invite: .inviteSentence
        case .ask: .askSentence
        case .profile: .profileSentence
        }
    }
}

extension PageValues {
    func url(of offer: LandingButton, _ page: LandingPage) -> String {
        slot(of: offer).map { text($0, page) } ?? address(of: offer)
    }

    func text(_ slot: PageSlot, _ page: LandingPage) -> String {
        switch slot {
        case .name: page.name
        case .displayName: page.visibleDisplayName ?? ""
        case .username: page.username
        case .avatarURL: page.avatarUrl ?? ""
        case .initial: page.initial
        case .tint: String(page.tint)
        case .friends: counted(.friends, page.friends ?? 0, page)
        case .plainName: page.name.inPlainText
        case .label: page.terms.label ?? ""
        case .note: page.terms.note ?? ""
        case .timeLeft: page.terms.timeLeft.map { text($0, page) } ?? ""
        case .placesLeft: counted(.placesLeft, page.terms.placesLeft ?? 0, page)
        case .url: page.url
        case .link: page.link
        case .copied: page.copied
        case .qr: page.qrURL
        case .image: page.imageURL
        case .openURL: page.openURL ?? ""
        case .intentURL: page.openURL.flatMap { app.intent($0, else: text(.playStoreURL, page)) } ?? ""
        case .browserURL: page.browserURL ?? ""
        case .appStoreURL: page.appStoreURL ?? app.appStoreURL ?? ""
        case .playStoreURL: page.playStoreURL ?? app.playStoreURL ?? ""
        // The banner's parameters are a comma-separated list.
        case .appArgument: page.url.replacing(",", with: "%2C")
        }
    }

    private func counted(_ key: LandingTexts.Key, _ count: Int, _ page: LandingPage) -> String {
        texts(page.language)(key, [.count: String(count), .name: page.name.inPlainText])
    }

    private func text(_ timeLeft: LinkTerms.TimeLeft, _ page: LandingPage) -> String {
        switch timeLeft {
        case .days(let count): counted(.daysLeft, count, page)
        case .hours(let count): counted(.hoursLeft, count, page)
        case .minutes(let count): counted(.minutesLeft, count, page)
        }
    }
}
