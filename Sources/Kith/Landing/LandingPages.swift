/// The HTML of the landing page and of the error pages.
struct LandingPages: Sendable {
    let app: AppListing
    private let outlines: [Shape: PageOutline<Slot>]
    private let errorPages: [ErrorPage: [Language: String]]

    init(app: AppListing, templates: Templates) {
        self.app = app
        outlines = Dictionary(
            uniqueKeysWithValues: Shape.all.map { shape in
                (shape, PageOutline(rendered: templates.render(.landing, Self.values(shape, app))))
            })
        errorPages = Dictionary(
            uniqueKeysWithValues: ErrorPage.allCases.map { page in
                let texts = Language.allCases.map { language in
                    (language, templates.render(.error, Self.values(page, language, app)))
                }
                return (page, Dictionary(uniqueKeysWithValues: texts))
            })
    }

    enum ErrorPage: CaseIterable {
        case notFound
        /// Too many requests, or Kith cannot answer now.
        case tryAgain
    }

    /// Rendered once, so that one not-found page cannot be told from another.
    func error(_ page: ErrorPage, _ language: Language) -> String {
        errorPages[page]?[language] ?? ""
    }

    func landing(_ page: LandingPage) -> String {
        let shape = Shape(
            kind: page.kind, language: page.language, hasDisplayName: page.visibleDisplayName != nil,
            isLong: page.name.count > 24, opensApp: app.opening(page.openURL) != nil)
        return outlines[shape]?.filled { text($0, page) } ?? ""
    }
}

/// The properties of a page that decide which parts of the template it has.
private struct Shape: Hashable {
    var kind: LandingPage.Kind
    var language: Language
    var hasDisplayName: Bool
    var isLong: Bool
    var opensApp: Bool

    static var all: [Shape] {
        var shapes: [Shape] = []
        for kind in LandingPage.Kind.allCases {
            for language in Language.allCases {
                for bits in 0..<8 {
                    shapes.append(
                        Shape(
                            kind: kind, language: language, hasDisplayName: bits & 1 > 0,
                            isLong: bits & 2 > 0, opensApp: bits & 4 > 0))
                }
            }
        }
        return shapes
    }
}

/// The values that differ from person to person.
private enum Slot: String, CaseIterable {
    case name, displayName, username, initial, tint, title, qrAlternative
    case url, qr, image, openURL, appArgument
}

/// The names here and in `Slot` are the values for templates; the built-in `landing.mustache` and `error.mustache` use
/// them all.
extension LandingPages {
    private static func values(_ shape: Shape, _ app: AppListing) -> [String: Any] {
        let texts = LandingTexts.of(shape.language)
        let appName = app.name.inPlainText
        var values: [String: Any] = [
            "lang": shape.language.rawValue, "locale": texts.locale, "appName": app.name,
            "isInvite": shape.kind == .invite, "isAsk": shape.kind == .ask,
            "isProfile": shape.kind == .profile,
            "isLong": shape.isLong, "imageWidth": Card.width, "imageHeight": Card.height, "scan": texts.scan,
            "sentence": texts.sentence(shape.kind, app: appName),
            "hasActions": shape.opensApp || app.appStoreURL != nil || app.playStoreURL != nil,
            "open": texts.open(appName), "appStore": texts.appStore, "playStore": texts.playStore,
        ]
        values["appStoreURL"] = app.appStoreURL
        values["playStoreURL"] = app.playStoreURL
        values["appStoreID"] = app.appStoreID
        values["androidPackage"] = app.androidPackage
        for slot in Slot.allCases { values[slot.rawValue] = PageOutline.mark(slot) }
        if !shape.hasDisplayName { values[Slot.displayName.rawValue] = nil }
        if !shape.opensApp { values[Slot.openURL.rawValue] = nil }
        return values
    }

    private static func values(_ page: ErrorPage, _ language: Language, _ app: AppListing) -> [String: Any] {
        let text = LandingTexts.of(language).error(page)
        return [
            "lang": language.rawValue, "appName": app.name, "title": text.title, "sentence": text.sentence,
            "advice": text.advice,
        ]
    }

    private func text(_ slot: Slot, _ page: LandingPage) -> String {
        let texts = LandingTexts.of(page.language)
        return switch slot {
        case .name: page.name
        case .displayName: page.visibleDisplayName ?? ""
        case .username: page.username
        case .initial: page.initial
        case .tint: String(page.tint)
        case .title: texts.title(page.kind, name: page.name.inPlainText, app: app.name.inPlainText)
        case .qrAlternative: texts.qrAlternative(page.name.inPlainText)
        case .url: page.url.isWebURL ? page.url : ""
        case .qr: page.qrURL
        case .image: page.imageURL.isWebURL ? page.imageURL : ""
        case .openURL: page.openURL ?? ""
        // The banner's parameters are a comma-separated list.
        case .appArgument:
            page.url.isWebURL
                ? page.url.split(separator: ",", omittingEmptySubsequences: false).joined(separator: "%2C")
                : ""
        }
    }
}
