import Foundation

/// What the app says of itself when it asks for its update policy and its values. All but the platform may be
/// left out; a condition on what is left out does not hold.
public struct AppFacts: Hashable, Sendable {
    public var platform: InstallEvidence.Platform
    /// The bundle id or package.
    public var app: String?
    public var version: String?
    public var build: String?
    /// Of the system, such as `18.6`.
    public var osVersion: String?
    /// Such as `ja`.
    public var language: String?
    /// Two capital letters.
    public var country: String?

    public init(
        platform: InstallEvidence.Platform = .ios, app: String? = nil, version: String? = nil,
        build: String? = nil, osVersion: String? = nil, language: String? = nil, country: String? = nil
    ) {
        (self.platform, self.app, self.version, self.build) = (platform, app, version, build)
        (self.osVersion, self.language, self.country) = (osVersion, language, country)
    }

    /// Those of this app on this phone.
    public static var ofThisApp: AppFacts {
        let info = Bundle.main.infoDictionary
        let phone = InstallEvidence.Facts.ofThisPhone
        return AppFacts(
            app: Bundle.main.bundleIdentifier, version: info?["CFBundleShortVersionString"] as? String,
            build: info?["CFBundleVersion"] as? String, osVersion: phone.osVersion, language: phone.language,
            country: countryOfThisPhone)
    }

    private static var countryOfThisPhone: String? {
        if #available(iOS 16, macOS 13, *) { return Locale.current.region?.identifier }
        return Locale.current.regionCode
    }

    var query: [(String, String?)] {
        [
            ("platform", platform.rawValue), ("app", app), ("version", version), ("build", build),
            ("os", osVersion), ("language", language), ("country", country),
        ]
    }
}
