import Graph
package import Kernel
import Visits
package import Web

/// What a page on the way of a deep link shows.
struct DeepLinkPage: Sendable {
    var link: DeepLink
    /// The URL of the deep link itself, in visible ASCII.
    var url: String
    var visit: DeepLinkVisit
    var way: DeepLinkDecision.Way
    var language: Language
}

/// The HTML of pages on the way: previews, and what an iPhone shows before the store.
package struct DeepLinkPages: Sendable {
    package let app: AppListing
    package let pages: LandingPages
    package let templates: Templates
    package let places: LinkURLs
    package let pictures: AvatarHosts

    package init(
        app: AppListing, pages: LandingPages, templates: Templates, places: LinkURLs, pictures: AvatarHosts
    ) {
        self.app = app
        self.pages = pages
        self.templates = templates
        self.places = places
        self.pictures = pictures
    }

    func html(_ page: DeepLinkPage) -> String {
        let (link, texts) = (page.link, pages.texts(page.language))
        var values = pages.common(page.language)
        pages.addClosing(page.language, to: &values)
        values["title"] = link[.st] ?? app.name
        values["description"] = link[.sd] ?? app.tagline
        (values["image"], values["url"], values["webURL"]) = (link[.si], page.url, link.target.text)
        values["picture"] = pictures.shown(link[.si])
        values["iconURL"] = app.icon == nil ? nil : "\(places.links.origin)/icon.png"
        values["appStoreID"] = link[.isi]
        let affiliate = places.query(link, LinkParameter.affiliate).dropFirst()
        values["affiliateData"] = affiliate.isEmpty ? nil : String(affiliate)
        values["appArgument"] = link.target.text.replacing(",", with: "%2C")
        values["iosURL"] = places.inIOSApp(link, onIPad: false)
        (values["androidPackage"], values["androidURL"]) = (
            link[.apn], places.ownURLOnAndroid(link) ?? page.url
        )
        values["isInAppBrowser"] = page.visit.device.inAppBrowser != nil
        values["browserHint"] = texts(.browserHint)
        let (offers, isInvite) = (offers(page), link.isInvite(places.links))
        if isInvite || offers.contains(where: { $0.text == .appStore }) {
            values["save"] = texts(isInvite ? .save : .saveLink)
            values["saveHint"] = texts(isInvite ? .saveHint : .saveLinkHint)
            for key in [LandingTexts.Key.saved, .saveRefused] { values[key.rawValue] = texts(key) }
            let copied = link.claimURL ?? link.target.text
            values["link"] = copied
            values["copyTakesFragment"] = !isInvite && !copied.utf8.contains(UInt8(ascii: "#"))
        }
        values["elsewhereURL"] = offers.first(where: \.isElsewhere)?.url
        values["offers"] = offers.enumerated().map { number, offer in
            [
                "offer": texts(offer.text), "offerURL": offer.url, "isFirst": number == 0,
                "isQuiet": offer.text == .hasApp, "isForPad": offer.isForPad,
                "isAppStore": offer.text == .appStore, "isElsewhere": offer.isElsewhere,
                "takesFragment": offer.text == .goOn || offer.isOwnURL,
                "takesInnerFragment": offer.isInIOSApp && !offer.isOwnURL && link.target.fragment == nil,
            ] as [String: Any]
        }
        return templates.render(.deepLink, values)
    }

    private struct Offer {
        var text: LandingTexts.Key
        var url: String
        /// Whether a script follows this offer at once, unless it finds an iPad.
        var isElsewhere = false
        /// Whether this offer opens the app of an iPhone by its scheme.
        var isInIOSApp = false
        /// Whether it does so with a URL of the app's own.
        var isOwnURL = false
        /// Whether only a script that finds an iPad shows this offer, because a computer does not know the
        /// scheme.
        var isForPad = false
    }

    private func offers(_ page: DeepLinkPage) -> [Offer] {
        let (link, visit) = (page.link, page.visit)
        switch page.way {
        case .redirect(let place): return [offer(place, link)]
        case .asking(let iPad, let other):
            var elsewhere = offer(other, link)
            elsewhere.isElsewhere = true
            let opening = opening(link, onIPad: true).map { offer in
                var offer = offer
                offer.isForPad = true
                return offer
            }
            return [offer(iPad, link)] + opening + [elsewhere]
        case .preview: return [offer(.url(link.target), link)]
        case .page(let place):
            let browser =
                visit.hasLeft
                ? nil
                : visit.device.leaving(for: page.url)
                    .map { Offer(text: .openInBrowser, url: $0) }
            let app =
                visit.device.system == .android
                ? places.inAndroidApp(link, at: page.url, else: place).map { [Offer(text: .hasApp, url: $0)] }
                    ?? []
                : opening(link, onIPad: visit.isIPad)
            return [offer(place, link)] + [browser].compactMap(\.self) + app
        }
    }

    private func opening(_ link: DeepLink, onIPad: Bool) -> [Offer] {
        guard let url = places.inIOSApp(link, onIPad: onIPad) else { return [] }
        let isOwnURL = places.ownURL(link, onIPad: onIPad) != nil
        return [Offer(text: .hasApp, url: url, isInIOSApp: true, isOwnURL: isOwnURL)]
    }

    private func offer(_ place: DeepLinkDecision.Destination, _ link: DeepLink) -> Offer {
        let text: LandingTexts.Key =
            switch place {
            case .appStore: .appStore
            case .playStore: .playStore
            case .url: .goOn
            }
        return Offer(text: text, url: places.url(of: place, for: link))
    }
}
