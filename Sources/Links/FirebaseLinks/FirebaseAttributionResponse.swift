import Hummingbird
import Visits
import Web

/// The link that brought an installation. Absent fields are what Google's APIs call unknown.
package struct InstallAttributionResponse: ResponseEncodable {
    var deepLink: String?
    var attributionConfidence: Confidence?
    let matchMessage: String
    var requestIpVersion: String?
    var requestedLink: String?
    var resolvedLink: String?
    var fallbackLink: String?
    var appMinimumVersion: String?
    var utmSource, utmMedium, utmCampaign, utmTerm, utmContent: String?

    enum Confidence: String, Encodable {
        /// Only facts agree.
        case weak = "WEAK"
        /// The app has the link.
        case unique = "UNIQUE"
    }

    init(_ message: String, for address: ClientAddress?) {
        matchMessage = message
        requestIpVersion = address.map { $0.isIPv4 ? "IP_V4" : "IP_V6" }
    }

    mutating func tell(_ found: FoundDynamicLink, _ places: LinkURLs) {
        let link = found.link
        (deepLink, resolvedLink, requestedLink) = (link.target.text, found.resolved, found.requested)
        let end = DeepLinkVisit(device: Device(system: .iOS)).end(as: .iPhone, link, places.app)
        fallbackLink = places.url(of: link.destination(end), for: link)
        appMinimumVersion = link[.imv]
        (utmSource, utmMedium, utmCampaign) = (link[.utmSource], link[.utmMedium], link[.utmCampaign])
        (utmTerm, utmContent) = (link[.utmTerm], link[.utmContent])
    }
}

/// The link that opened the app.
package struct ReopenAttributionResponse: ResponseEncodable {
    let deepLink: String
    let resolvedLink: String
    let iosMinAppVersion: String?
    let utmSource, utmMedium, utmCampaign, utmTerm, utmContent: String?
    let warning: [DynamicLinkWarning]?

    init(_ found: FoundDynamicLink) {
        let link = found.link
        (deepLink, resolvedLink) = (link.target.text, found.resolved)
        iosMinAppVersion = link[.imv]
        (utmSource, utmMedium, utmCampaign) = (link[.utmSource], link[.utmMedium], link[.utmCampaign])
        (utmTerm, utmContent) = (link[.utmTerm], link[.utmContent])
        warning = DynamicLinkWarning.all(found.warnings)
    }
}

/// A link that an app asked about.
struct FoundDynamicLink: Sendable {
    /// The link as it was given.
    var requested: String
    /// The long link, or the invite itself.
    var resolved: String
    var link: DeepLink
    var warnings: [LinkWarning] = []
    /// The link for which its opening counts. Nil for an invite, which counts when it is claimed.
    var clicked: ClickedLink?
}
