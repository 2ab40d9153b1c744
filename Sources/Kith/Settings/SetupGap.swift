import Kernel

/// Something that the settings leave out, so that links lead people nowhere although everything works.
package struct SetupGap: Sendable, CustomStringConvertible {
    /// What to set.
    package let settings: String
    /// The effect until it is set.
    package let effect: String

    package var description: String { "\(settings): not set, so \(effect)" }

    fileprivate static let noButton = "the page of an invite has no button"
}

extension AppliedApps {
    /// Returns the gaps of applied apps, one line for each, for the operator who applies them.
    /// - Parameter base: the settings that apply to all apps.
    package func gaps(over base: Config) -> [String] {
        apps.sorted { $0.key < $1.key }.compactMap { key, app in
            guard let config = try? app.config(over: base), !config.app.hasWayIn else { return nil }
            return "apps.\(key): has no ios.storeId, android.package or scheme, so \(SetupGap.noButton)"
        }
    }
}

extension Config {
    /// Returns the gaps in the settings, for the operator who sets up a server.
    package static func gaps(in environment: [String: String]) -> [SetupGap] { read(environment).config.gaps }

    var gaps: [SetupGap] {
        var gaps: [SetupGap] = []
        func note(_ isMissing: Bool, _ settings: String, _ effect: String) {
            if isMissing { gaps.append(SetupGap(settings: settings, effect: effect)) }
        }
        note(
            server.listen.isEverywhere && server.linkURL == "http://\(server.listen)", "KITH_LINK_URL",
            "links begin with \(server.linkURL), which nobody can open")
        note(app.name == AppConfig().name, "KITH_APP_NAME", "the pages call the app \(app.name)")
        note(
            !app.hasWayIn, "KITH_APP_STORE_ID, KITH_ANDROID_PACKAGE or KITH_APP_SCHEME", SetupGap.noButton)
        note(app.homeURL == nil, "KITH_APP_URL", "dead links, and / of the host of links, lead nowhere")
        note(
            app.ids[.ios]?.isEmpty != false && app.androidFingerprints == nil && app.androidOtherApps == nil,
            "KITH_IOS_TEAM_ID and KITH_IOS_BUNDLE_ID, or KITH_ANDROID_PACKAGE and KITH_ANDROID_FINGERPRINTS",
            "links open no app, but the browser")
        return gaps
    }
}

extension AppConfig {
    /// Whether pages can have a button into the app, or to a store.
    var hasWayIn: Bool {
        [appStoreID, appStoreURL, androidPackage, playStoreURL, scheme].contains { $0 != nil }
    }
}
