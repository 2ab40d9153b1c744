import Counts
import Graph
import HTTPTypes
import Hummingbird
import Kernel
import Visits
import Web

extension ClickVisitor {
    /// Reads a visitor from a request. Nil if it comes from a program, is a HEAD, or nobody has opened
    /// the page.
    init?(_ request: Request, _ agent: UserAgent, _ address: ClientAddress?, _ countryHeader: String?) {
        guard request.method == .get, !request.isUnopened, !agent.isProgram else { return nil }
        self.init(
            platform: Click.Platform(agent), country: request.country(by: countryHeader), address: address,
            browser: agent.header)
        parts.add(.country, country)
        parts.add(.language, request.firstLanguage)
        parts.add(.referrer, request.referringHost)
        parts.add(.browser, Device(agent).inAppBrowser?.name)
        parts.add(.via, request.query.isScanned ? "qr" : nil)
    }
}

extension LandingRoutes {
    /// Counts the visit of an invite, for all of the user's invites and for this link.
    func count(
        _ events: [Click.Event], _ request: Request, of user: User.Profile, _ link: FoundLink?,
        _ context: AppContext
    ) async {
        let agent = UserAgent(request.headers[.userAgent])
        guard var visitor = ClickVisitor(request, agent, context.address, countryHeader) else { return }
        let hasCode = (try? request.query.value("code")) ?? nil != nil
        visitor.parts.add(
            .kind, link.map { $0.isPersonal ? "personal" : "custom" } ?? (hasCode ? nil : "name"))
        visitor.parts.add(.app, app)
        visitor.parts.addCampaign { (try? request.query.value($0)) ?? nil }
        await clicks.record(
            events, of: [.invites(of: User.ID(of: user.uid))] + (link.map { [.invite($0.link.code)] } ?? []),
            by: visitor)
    }
}
