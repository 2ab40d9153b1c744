import Web

/// An app for Apple's systems, as Apple names it.
package struct IOSApp: Hashable, Sendable {
    /// The application identifier's prefix, which is the team's number for all but old apps.
    let teamID: String
    package let bundleID: String
    /// The app's number in the App Store, and its scheme in lower case. Nil if the operator does not say
    /// them.
    package var storeID: String?
    package var scheme: String?

    /// Nil unless the prefix is ten capital letters and digits, and the bundle's id has only letters, digits,
    /// dots and hyphens
    /// (https://developer.apple.com/documentation/bundleresources/information-property-list/cfbundleidentifier).
    package init?(teamID: String, bundleID: String) {
        guard teamID.wholeMatch(of: /[A-Z0-9]{10}/) != nil,
            bundleID.wholeMatch(of: /[A-Za-z0-9.\-]{1,155}/) != nil
        else { return nil }
        (self.teamID, self.bundleID) = (teamID, bundleID)
    }

    /// The application identifier: `ABCDE12345.com.example.app`.
    package var appID: String { "\(teamID).\(bundleID)" }
}

extension IOSApp {
    /// Reads an application identifier.
    init?(appID: some StringProtocol) {
        let parts = appID.split(separator: ".", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        self.init(teamID: String(parts[0]), bundleID: String(parts[1]))
    }

    /// Reads an application identifier, with number and scheme if there are any.
    init?(setting text: String) {
        guard let given = ListEntry(text, names: Self.parts) else { return nil }
        self.init(appID: given.head)
        (storeID, scheme) = (given["storeId"], given["scheme"]?.lowercased())
        guard storeID?.utf8.allSatisfy(\.isASCIIDigit) != false, scheme?.isOwnScheme != false else {
            return nil
        }
    }

    static let parts = ["storeId", "scheme"]

    /// Returns the apps of the settings. The first is the one whose store page is shown.
    package static func all(_ config: AppConfig) throws(AppsError) -> [IOSApp] {
        let others = try others(config)
        switch (config.iosTeamID, config.iosBundleID) {
        case (nil, nil): return others
        case (_, nil): throw .alone("KITH_IOS_TEAM_ID", missing: "KITH_IOS_BUNDLE_ID")
        case (nil, _): throw .alone("KITH_IOS_BUNDLE_ID", missing: "KITH_IOS_TEAM_ID")
        case (let teamID?, let bundleID?):
            guard let app = IOSApp(teamID: teamID, bundleID: bundleID) else {
                throw .iosApp(teamID: teamID, bundleID: bundleID)
            }
            return [app] + others
        }
    }

    /// Returns the further apps of the settings.
    package static func others(_ config: AppConfig) throws(AppsError) -> [IOSApp] {
        var apps: [IOSApp] = []
        for text in config.iosOtherApps?.listed ?? [] {
            guard let app = IOSApp(setting: text) else {
                throw .otherApp(
                    "KITH_IOS_OTHER_APPS", text,
                    "ABCDE12345.com.example.app, with storeId=1234567890 and scheme=other behind it if need be"
                )
            }
            apps.append(app)
        }
        return apps
    }

    /// Returns the App Clips of the settings.
    static func clips(_ config: AppConfig) throws(AppsError) -> [IOSApp] {
        var apps: [IOSApp] = []
        for text in config.iosAppClips?.listed ?? [] {
            guard let app = IOSApp(appID: text) else {
                throw .otherApp("KITH_IOS_APP_CLIPS", text, "ABCDE12345.com.example.app")
            }
            apps.append(app)
        }
        return apps
    }
}

extension String {
    /// The parts between commas, without blanks around them.
    package var listed: [String] {
        split(separator: ",", omittingEmptySubsequences: false).map {
            String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }
}
