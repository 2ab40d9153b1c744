import Foundation

/// Builds a long link as Firebase Dynamic Links read them, for places that still expect one. Kith makes its
/// links itself: `KithClient.me().link` is what a user shares, and the operator's settings say the rest.
public final class DynamicLinkComponents {
    public var link: URL?
    public var domainURIPrefix: String
    public var iOSParameters: DynamicLinkIOSParameters?
    public var androidParameters: DynamicLinkAndroidParameters?
    public var socialMetaTagParameters: DynamicLinkSocialMetaTagParameters?
    public var navigationInfoParameters: DynamicLinkNavigationInfoParameters?
    public var otherPlatformParameters: DynamicLinkOtherPlatformParameters?
    public var analyticsParameters: DynamicLinkGoogleAnalyticsParameters?

    /// Nil unless the prefix is an https URL.
    public init?(link: URL, domainURIPrefix: String) {
        guard let prefix = URLComponents(string: domainURIPrefix), prefix.scheme?.lowercased() == "https",
            prefix.host?.isEmpty == false
        else { return nil }
        (self.link, self.domainURIPrefix) = (link, domainURIPrefix)
    }

    /// The long link, its parameters in the order of their names.
    public var url: URL? {
        guard let link else { return nil }
        var values: [String: String?] = ["link": link.absoluteString]
        values.merge(
            [
                "ibi": iOSParameters?.bundleID, "isi": iOSParameters?.appStoreID,
                "ifl": iOSParameters?.fallbackURL?.absoluteString, "ius": iOSParameters?.customScheme,
                "imv": iOSParameters?.minimumAppVersion, "ipbi": iOSParameters?.iPadBundleID,
                "ipfl": iOSParameters?.iPadFallbackURL?.absoluteString,
                "apn": androidParameters?.packageName, "afl": androidParameters?.fallbackURL?.absoluteString,
                "amv": androidParameters.flatMap { $0.minimumVersion == 0 ? nil : String($0.minimumVersion) },
                "st": socialMetaTagParameters?.title, "sd": socialMetaTagParameters?.descriptionText,
                "si": socialMetaTagParameters?.imageURL?.absoluteString,
                "efr": navigationInfoParameters.flatMap { $0.isForcedRedirectEnabled ? "1" : nil },
                "ofl": otherPlatformParameters?.fallbackUrl?.absoluteString,
                "utm_source": analyticsParameters?.source, "utm_medium": analyticsParameters?.medium,
                "utm_campaign": analyticsParameters?.campaign, "utm_term": analyticsParameters?.term,
                "utm_content": analyticsParameters?.content,
            ]
        ) { first, _ in first }
        let query = values.compactMap { name, value in value.map { "\(name)=\(Self.encode($0))" } }
            .sorted().joined(separator: "&")
        let slash = domainURIPrefix.hasSuffix("/") ? "" : "/"
        return URL(string: "\(domainURIPrefix)\(slash)?\(query)")
    }

    @available(*, unavailable, message: "Kith makes short links itself: KithClient.me().link.shortUrl")
    public func shorten(completion: (URL?, [String]?, (any Error)?) -> Void) {}

    /// As Firebase's SDK did: everything but ASCII's letters and digits.
    private static func encode(_ text: String) -> String {
        let plain = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }
}

public final class DynamicLinkIOSParameters {
    public let bundleID: String
    public var appStoreID: String?
    public var fallbackURL: URL?
    public var customScheme: String?
    public var iPadBundleID: String?
    public var iPadFallbackURL: URL?
    public var minimumAppVersion: String?

    public init(bundleID: String) { self.bundleID = bundleID }
}

public final class DynamicLinkAndroidParameters {
    public let packageName: String
    public var fallbackURL: URL?
    /// A version code; 0 for none.
    public var minimumVersion = 0

    public init(packageName: String) { self.packageName = packageName }
}

public final class DynamicLinkSocialMetaTagParameters {
    public var title: String?
    public var descriptionText: String?
    public var imageURL: URL?

    public init() {}
}

public final class DynamicLinkNavigationInfoParameters {
    public var isForcedRedirectEnabled = false

    public init() {}
}

public final class DynamicLinkOtherPlatformParameters {
    public var fallbackUrl: URL?

    public init() {}
}

public final class DynamicLinkGoogleAnalyticsParameters {
    public var source: String?
    public var medium: String?
    public var campaign: String?
    public var term: String?
    public var content: String?

    public init(source: String? = nil, medium: String? = nil, campaign: String? = nil) {
        (self.source, self.medium, self.campaign) = (source, medium, campaign)
    }
}
