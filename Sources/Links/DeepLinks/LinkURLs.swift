package import Graph
import Kernel
import Web

/// Writes the destinations of deep links as URLs.
package struct LinkURLs: Sendable {
    package let links: InviteLinks
    package let app: AppListing

    package init(links: InviteLinks, app: AppListing) {
        self.links = links
        self.app = app
    }

    /// Returns the URL of a destination, fit for `Location`.
    package func url(of place: DeepLinkDecision.Destination, for link: DeepLink) -> String {
        switch place {
        case .url(let url): url.text
        case .appStore(let id): "https://apps.apple.com/app/id\(id)\(query(link, LinkParameter.affiliate))"
        case .playStore(let package): playStore(package, link)
        }
    }

    /// Returns the URL of Google Play. Its referrer carries the link for the app's first start, and the
    /// campaign, as Firebase's did. An invite takes the route that also leaves it for the first start.
    private func playStore(_ package: String, _ link: DeepLink) -> String {
        let campaign = query(link, LinkParameter.campaign + [.gclid]).dropFirst()
        let claim = link.claimURL.flatMap(LinkReferrer.text) ?? ""
        let both = [claim, String(campaign)].filter { !$0.isEmpty }.joined(separator: "&")
        let referrer = both.utf8.count <= LinkReferrer.mostBytes ? both : claim
        var store = "https://play.google.com/store/apps/details?id=\(PercentEncoding.encode(package))"
        if package == app.androidPackage, app.playStoreURL != nil, link.isInvite(links) {
            store = links.below(String(link.target.text.prefix { $0 != "#" }), "play-store")
        }
        return referrer.isEmpty ? store : store.addingReferrer(referrer)
    }

    /// Returns these parameters as a query, with its `?`. Empty if the link has none of them.
    func query(_ link: DeepLink, _ parameters: [LinkParameter]) -> String {
        let pairs = parameters.compactMap { parameter in
            link[parameter].map { "\(parameter.rawValue)=\(PercentEncoding.encode($0))" }
        }
        return pairs.isEmpty ? "" : "?\(pairs.joined(separator: "&"))"
    }

    /// Returns the URL with which the page opens the app. Nil if it opens none.
    func inApp(of visitor: DeepLinkVisitor, _ link: DeepLink) -> String? {
        switch visitor {
        case .iPhone: inIOSApp(link, onIPad: false)
        case .iPad, .mac: inIOSApp(link, onIPad: true)
        case .android: ownURLOnAndroid(link)
        case .computer, .preview: nil
        }
    }

    /// Returns a URL that opens the app with its own URL of the target, or else as Firebase's SDK did
    /// (https://github.com/firebase/firebase-ios-sdk, `FDLUtilities.m`).
    func inIOSApp(_ link: DeepLink, onIPad: Bool) -> String? {
        guard let bundle = link.bundle(onIPad: onIPad) else { return nil }
        if let own = ownURL(link, onIPad: onIPad) { return own }
        let scheme = link[.ius] ?? app.schemesOfOthers[bundle] ?? bundle.lowercased()
        // The target comes last, since the page's script adds the fragment of its own URL to it.
        let target = PercentEncoding.encode(link.target.text)
        return "\(scheme)://google/link/?match_type=unique&deep_link_id=\(target)"
    }

    /// Returns the URL that shows the target in the app of an iPhone or iPad, by the operator's patterns
    /// (`KITH_APP_SCHEME_URLS`).
    func ownURL(_ link: DeepLink, onIPad: Bool) -> String? {
        guard let bundle = link.bundle(onIPad: onIPad) else { return nil }
        let scheme = bundle == app.iosBundleID ? app.urlScheme : app.schemesOfOthers[bundle]
        return ownURL(link, link[.ius] ?? scheme)
    }

    /// Returns the URL that shows the target in the app on Android.
    func ownURLOnAndroid(_ link: DeepLink) -> String? {
        guard let package = link[.apn], package == app.androidPackage else { return nil }
        return ownURL(link, app.urlScheme).map { String($0.prefix { $0 != "#" }) }
    }

    private func ownURL(_ link: DeepLink, _ scheme: String?) -> String? {
        app.schemeURLs.lazy.filter { $0.scheme == scheme }.compactMap { $0.url(of: link.target) }.first
    }

    /// Returns a URL that opens the app with its own URL of the target, or else with the link itself, or goes
    /// to a place without the app.
    /// - Parameter url: the deep link's URL, which is http or https and has no fragment.
    func inAndroidApp(_ link: DeepLink, at url: String, else place: DeepLinkDecision.Destination) -> String? {
        guard let package = link[.apn] else { return nil }
        let parts = (ownURLOnAndroid(link) ?? url).split(separator: ":", maxSplits: 1)
        // A semicolon would end a part of the intent.
        return
            "intent:\(parts[1].replacing(";", with: "%3B"))#Intent;scheme=\(parts[0]);"
            + "package=\(PercentEncoding.encode(package));"
            + "S.browser_fallback_url=\(PercentEncoding.encode(self.url(of: place, for: link)));end"
    }
}
