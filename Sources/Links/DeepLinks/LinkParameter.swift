import Web

/// A parameter of a long link, by the name and the meaning that Firebase Dynamic Links gave it
/// (https://firebase.google.com/docs/dynamic-links/create-manually).
package enum LinkParameter: String, CaseIterable, Codable, Sendable {
    /// Where the link leads: a page, which the app shows if it is there.
    case link
    /// Android: the package; the place to go without the app instead of Google Play; the oldest version of
    /// the app that can open the link; another target than `link`.
    case apn, afl, amv, al
    /// iPhone: the bundle; the place to go without the app instead of the App Store; the app's own scheme.
    case ibi, ifl, ius
    /// iPad: the last two of these, if they differ there.
    case ipfl, ipbi
    /// The app's number in the App Store; the oldest version that can open the link, which only the app looks
    /// at.
    case isi, imv
    /// Whether iPhones go to the store without a page.
    case efr
    /// Computers: the place to go instead of `link`.
    case ofl
    /// Title, description and picture of previews.
    case st, sd, si
    /// The campaign, for Google Play and Analytics.
    case utmSource = "utm_source"
    case utmMedium = "utm_medium"
    case utmCampaign = "utm_campaign"
    case utmTerm = "utm_term"
    case utmContent = "utm_content"
    case gclid
    /// The campaign, for the App Store: affiliate, campaign, media type, provider.
    case at, ct, mt, pt
}

extension LinkParameter {
    /// The parameters that Google Play's referrer hands on.
    static let campaign: [LinkParameter] = [.utmSource, .utmMedium, .utmCampaign, .utmTerm, .utmContent]

    /// The parameters that go on to the App Store.
    static let affiliate: [LinkParameter] = [.pt, .ct, .mt, .at]

    /// The parameters that the app needs in addition to the target.
    static let claimed: [LinkParameter] = [.amv, .imv] + campaign

    enum Kind: Sendable {
        /// An http or https URL to which a browser is sent, so the allow-list must have its host.
        case destination
        /// An http or https URL.
        case webURL
        /// Digits.
        case number
        /// 0 or 1.
        case flag
        case scheme
        case text
    }

    var kind: Kind {
        switch self {
        case .link, .afl, .al, .ifl, .ipfl, .ofl: .destination
        case .si: .webURL
        case .amv, .isi: .number
        case .efr: .flag
        case .ius: .scheme
        case .apn, .ibi, .ipbi, .imv, .st, .sd, .utmSource, .utmMedium, .utmCampaign, .utmTerm, .utmContent,
            .gclid, .at, .ct, .mt, .pt:
            .text
        }
    }

    /// The most bytes of a value. Firebase had such a limit (`TOO_LONG_PARAM`), but never said what it was.
    static let mostBytes = 2048

    /// The most bytes of all values of a new link together.
    static let mostBytesTogether = 16_384

    /// How many unknown names are reported for a link.
    static let mostUnknown = 20

    /// Its path in Firebase's `dynamicLinkInfo`
    /// (https://firebase.google.com/docs/reference/dynamic-links/link-shortener).
    var path: String {
        switch self {
        case .link: "link"
        case .apn: "androidInfo.androidPackageName"
        case .afl: "androidInfo.androidFallbackLink"
        case .amv: "androidInfo.androidMinPackageVersionCode"
        case .al: "androidInfo.androidLink"
        case .ibi: "iosInfo.iosBundleId"
        case .ifl: "iosInfo.iosFallbackLink"
        case .ius: "iosInfo.iosCustomScheme"
        case .ipfl: "iosInfo.iosIpadFallbackLink"
        case .ipbi: "iosInfo.iosIpadBundleId"
        case .isi: "iosInfo.iosAppStoreId"
        case .imv: "iosInfo.iosMinimumVersion"
        case .ofl: "desktopInfo.desktopFallbackLink"
        case .efr: "navigationInfo.enableForcedRedirect"
        case .st: "socialMetaTagInfo.socialTitle"
        case .sd: "socialMetaTagInfo.socialDescription"
        case .si: "socialMetaTagInfo.socialImageLink"
        case .utmSource: "analyticsInfo.googlePlayAnalytics.utmSource"
        case .utmMedium: "analyticsInfo.googlePlayAnalytics.utmMedium"
        case .utmCampaign: "analyticsInfo.googlePlayAnalytics.utmCampaign"
        case .utmTerm: "analyticsInfo.googlePlayAnalytics.utmTerm"
        case .utmContent: "analyticsInfo.googlePlayAnalytics.utmContent"
        case .gclid: "analyticsInfo.googlePlayAnalytics.gclid"
        case .at: "analyticsInfo.itunesConnectAnalytics.at"
        case .ct: "analyticsInfo.itunesConnectAnalytics.ct"
        case .mt: "analyticsInfo.itunesConnectAnalytics.mt"
        case .pt: "analyticsInfo.itunesConnectAnalytics.pt"
        }
    }
}

extension LinkParameter {
    /// The parameters that are texts. In these a `+` is a blank, as forms and campaign tools write it. In a
    /// URL it means itself.
    private static let texts = Set(([.st, .sd, .ct] + campaign).map(\.rawValue))

    /// Returns a value in a query. Nil if it is not percent-encoded UTF-8 text.
    static func decode(_ encoded: Substring.UTF8View, of name: String) -> String? {
        guard texts.contains(name), encoded.contains(UInt8(ascii: "+")) else {
            return PercentEncoding.decode(encoded)
        }
        return PercentEncoding.decode(encoded.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
    }
}
