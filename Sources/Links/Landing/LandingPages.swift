import Visits
package import Web

/// The HTML of the landing page and of the error pages.
package struct LandingPages: Sendable {
    package let languages: LandingLanguages
    let app: AppListing
    private let templates: Templates
    private let values: PageValues
    /// The outlines used so far: of the thousands that there could be, most visitors get the same few.
    private let outlines = RecentCache<PageShape, PageOutline<PageSlot>>(most: 1000)
    private let errorOutlines = RecentCache<ErrorShape, PageOutline<ErrorSlot>>(most: 1000)

    package init(app: AppListing, templates: Templates, languages: LandingLanguages) {
        (self.app, self.templates, self.languages) = (app, templates, languages)
        values = PageValues(app: app, languages: languages)
    }

    enum ErrorPage: CaseIterable {
        case notFound
        /// The link once worked.
        case gone
        /// The service has closed.
        case closed
        /// There are too many requests, or Kith cannot answer now.
        case tryAgain
        /// The page is an operator's, and there is no key that may see it.
        case needsKey
    }

    /// Returns an error page. All come from one outline, so that one not-found page cannot be told from
    /// another.
    /// - Parameters:
    ///   - isClosed: whether the service has closed.
    ///   - requestID: the request's id. Only `tryAgain` shows it, where an operator can help.
    func error(
        _ page: ErrorPage, _ language: Language, _ device: Device = .unknown, isClosed: Bool = false,
        requestID: String
    ) -> PageBytes {
        let shape = ErrorShape(
            page: page, language: language,
            offers: LandingDecision(toNobodyOn: device, app, isClosed: isClosed).offers)
        let outline = errorOutlines.value(at: shape) {
            PageOutline(rendered: templates.render(.error, values.of(shape)))
        }
        return outline.filled { _ in requestID }
    }

    /// Returns where a button leads.
    func url(of offer: LandingButton, on page: LandingPage) -> String { values.url(of: offer, page) }

    /// Returns the texts, with what is the same on all pages of the app filled in.
    func texts(_ language: Language) -> LandingTexts { values.texts(language) }

    /// Returns the values that every page has.
    func common(_ language: Language) -> [String: Any] { values.common(language) }

    /// Adds what a page says before the last day of the service has ended.
    func addClosing(_ language: Language, to page: inout [String: Any]) {
        values.addClosing(language, to: &page)
    }

    func landing(_ page: LandingPage) -> PageBytes {
        let shape = PageShape(page, app)
        let outline = outlines.value(at: shape) {
            PageOutline(rendered: templates.render(.landing, values.of(shape)))
        }
        return outline.filled { values.text($0, page) }
    }
}

/// What decides the text of an error page.
struct ErrorShape: Hashable {
    var page: LandingPages.ErrorPage
    var language: Language
    var offers: [LandingButton]
}

/// The properties of a page that decide which parts of the template it has.
struct PageShape: Hashable {
    var kind: LandingPage.Kind
    var language: Language
    /// Whether the title says that the person invites, which a name alone does not prove.
    var hasInviteTitle: Bool
    var isPhone: Bool
    var isInAppBrowser: Bool
    /// Whether the page offers to copy the invite, for an app that comes from a store which carries nothing.
    var canSave: Bool
    /// Whether the page may be on an iPad that calls itself a Mac, where the app can be opened although it
    /// cannot on a computer.
    var opensOnPad: Bool
    var offers: [LandingButton]
    /// Whether the first button stands out from the others. It does not beside the QR code.
    var leads: Bool
    var needs: String?
    var hasDisplayName: Bool
    var hasAvatar: Bool
    var hasFriends: Bool
    var isLong: Bool
    var opensApp: Bool
    var hasLabel: Bool
    var hasNote: Bool
    var hasTimeLeft: Bool
    var hasPlacesLeft: Bool
    var changes: LandingChanges

    init(_ page: LandingPage, _ app: AppListing) {
        opensApp = app.opening(page.openURL) != nil
        (offers, needs) = (page.decision.offers, page.decision.needs)
        (kind, language, changes) = (page.kind, page.language, page.changes)
        (isPhone, isInAppBrowser) = (page.device.system != .other, page.device.inAppBrowser != nil)
        hasInviteTitle = page.kind != .profile && !page.isByNameOnly
        canSave =
            page.kind != .profile && page.device.system != .android && app.appStoreURL != nil && needs == nil
        opensOnPad =
            !isPhone && opensApp && app.appStoreURL != nil && !offers.contains(.app)
        leads = isPhone || offers.first != .appStore && offers.first != .playStore
        (hasDisplayName, isLong) = (
            page.visibleDisplayName != nil, page.name.utf8.count > 24 && page.name.count > 24
        )
        (hasAvatar, hasFriends) = (page.avatarUrl != nil, page.friends != nil)
        (hasLabel, hasNote) = (page.terms.label != nil, page.terms.note != nil)
        (hasTimeLeft, hasPlacesLeft) = (page.terms.timeLeft != nil, page.terms.placesLeft != nil)
    }
}
