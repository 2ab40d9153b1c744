/// A button of the page. Which ones a visitor gets, and in which order, says the table "What a page offers" in
/// docs/rules.md.
enum LandingOffer: CaseIterable, Hashable, Sendable {
    /// Opens the app by its scheme; without the app, browsers show an error or nothing.
    case app
    /// Opens the app, or else Google Play: Android only.
    case appOrPlayStore
    case appStore
    case playStore
    /// Leaves the browser inside another app.
    case browser
    /// The operator's own page about the app.
    case home
}

extension LandingOffer {
    /// The buttons of a user's page.
    /// - Parameters:
    ///   - opensApp: whether the page has a URL that opens the app.
    ///   - hasWayOut: whether it has one that leaves the browser it is shown in.
    static func all(for device: Device, _ app: AppListing, opensApp: Bool, hasWayOut: Bool) -> [LandingOffer]
    {
        let intoApp: [LandingOffer] = opensApp ? [.app] : []
        var offers: [LandingOffer] =
            switch device.system {
            case .iOS: stores(for: device, app) + intoApp
            case .android where opensApp && app.androidPackage != nil:
                [.appOrPlayStore] + stores(for: device, app)
            case .android: stores(for: device, app) + intoApp
            case .other: intoApp + stores(for: device, app)
            }
        if device.inAppBrowser != nil, hasWayOut { offers.insert(.browser, at: min(1, offers.count)) }
        return offers
    }

    /// The buttons of a page that leads to nobody.
    static func ways(on device: Device, _ app: AppListing) -> [LandingOffer] {
        (app.homeURL == nil ? [] : [.home]) + stores(for: device, app)
    }

    private static func stores(for device: Device, _ app: AppListing) -> [LandingOffer] {
        let appStore: [LandingOffer] = app.appStoreURL != nil && device.system != .android ? [.appStore] : []
        let playStore: [LandingOffer] = app.playStoreURL != nil && device.system != .iOS ? [.playStore] : []
        return appStore + playStore
    }

    /// What the button says. Behind a store's button, that of the app is for those who have it.
    func text(isFirst: Bool) -> LandingTexts.Key {
        switch self {
        case .app: isFirst ? .open : .hasApp
        case .appOrPlayStore: .open
        case .appStore: .appStore
        case .playStore: .playStore
        case .browser: .openInBrowser
        case .home: .home
        }
    }
}

extension AppListing {
    /// An `intent:` URL (https://developer.chrome.com/docs/android/intents) that opens a URL of the app's own scheme in the
    /// app, or else goes to Google Play.
    func intent(_ url: String, else playStoreURL: String?) -> String? {
        guard let urlScheme, let androidPackage, let playStoreURL, let url = opening(url) else { return nil }
        let place = url.dropFirst(urlScheme.utf8.count + 1)
        return """
            intent:\(place)#Intent;scheme=\(urlScheme);package=\(androidPackage);\
            S.browser_fallback_url=\(PercentEncoding.encode(playStoreURL));end
            """
    }
}

extension Device {
    /// A URL that opens a web URL in an ordinary browser; nil if the page is in one already, or nothing but the browser's
    /// own menu leads out. LINE documents its parameter (https://developers.line.biz/en/docs/line-login/using-line-url-scheme/);
    /// of the others it is known by use.
    func leaving(for url: String) -> String? {
        switch (inAppBrowser, system) {
        case (nil, _): return nil
        case (.line, _): return "\(url)\(url.contains("?") ? "&" : "?")openExternalBrowser=1"
        case (.kakaoTalk, _): return "kakaotalk://web/openExternal?url=\(PercentEncoding.encode(url))"
        case (_, .android):
            let parts = url.split(separator: ":", maxSplits: 1)
            return parts.count == 2 ? "intent:\(parts[1])#Intent;scheme=\(parts[0]);end" : nil
        case (.instagram, _): return "instagram://extbrowser/?url=\(PercentEncoding.encode(url))"
        case (.another, _): return nil
        }
    }
}
