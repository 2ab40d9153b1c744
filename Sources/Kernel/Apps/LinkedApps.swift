package import Web

/// A system with a store of its own.
package enum AppPlatform: String, CaseIterable, Encodable, Sendable {
    case ios, android

    /// Returns the platform of this name in a query or body, or throws a 400.
    package static func checked(_ text: String?) throws(Problem) -> AppPlatform {
        guard let text, let platform = AppPlatform(rawValue: text) else {
            throw .invalid("platform", "must be ios or android")
        }
        return platform
    }
}

/// The apps to which links lead, by the ids that stores and systems use.
package struct LinkedApps: Sendable {
    /// The key of the app that the settings describe.
    package static let standard = "standard"

    /// The key of this host's app.
    package let own: String
    private var keys: [AppPlatform: [String: String]] = [.ios: [:], .android: [:]]

    /// - Parameter applied: the apps of the file, by their keys. An id that one of them has does not count
    ///   for the app of the settings.
    package init(own: String, settings: AppConfig, _ applied: [String: AppConfig] = [:]) {
        self.own = own
        for (key, config) in [(Self.standard, settings)] + Array(applied) {
            for (platform, ids) in config.ids { for id in ids { keys[platform]?[id] = key } }
        }
    }

    /// Whether an app of the settings or the file has this bundle id or package.
    package func knows(_ platform: AppPlatform, _ id: String) -> Bool { knownKey(platform, id) != nil }

    /// Returns the key of the app with an id. All ids are ASCII, and Swift takes some texts of other letters
    /// as equal to them.
    private func knownKey(_ platform: AppPlatform, _ id: String) -> String? {
        id.utf8.allSatisfy { $0 < 0x80 } ? keys[platform]?[id] : nil
    }

    /// Returns the key of the app with this bundle id or package. Nil for a stranger's app. A call that does
    /// not say its app counts for the host's app. So does any app if Kith does not know an id of the host's
    /// app.
    /// - Parameter platform: nil for any.
    package func key(of platform: AppPlatform?, _ id: String?) -> String? {
        guard let id else { return own }
        let platforms = platform.map { [$0] } ?? AppPlatform.allCases
        if let key = platforms.lazy.compactMap({ knownKey($0, id) }).first { return key }
        return platforms.contains { keys[$0]?.values.contains(own) == true } ? nil : own
    }
}

extension AppConfig {
    /// The bundle ids and packages of the apps.
    package var ids: [AppPlatform: [String]] {
        let ios =
            [iosBundleID].compactMap(\.self)
            + (iosOtherApps?.listed ?? []).compactMap { IOSApp(setting: $0)?.bundleID }
        let android =
            [androidPackage].compactMap(\.self)
            + (androidOtherApps?.listed ?? []).compactMap { $0.split(separator: "=").first.map(String.init) }
        return [.ios: ios, .android: android]
    }
}
