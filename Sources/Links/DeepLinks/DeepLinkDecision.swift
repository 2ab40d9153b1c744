import Visits
package import Web

/// Where a visitor of a deep link goes. A pure function decides by the table "Where a deep link leads" in
/// docs/deep-links.md.
package struct DeepLinkDecision: Hashable, Sendable {
    /// The row of the table.
    package let row: Int
    package let way: Way

    package enum Way: Hashable, Sendable {
        /// The visitor is redirected with a 302.
        case redirect(Destination)
        /// The visitor gets a page whose buttons open the app, or lead to this destination without it.
        case page(Destination)
        /// The visitor gets a page that finds out whether it is an iPad, and goes on by itself.
        case asking(iPad: Destination, other: Destination)
        /// A preview gets a page. No visitor gets there.
        case preview
    }

    /// The destination of a visitor.
    package enum Destination: Hashable, Sendable {
        case playStore(package: String)
        case appStore(id: String)
        case url(WebURL)
    }
}

/// A visit of a deep link.
package struct DeepLinkVisit: Hashable, Sendable {
    var device: Device
    var isIPad = false
    /// Whether the browser says Macintosh and Safari, as an iPad does too.
    var mayBeIPad = false
    var isPreviewFetcher = false
    /// Whether the target is a user's link.
    var isInvite = false
    /// Whether the visitor comes from our own page.
    var hasLeft = false
}

extension DeepLinkDecision {
    package init(to visit: DeepLinkVisit, _ link: DeepLink, _ app: AppListing) {
        let visitor = visit.visitor
        let end = visit.end(as: visitor, link, app)
        let place = link.destination(end)
        func asks(_ question: DeepLinkQuestion) -> Bool { visit.answer(question, link, app) == true }
        switch visitor {
        case .preview: self.init(row: 1, way: end == .preview ? .preview : .redirect(place))
        case .android where end != .elsewhere:
            // A visitor who comes from our own page does not get it again. iPhones are an exception, since
            // only there the page copies the link.
            let way: Way = asks(.isInAppBrowser) && !visit.hasLeft ? .page(place) : .redirect(place)
            self.init(row: asks(.isInAppBrowser) ? 2 : 3, way: way)
        case .iPhone where end != .elsewhere, .iPad where end != .elsewhere:
            let way: Way = asks(.skipsPage) ? .redirect(place) : .page(place)
            self.init(row: asks(.skipsPage) ? 5 : 4, way: way)
        case .mac where asks(.has([.ibi, .ipbi])):
            let onIPad = link.destination(visit.end(as: .iPad, link, app))
            self.init(row: 6, way: .asking(iPad: onIPad, other: place))
        default: self.init(row: 7, way: .redirect(place))
        }
    }
}

extension DeepLink {
    func bundle(onIPad: Bool) -> String? { (onIPad ? self[.ipbi] : nil) ?? self[.ibi] }
}

extension DeepLinkVisit {
    var visitor: DeepLinkVisitor {
        switch device.system {
        case _ where isPreviewFetcher: .preview
        case .android: .android
        case .iOS: isIPad ? .iPad : .iPhone
        case .other: mayBeIPad ? .mac : .computer
        }
    }

    /// Returns the answer to a question. Nil if nobody can tell.
    func answer(_ question: DeepLinkQuestion, _ link: DeepLink, _ app: AppListing) -> Bool? {
        switch question {
        case .has(let parameters): parameters.contains { link[$0] != nil }
        case .hasAppStore: link[.isi] != nil && !app.isTooNew(for: device)
        case .isNewEnough: !app.isTooNew(for: device)
        case .isInAppBrowser: device.inAppBrowser != nil
        case .skipsPage: link[.efr] == "1"
        case .isUntitledInvite: isInvite && link[.st] == nil
        case .isIPad: nil
        }
    }

    /// Returns where the way of a visitor ends.
    func end(as visitor: DeepLinkVisitor, _ link: DeepLink, _ app: AppListing) -> DeepLinkEnd {
        for step in visitor.steps {
            guard let end = step.end else { continue }
            if answer(step.question, link, app) == step.ending { return end }
        }
        return visitor.last
    }
}

extension DeepLink {
    func destination(_ end: DeepLinkEnd) -> DeepLinkDecision.Destination {
        switch end {
        case .playStore: self[.apn].map(DeepLinkDecision.Destination.playStore) ?? .url(target)
        case .appStore: self[.isi].map(DeepLinkDecision.Destination.appStore) ?? .url(target)
        case .parameter(let parameter): url(parameter)
        case .elsewhere: url(.ofl)
        case .preview: .url(target)
        }
    }

    private func url(_ parameter: LinkParameter) -> DeepLinkDecision.Destination {
        .url(self[parameter].flatMap { try? WebURL($0) } ?? target)
    }
}
