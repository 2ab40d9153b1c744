/// A system with a store of its own.
package enum AppPlatform: String, CaseIterable, Encodable, Sendable {
    case ios, android
}

/// The apps into which links lead, by what their stores and systems call them.
package struct LinkedApps: Sendable {
    /// The key of the app of the settings.
    package static let standard = "standard"

    /// The key of the app of this host.
    package let own: String
    private var keys: [AppPlatform: [String: String]] = [.ios: [:], .android: [:]]

    /// - Parameter applied: the apps of the file, by their keys. What one of them has is not the settings' app's.
    package init(own: String, settings: AppConfig, _ applied: [String: AppConfig] = [:]) {
        self.own = own
        for (key, config) in [(Self.standard, settings)] + Array(applied) {
            for (platform, ids) in config.ids { for id in ids { keys[platform]?[id] = key } }
        }
    }

    /// Whether an app of the settings or the file has this bundle id or package.
    package func knows(_ platform: AppPlatform, _ id: String) -> Bool { knownKey(platform, id) != nil }

    /// All ids are ASCII. To Swift some texts of other letters are equal to them.
    private func knownKey(_ platform: AppPlatform, _ id: String) -> String? {
        id.utf8.allSatisfy { $0 < 0x80 } ? keys[platform]?[id] : nil
    }

    /// The key of the app with this bundle id or package; nil for a stranger's. An app that does not say is that of the host,
    /// and so is any if Kith does not know what the host's is called.
    package func key(of platform: AppPlatform, _ id: String?) -> String? {
        guard let id else { return own }
        if let key = knownKey(platform, id) { return key }
        return keys[platform]?.values.contains(own) == true ? nil : own
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
