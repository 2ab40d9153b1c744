/// An app for Apple's systems, as Apple names it.
struct IOSApp: Hashable, Sendable {
    /// The application identifier's prefix: for all but old apps the team's number.
    let teamID: String
    let bundleID: String

    /// Nil unless the prefix is ten capital letters and digits, and the bundle's id has only letters, digits, dots and hyphens
    /// (https://developer.apple.com/documentation/bundleresources/information-property-list/cfbundleidentifier).
    init?(teamID: String, bundleID: String) {
        guard teamID.wholeMatch(of: /[A-Z0-9]{10}/) != nil,
            bundleID.wholeMatch(of: /[A-Za-z0-9.\-]{1,155}/) != nil
        else { return nil }
        (self.teamID, self.bundleID) = (teamID, bundleID)
    }

    /// The application identifier: `ABCDE12345.com.example.app`.
    var appID: String { "\(teamID).\(bundleID)" }
}

extension IOSApp {
    /// An application identifier.
    init?(appID: some StringProtocol) {
        let parts = appID.split(separator: ".", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        self.init(teamID: String(parts[0]), bundleID: String(parts[1]))
    }

    /// The apps of the settings, the one whose page in the store is shown first.
    static func all(_ config: AppConfig) throws(AppsError) -> [IOSApp] {
        let others = try list("KITH_IOS_OTHER_APPS", config.iosOtherApps)
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

    /// The App Clips of the settings.
    static func clips(_ config: AppConfig) throws(AppsError) -> [IOSApp] {
        try list("KITH_IOS_APP_CLIPS", config.iosAppClips)
    }

    private static func list(_ setting: String, _ text: String?) throws(AppsError) -> [IOSApp] {
        var apps: [IOSApp] = []
        for part in text?.listed ?? [] {
            guard let app = IOSApp(appID: part) else {
                throw .otherApp(setting, part, "ABCDE12345.com.example.app")
            }
            apps.append(app)
        }
        return apps
    }
}

extension String {
    /// The parts between commas, without blanks around them.
    var listed: [String] {
        split(separator: ",", omittingEmptySubsequences: false).map {
            String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }
}
