/// Where a visitor of a deep link goes. A pure function decides by the table "Where a deep link leads" in docs/rules.md.
struct DeepLinkAnswer: Hashable, Sendable {
    /// Of the table.
    let row: Int
    let way: Way

    enum Way: Hashable, Sendable {
        /// 302.
        case redirect(Destination)
        /// A page whose buttons open the app, or lead here without it.
        case page(Destination)
        /// A page that finds out whether it is an iPad, and goes on by itself.
        case asking(iPad: Destination, other: Destination)
        /// What previews show. Nobody comes by it.
        case preview
    }

    /// Where a way ends.
    enum Destination: Hashable, Sendable {
        case playStore(package: String)
        case appStore(id: String)
        case url(WebURL)
    }
}

/// Who opens a deep link.
struct DeepLinkVisit: Hashable, Sendable {
    var device: Device
    var isIPad = false
    /// Says Macintosh and Safari, as an iPad does, too.
    var mayBeIPad = false
    var isPreviewFetcher = false
    /// Whether the target is a user's link.
    var isInvite = false
    /// Whether the visitor comes from our own page.
    var hasLeft = false
}

extension DeepLinkAnswer {
    init(to visit: DeepLinkVisit, _ link: DeepLink, _ app: AppListing) {
        let isTooNew = app.isTooNew(for: visit.device)
        switch visit.device.system {
        case _ where visit.isPreviewFetcher:
            self.init(
                row: 1, way: visit.isInvite && link[.st] == nil ? .redirect(.url(link.target)) : .preview)
        case .android where link[.apn] != nil:
            let place = link.onAndroid(withStore: !isTooNew)
            self.init(visit.device.inAppBrowser == nil ? (3, .redirect(place)) : (2, .page(place)), visit)
        case .iOS where link.bundle(onIPad: visit.isIPad) != nil:
            let place = link.onIOS(isIPad: visit.isIPad, withStore: !isTooNew)
            self.init(link[.efr] == "1" ? (5, .redirect(place)) : (4, .page(place)), visit)
        case .other where visit.mayBeIPad && link.bundle(onIPad: true) != nil:
            self.init(
                row: 6, way: .asking(iPad: link.onIOS(isIPad: true, withStore: true), other: link.elsewhere))
        default: self.init(row: 7, way: .redirect(link.elsewhere))
        }
    }

    /// The page leads on, so it does not come twice.
    private init(_ decided: (row: Int, way: Way), _ visit: DeepLinkVisit) {
        switch decided.way {
        case .page(let place) where visit.hasLeft: self.init(row: decided.row, way: .redirect(place))
        default: self.init(row: decided.row, way: decided.way)
        }
    }
}

extension DeepLink {
    func bundle(onIPad: Bool) -> String? { (onIPad ? self[.ipbi] : nil) ?? self[.ibi] }

    private func url(_ parameter: LinkParameter) -> Destination? {
        self[parameter].flatMap { try? WebURL($0) }.map(Destination.url)
    }

    fileprivate typealias Destination = DeepLinkAnswer.Destination

    /// Without the app.
    fileprivate func onAndroid(withStore: Bool) -> Destination {
        let store = withStore ? self[.apn].map(Destination.playStore) : nil
        return url(.afl) ?? store ?? url(.al) ?? .url(target)
    }

    func onIOS(isIPad: Bool, withStore: Bool) -> DeepLinkAnswer.Destination {
        let store = withStore ? self[.isi].map(Destination.appStore) : nil
        return (isIPad ? url(.ipfl) : nil) ?? url(.ifl) ?? store ?? .url(target)
    }

    fileprivate var elsewhere: Destination { url(.ofl) ?? .url(target) }
}
