import Foundation

/// The apps and stages that `kith apply` has set up, by their keys.
package struct AppliedApps: AppliedSection, Hashable {
    package static let name = "apps"
    /// 32 MiB: the icons of all apps.
    package static let mostBytes = 32 << 20
    package static let editors: Set<Role> = []

    package var apps: [String: AppliedApp] = [:]

    package static let most = 20

    package init() {}

    init(apps: [String: AppliedApp]) {
        self.apps = apps
    }

    /// Returns the numbers of the apps in the App Store.
    /// - Parameter standard: the number of the app of the settings.
    /// - Returns: nil if the only app has no number. Its host then deals codes of any app. If there are
    ///   several apps, none are dealt for one without a number.
    package func appStoreIDs(and standard: String?) -> Set<String>? {
        let ids = [standard] + apps.values.map { $0.fields["ios.storeId"] }
        return ids == [nil] ? nil : Set(ids.compactMap(\.self))
    }

    package static func isList(_ field: String) -> Bool {
        field == hosts || AppField.all.contains { $0.name == field && $0.isList }
    }

    /// The field of an app that `AppField` does not have.
    private static let hosts = "hosts"

    package var items: [String: [String: String]] {
        get {
            apps.mapValues { app in
                app.fields.merging([Self.hosts: app.hosts.joined(separator: ",")]) { $1 }
            }
        }
        set {
            apps = newValue.mapValues { fields in
                AppliedApp(
                    hosts: fields[Self.hosts]?.split(separator: ",").map(String.init) ?? [],
                    fields: fields.filter { $0.key != Self.hosts })
            }
        }
    }

    package func dangers(over former: Self) -> [String: String] {
        let kept = Set(apps.values.flatMap(\.hosts))
        return former.apps.compactMapValues { app in
            let lost = app.hosts.filter { !kept.contains($0) }
            return lost.isEmpty ? nil : "the links of \(lost.joined(separator: ", ")) would lead nowhere"
        }
    }

    package var texts: [String: String] {
        var all: [String: String] = [:]
        for (key, app) in apps {
            all["apps.\(key).hosts"] = app.hosts.joined(separator: ",")
            for (name, text) in app.fields { all["apps.\(key).\(name)"] = text }
        }
        return all
    }
}

/// An app, or a stage of one.
package struct AppliedApp: Codable, Hashable, Sendable {
    /// The origins of its links, as in `KITH_LINK_URL`. Kith writes links with the first.
    package var hosts: [String]
    /// The texts of its fields, by their names. The texts of a list are separated by commas.
    package var fields: [String: String]

    package init(hosts: [String], fields: [String: String]) {
        self.hosts = hosts
        self.fields = fields
    }
}

/// A field of an app in the file of `kith apply`: another name of a setting.
package struct AppField: Sendable {
    package let name: String
    package let setting: String
    package var isList = false
    /// The names of the fields of an entry, if the list's entries are tables. The first is the head, see
    /// `ListEntry`.
    package var parts: [String] = []

    package static let all = [
        AppField(name: "name", setting: "KITH_APP_NAME"),
        AppField(name: "tagline", setting: "KITH_APP_TAGLINE"),
        AppField(name: "url", setting: "KITH_APP_URL"),
        AppField(name: "icon", setting: "KITH_APP_ICON"),
        AppField(name: "scheme", setting: "KITH_APP_SCHEME"),
        AppField(
            name: "schemeUrls", setting: "KITH_APP_SCHEME_URLS", isList: true,
            parts: ["path"] + SchemeURL.parts),
        AppField(name: "storeFirst", setting: "KITH_STORE_FIRST"),
        AppField(name: "desktopApp", setting: "KITH_DESKTOP_APP"),
        AppField(name: "vanityLinks", setting: "KITH_VANITY_LINKS"),
        AppField(name: "cardColors", setting: "KITH_CARD_COLORS", isList: true),
        AppField(name: "ios.teamId", setting: "KITH_IOS_TEAM_ID"),
        AppField(name: "ios.bundleId", setting: "KITH_IOS_BUNDLE_ID"),
        AppField(
            name: "ios.otherApps", setting: "KITH_IOS_OTHER_APPS", isList: true, parts: ["id"] + IOSApp.parts),
        AppField(name: "ios.appClips", setting: "KITH_IOS_APP_CLIPS", isList: true),
        AppField(name: "ios.storeId", setting: "KITH_APP_STORE_ID"),
        AppField(name: "ios.storeUrl", setting: "KITH_APP_STORE_URL"),
        AppField(name: "ios.minimum", setting: "KITH_IOS_MINIMUM"),
        AppField(name: "android.package", setting: "KITH_ANDROID_PACKAGE"),
        AppField(name: "android.fingerprints", setting: "KITH_ANDROID_FINGERPRINTS", isList: true),
        AppField(name: "android.otherApps", setting: "KITH_ANDROID_OTHER_APPS", isList: true),
        AppField(name: "android.storeUrl", setting: "KITH_PLAY_STORE_URL"),
        AppField(name: "android.minimum", setting: "KITH_ANDROID_MINIMUM"),
        AppField(name: "linkDomains", setting: "KITH_LINK_DOMAINS", isList: true),
        AppField(name: "linkTargets", setting: "KITH_LINK_TARGETS", isList: true),
        AppField(name: "corsOrigins", setting: "KITH_CORS_ORIGINS", isList: true),
        AppField(name: "operatorName", setting: "KITH_OPERATOR_NAME"),
        AppField(name: "privacyUrl", setting: "KITH_PRIVACY_URL"),
        AppField(name: "reportUrl", setting: "KITH_REPORT_URL"),
        AppField(name: "language", setting: "KITH_LANGUAGE"),
        AppField(name: "showFriendCount", setting: "KITH_SHOW_FRIEND_COUNT"),
        AppField(name: "sunset", setting: "KITH_SUNSET"),
        AppField(name: "sunsetUrl", setting: "KITH_SUNSET_URL"),
    ]
}
