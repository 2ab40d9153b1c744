import Kernel
import Pictures
import Web

/// Reads the settings of the operator's app, and of the cards that show it.
extension AppConfig {
    init(_ settings: EnvironmentReader) {
        self.init()
        name = settings.value("KITH_APP_NAME", default: name, .line(100))
        tagline = settings.value(
            "KITH_APP_TAGLINE", default: nil, shown: "–", SettingReading<String>.line(200).optional)
        homeURL = settings.text("KITH_APP_URL")
        scheme = settings.text("KITH_APP_SCHEME")
        schemeURLs = settings.text("KITH_APP_SCHEME_URLS")
        appStoreID = settings.text("KITH_APP_STORE_ID")
        appStoreURL = settings.text("KITH_APP_STORE_URL")
        iosTeamID = settings.text("KITH_IOS_TEAM_ID")
        iosBundleID = settings.text("KITH_IOS_BUNDLE_ID")
        iosOtherApps = settings.text("KITH_IOS_OTHER_APPS")
        iosAppClips = settings.text("KITH_IOS_APP_CLIPS")
        androidPackage = settings.text("KITH_ANDROID_PACKAGE")
        androidFingerprints = settings.text("KITH_ANDROID_FINGERPRINTS")
        androidOtherApps = settings.text("KITH_ANDROID_OTHER_APPS")
        playStoreURL = settings.text("KITH_PLAY_STORE_URL")
        minimumIOS = settings.value("KITH_IOS_MINIMUM", default: nil, shown: "–", .version)
        minimumAndroid = settings.value("KITH_ANDROID_MINIMUM", default: nil, shown: "–", .version)
        storeFirst = settings.value("KITH_STORE_FIRST", default: storeFirst, .flag)
        hasDesktopApp = settings.value("KITH_DESKTOP_APP", default: hasDesktopApp, .flag)
        vanityLinks = settings.value("KITH_VANITY_LINKS", default: vanityLinks, .flag)
        linkDomains = settings.text("KITH_LINK_DOMAINS")
        linkTargets = settings.text("KITH_LINK_TARGETS")
        corsOrigins = settings.value(
            "KITH_CORS_ORIGINS", default: corsOrigins, shown: "–",
            SettingReading(CORSOrigins.form) { CORSOrigins($0) })
        icon = settings.text("KITH_APP_ICON")
        operatorName = settings.value(
            "KITH_OPERATOR_NAME", default: nil, shown: "–", SettingReading<String>.line(100).optional)
        privacyURL = settings.text("KITH_PRIVACY_URL")
        reportURL = settings.text("KITH_REPORT_URL")
        language = settings.value("KITH_LANGUAGE", default: language, .any)
        showsFriendCount = settings.value("KITH_SHOW_FRIEND_COUNT", default: showsFriendCount, .flag)
        sunset = settings.value("KITH_SUNSET", default: nil, shown: "–", .sunset)
        sunsetURL = settings.value("KITH_SUNSET_URL", default: nil, shown: "–", .secureURL)
        templates = settings.text("KITH_TEMPLATES")
    }
}

extension CardConfig {
    init(_ settings: EnvironmentReader) {
        self.init()
        colours = settings.value(
            "KITH_CARD_COLORS", default: nil, shown: "–",
            SettingReading("two colours, as in #5b54d6,#9a45c4", CardStyle.Colours.init).optional)
        background = settings.text("KITH_CARD_BACKGROUND")
    }
}
