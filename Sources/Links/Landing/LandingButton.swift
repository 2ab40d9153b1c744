import Visits
import Web

/// A button of the page. `LandingDecision` decides which ones a visitor gets, and in which order.
enum LandingButton: CaseIterable, Hashable, Sendable {
    /// Opens the app by its scheme. Without the app, browsers show an error or nothing.
    case app
    /// Opens the app or, without it, Google Play. It exists only on Android.
    case appOrPlayStore
    case appStore
    case playStore
    /// Leaves the browser inside another app.
    case browser
    /// Opens the operator's own page about the app.
    case home
    /// Opens the operator's page about the end of the service.
    case sunset
}

extension LandingButton {
    /// Returns the text of the button. Behind a store's button, the app's button is for people who have the
    /// app.
    func text(isFirst: Bool) -> LandingTexts.Key {
        switch self {
        case .app, .appOrPlayStore: isFirst ? .open : .hasApp
        case .appStore: .appStore
        case .playStore: .playStore
        case .browser: .openInBrowser
        case .home: .home
        case .sunset: .closesMore
        }
    }
}

extension AppListing {
    /// Returns an `intent:` URL (https://developer.chrome.com/docs/android/intents) that opens a URL of the
    /// app's own scheme in the app, or else goes to Google Play.
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
    /// Whether a URL leads out of the browser inside another app that shows the page.
    var hasWayOut: Bool { leaving(for: "https:") != nil }

    /// The name of the query pair that says so.
    static let wayOutMark = "openExternalBrowser"

    /// Returns a URL that opens a web URL in an ordinary browser. Nil if the page is already in one, or only
    /// the browser's own menu leads out. LINE documents its parameter
    /// (https://developers.line.biz/en/docs/line-login/using-line-url-scheme/). All ways carry it, so that
    /// the page to which they lead knows. The ways out of the other browsers are known from experience.
    func leaving(for url: String) -> String? {
        guard let inAppBrowser else { return nil }
        let url = "\(url)\(url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?")\(Self.wayOutMark)=1"
        switch (inAppBrowser, system) {
        case (.weChat, _): return nil
        case (.line, _): return url
        case (.kakaoTalk, _): return "kakaotalk://web/openExternal?url=\(PercentEncoding.encode(url))"
        case (_, .android):
            let parts = url.split(separator: ":", maxSplits: 1)
            return parts.count == 2 ? "intent:\(parts[1])#Intent;scheme=\(parts[0]);end" : nil
        case (.instagram, _): return "instagram://extbrowser/?url=\(PercentEncoding.encode(url))"
        case (.threads, _): return "barcelona://extbrowser/?url=\(PercentEncoding.encode(url))"
        case (.another, _): return nil
        }
    }
}
