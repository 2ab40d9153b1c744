import Web

/// The files that tell iPhones and Android devices that links of a host belong to an app.
package struct AssociationFiles: Sendable {
    /// The file `apple-app-site-association`. Nil without an app for Apple's systems.
    package let apple: File?
    /// The file `assetlinks.json`. Nil without an app for Android.
    package let android: File?

    package struct File: Sendable {
        let bytes: [UInt8]
        let tag: String
    }

    /// - Throws: an `AppsError`.
    package init(_ config: AppConfig, _ rules: [OpenedPaths.Rule] = OpenedPaths.rules) throws {
        let (ios, clips) = (try IOSApp.all(config), try IOSApp.clips(config))
        let android = try AndroidApp.all(config)
        apple =
            ios.isEmpty && clips.isEmpty
            ? nil : try Self.file("apple-app-site-association", AppleFile(ios, clips, rules))
        self.android =
            android.isEmpty
            ? nil : try Self.file("assetlinks.json", android.map { AssetStatement($0, rules) })
    }

    private static func file(_ name: String, _ content: some Encodable) throws -> File {
        let bytes = try JSON.data(content)
        guard bytes.count <= 128 << 10 else { throw AppsError.tooLong(name) }
        return File(bytes: bytes, tag: ETag.of(bytes))
    }
}

/// The form of https://developer.apple.com/documentation/bundleresources/applinks
private struct AppleFile: Encodable {
    let applinks: Links
    /// The apps that may fill in passwords of this host.
    let webcredentials: Apps
    let appclips: Apps?

    init(_ apps: [IOSApp], _ clips: [IOSApp], _ rules: [OpenedPaths.Rule]) {
        applinks = Links(details: apps.map { Detail($0, rules) })
        webcredentials = Apps(apps: apps.map(\.appID))
        appclips = clips.isEmpty ? nil : Apps(apps: clips.map(\.appID))
    }

    struct Apps: Encodable {
        let apps: [String]
    }

    struct Links: Encodable {
        /// An empty list, which systems before iOS 13 require.
        let apps: [String] = []
        let details: [Detail]

        enum CodingKeys: CodingKey { case apps, details }
    }

    /// The rules of an app. Each app has only one: of two, only the first would count. `appID` and `paths`
    /// are for systems before iOS 13.
    struct Detail: Encodable {
        let appID: String
        let appIDs: [String]
        let components: [Component]
        let paths: [String]

        init(_ app: IOSApp, _ rules: [OpenedPaths.Rule]) {
            (appID, appIDs) = (app.appID, [app.appID])
            components = rules.map { Component($0, hasComment: true) }
            paths = rules.map { "\($0.opens ? "" : "NOT ")\($0.pattern.text)" }
        }
    }
}

/// A rule as both files write it. Only Apple's file has comments.
private struct Component: Encodable {
    let path: String
    let exclude: Bool?
    let comment: String?

    init(_ rule: OpenedPaths.Rule, hasComment: Bool) {
        (path, exclude) = (rule.pattern.text, rule.opens ? nil : true)
        comment = hasComment ? rule.comment : nil
    }

    enum CodingKeys: String, CodingKey {
        case path = "/"
        case exclude, comment
    }
}

/// The form of https://developers.google.com/digital-asset-links/v1/statements
private struct AssetStatement: Encodable {
    let relation = [linkRelation]
    /// The rules for Android 15 and later. Older versions open what the app's manifest says
    /// (https://developer.android.com/training/app-links/configure-assetlinks).
    let extensions: [String: Extension]
    let target: Target

    init(_ app: AndroidApp, _ rules: [OpenedPaths.Rule]) {
        extensions = [
            Self.linkRelation: Extension(components: rules.map { Component($0, hasComment: false) })
        ]
        target = Target(package: app.package, fingerprints: app.fingerprints)
    }

    enum CodingKeys: String, CodingKey {
        case relation, target
        case extensions = "relation_extensions"
    }

    struct Extension: Encodable {
        let components: [Component]

        enum CodingKeys: String, CodingKey {
            case components = "dynamic_app_link_components"
        }
    }

    struct Target: Encodable {
        let namespace = "android_app"
        let package: String
        let fingerprints: [AndroidApp.Fingerprint]

        enum CodingKeys: String, CodingKey {
            case namespace
            case package = "package_name"
            case fingerprints = "sha256_cert_fingerprints"
        }
    }

    private static let linkRelation = "delegate_permission/common.handle_all_urls"
}
