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
    /// The app of the settings; nil if they name none.
    init?(_ config: AppConfig) throws(AppsError) {
        switch (config.iosTeamID, config.iosBundleID) {
        case (nil, nil): return nil
        case (_, nil): throw .alone("KITH_IOS_TEAM_ID", missing: "KITH_IOS_BUNDLE_ID")
        case (nil, _): throw .alone("KITH_IOS_BUNDLE_ID", missing: "KITH_IOS_TEAM_ID")
        case (let teamID?, let bundleID?):
            guard let app = IOSApp(teamID: teamID, bundleID: bundleID) else {
                throw .iosApp(teamID: teamID, bundleID: bundleID)
            }
            self = app
        }
    }
}
