import Web

/// Where a deep link leads a visitor, as the API tells it.
struct LinkWay: Encodable, Sendable {
    let visitor: String
    /// Where they go, or go on to from the page. Nil for previews, which stay.
    let url: String?
    /// Whether they see a page first.
    let hasPage: Bool
    /// Whether a button of the page opens the app.
    let opensApp: Bool

    init(of visitor: DeepLinkVisitor, _ link: DeepLink, _ places: LinkURLs) {
        let visit = visitor.visit(isInvite: link.isInvite(places.links))
        self.visitor = visitor.rawValue
        switch DeepLinkDecision(to: visit, link, places.app).way {
        case .redirect(let place): (url, hasPage) = (places.url(of: place, for: link), false)
        case .page(let place), .asking(iPad: _, other: let place):
            (url, hasPage) = (places.url(of: place, for: link), true)
        case .preview: (url, hasPage) = (nil, true)
        }
        opensApp = hasPage && places.inApp(of: visitor, link) != nil
    }
}
