import Foundation
package import Kernel
package import Pictures
import Web

/// The operator's app as the pages show it, read once at start.
package struct AppListing: Hashable, Sendable {
    package let name: String
    let tagline: String?
    /// The operator's own page about the app.
    let homeURL: String?
    /// The scheme of links that open the app, as in `sample` for `sample://…`.
    let urlScheme: String?
    /// The app's own URLs, for targets of deep links.
    let schemeURLs: [SchemeURL]
    let iosBundleID: String?
    /// The schemes of further apps for Apple's systems, by their bundle ids.
    let schemesOfOthers: [String: String]
    /// The app's number in the App Store.
    let appStoreID: String?
    package let appStoreURL: String?
    let androidPackage: String?
    package let playStoreURL: String?
    /// The oldest systems on which the app runs. Nil if the operator does not say it.
    let minimumIOS: SystemVersion?
    let minimumAndroid: SystemVersion?
    /// Whether a phone that opens an invite goes straight to its store.
    let storeFirst: Bool
    /// Whether the scheme opens the app on computers too.
    let hasDesktopApp: Bool
    /// The app's icon, served at `/icon.png`.
    package let icon: AppIcon?
    let operatorName: String?
    let privacyURL: String?
    let reportURL: String?
    /// The end of the service. Nil if it does not close.
    let sunset: Sunset?
    /// The operator's page about the end of the service.
    let sunsetURL: String?

    /// Fills in the store URLs from the app's number and package.
    /// - Throws: an `AppListingError` or `AppsError`.
    package init(_ config: AppConfig) throws {
        if let mistake = Self.mistakesInTexts(config).first { throw mistake }
        name = config.name
        tagline = config.tagline
        homeURL = config.homeURL
        urlScheme = config.scheme?.lowercased()
        schemeURLs = try SchemeURL.all(config)
        schemesOfOthers = Dictionary(
            ((try? IOSApp.others(config)) ?? []).compactMap { app in app.scheme.map { (app.bundleID, $0) } }
        ) { $1 }
        iosBundleID = config.iosBundleID
        appStoreID = config.appStoreID
        appStoreURL = config.appStoreURL ?? config.appStoreID.map { "https://apps.apple.com/app/id\($0)" }
        androidPackage = config.androidPackage
        playStoreURL =
            config.playStoreURL
            ?? config.androidPackage.map { "https://play.google.com/store/apps/details?id=\($0)" }
        (minimumIOS, minimumAndroid) = (config.minimumIOS, config.minimumAndroid)
        (storeFirst, hasDesktopApp) = (config.storeFirst, config.hasDesktopApp)
        operatorName = config.operatorName
        privacyURL = config.privacyURL
        reportURL = config.reportURL
        (sunset, sunsetURL) = (config.sunset, config.sunset == nil ? nil : config.sunsetURL)
        icon = try config.icon.map(AppIcon.init(file:))
    }

    /// Returns everything that is wrong with the settings.
    package static func mistakes(in config: AppConfig) -> [AppListingError] {
        var mistakes = mistakesInTexts(config)
        do throws(AppListingError) {
            _ = try config.icon.map(AppIcon.init(file:))
        } catch {
            mistakes.append(error)
        }
        return mistakes
    }

    private static func mistakesInTexts(_ config: AppConfig) -> [AppListingError] {
        var mistakes: [AppListingError] = []
        if let scheme = config.scheme, !scheme.isOwnScheme { mistakes.append(.urlScheme(scheme)) }
        if let number = config.appStoreID, number.isEmpty || !number.utf8.allSatisfy(\.isASCIIDigit) {
            mistakes.append(.appStoreID(number))
        }
        if let package = config.androidPackage, package.wholeMatch(of: /[A-Za-z0-9_.]+/) == nil {
            mistakes.append(.androidPackage(package))
        }
        for (setting, url) in [
            ("KITH_APP_STORE_URL", config.appStoreURL), ("KITH_PLAY_STORE_URL", config.playStoreURL),
            ("KITH_APP_URL", config.homeURL), ("KITH_PRIVACY_URL", config.privacyURL),
        ] {
            if let url, WebURL(written: url) == nil { mistakes.append(.url(setting, url)) }
        }
        if let url = config.reportURL, WebURL(written: url) == nil, !url.isMailURL {
            mistakes.append(.url("KITH_REPORT_URL", url))
        }
        return mistakes
    }

    /// Returns where `/` of a host of links leads. Nil without such a page, or if that is the page itself.
    package func home(besides origin: String) -> String? {
        guard let homeURL, let home = try? WebURL(homeURL) else { return nil }
        let isRoot = ["", "/"].contains(home.rest.prefix { $0 != "?" && $0 != "#" })
        return isRoot && home.host == (try? WebURL(origin))?.host ? nil : homeURL
    }

    /// Returns the URL itself if it opens the app, and nil otherwise.
    func opening(_ url: String?) -> String? {
        guard let url, let urlScheme, url.scheme == urlScheme, url.utf8.allSatisfy(\.isVisibleASCII) else {
            return nil
        }
        return url
    }
}

extension AppIcon {
    fileprivate init(file: String) throws(AppListingError) {
        let isData = file.hasPrefix(Self.dataURLPrefix)
        let shown = isData ? Self.dataURLPrefix : file
        // A byte more than allowed is enough to refuse it.
        let found =
            isData
            ? Data(base64Encoded: String(file.dropFirst(Self.dataURLPrefix.count)))
            : try? FileHandle(forReadingAtPath: file)?.read(upToCount: Self.mostBytes + 1)
        guard let bytes = found else { throw AppListingError.icon(file: shown, nil) }
        do throws(AppIconError) {
            try self.init(png: Array(bytes))
        } catch {
            throw AppListingError.icon(file: shown, error)
        }
    }
}

package enum AppListingError: Error, Equatable, CustomStringConvertible {
    case urlScheme(String)
    case appStoreID(String)
    case androidPackage(String)
    /// The setting and its wrong text.
    case url(String, String)
    case icon(file: String, AppIconError?)

    package var description: String {
        switch self {
        case .urlScheme(let text):
            "KITH_APP_SCHEME: '\(text)' is not allowed: it must be a scheme of your app alone, as in myapp"
        case .appStoreID(let text): "KITH_APP_STORE_ID: '\(text)' is not allowed: it must be digits only"
        case .androidPackage(let text):
            "KITH_ANDROID_PACKAGE: '\(text)' is not allowed: it must be a package, as in com.example.app"
        case .url(let setting, let text) where text.withoutLogin != text:
            "\(setting): '\(text.withoutLogin)' is not allowed: the pages would show its user and password to everybody"
        case .url("KITH_REPORT_URL", let text):
            "KITH_REPORT_URL: '\(text)' is not allowed: it must be an http or https URL, or mailto: and an address"
        case .url(let setting, let text):
            "\(setting): '\(text)' is not allowed: it must be an http or https URL"
        case .icon(let file, nil): "KITH_APP_ICON: cannot read '\(file)'"
        case .icon(let file, let error?): "KITH_APP_ICON: '\(file)' \(error)"
        }
    }
}

extension String {
    /// Whether the text is `mailto:` and an address.
    fileprivate var isMailURL: Bool {
        scheme == "mailto" && utf8.allSatisfy(\.isVisibleASCII) && contains("@")
    }

    fileprivate var scheme: String? {
        utf8.firstIndex(of: UInt8(ascii: ":")).map { self[..<$0].lowercased() }
    }
}
