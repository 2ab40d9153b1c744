package import Kernel
import Visits
import Web

/// The page of `kith dev` that shows what each device gets.
package struct DevicesPages {
    package let pages: LandingPages
    /// The systems on which links open the app.
    package let platforms: Set<AppPlatform>

    package init(pages: LandingPages, platforms: Set<AppPlatform>) {
        self.pages = pages
        self.platforms = platforms
    }

    var templates: Templates { .devices }

    /// A visitor, and the page that they would get.
    struct Visit {
        var visitor: SampleVisitor
        var page: LandingPage
    }

    /// - Parameter agent: the user agent that the form shows.
    func html(_ visits: [Visit], agent: String) -> String {
        let link = visits.first?.page.url ?? ""
        return templates.render(
            .devices,
            [
                "appName": pages.app.name, "link": link, "agent": agent,
                "visitors": visits.enumerated().map { number, visit in
                    values(visit).merging(["number": number]) { $1 }
                },
            ])
    }

    private func values(_ visit: Visit) -> [String: Any] {
        let decision = visit.page.decision
        let texts = pages.texts(visit.page.language).with([.name: visit.page.name])
        var values: [String: Any] = [
            "name": visit.visitor.name, "row": decision.row, "isRedirect": decision.isRedirect,
            "opens": opensApp(visit), "installed": installed(visit), "offers": offers(visit, texts),
        ]
        values["needs"] = decision.needs.map { texts(.needs, [.system: $0]) }
        return values
    }

    /// Returns what the page offers, with what its script adds on phones, and on an iPad that calls itself a
    /// Mac.
    private func offers(_ visit: Visit, _ texts: LandingTexts) -> [[String: String]] {
        let (page, shape) = (visit.page, PageShape(visit.page, pages.app))
        let isComputer = !shape.isPhone && visit.visitor.platform == nil
        var offers: [[String: String]] = []
        if isComputer {
            offers = [["offer": texts(.scan), "offerURL": page.qrURL], ["offer": texts(.copy)]]
        }
        for (number, offer) in page.decision.offers.enumerated() {
            let text = texts(offer.text(isFirst: number == 0))
            offers.append(["offer": text, "offerURL": pages.url(of: offer, on: page)])
            if offer == .appStore, shape.canSave, !isComputer { offers.append(["offer": texts(.save)]) }
        }
        if shape.opensOnPad, !isComputer { offers.append(["offer": texts(.hasApp)]) }
        return offers
    }

    private func opensApp(_ visit: Visit) -> Bool {
        guard let platform = visit.visitor.platform, platforms.contains(platform) else { return false }
        let path = visit.page.url.split(separator: "?")[0].split(separator: "/").dropFirst(2).map { "/\($0)" }
        return visit.page.device.inAppBrowser == nil
            && OpenedPaths.opens(path.joined(), for: platform == .ios ? .apple : .google)
    }

    /// Returns what happens if the app is installed.
    private func installed(_ visit: Visit) -> String {
        if opensApp(visit) { return "The system opens the app, and asks no server." }
        if visit.page.device.inAppBrowser != nil {
            return "The same: browsers inside apps open no other app by its links."
        }
        guard let platform = visit.visitor.platform else { return "The same: there is no app for it." }
        return "The same: no association file names the app for \(platform == .ios ? "iOS" : "Android")."
    }
}
