import Graph
import HTTPTypes
import Hummingbird
import Kernel
import Web

extension ClickVisitor {
    /// Reads a visitor from a request. Nil if it comes from a program, is a HEAD, or nobody has opened
    /// the page.
    init?(_ request: Request, _ agent: UserAgent, _ address: ClientAddress?, _ policy: ClickPolicy) {
        guard request.method == .get, !request.isUnopened, !agent.isProgram else { return nil }
        self.init(
            platform: Click.Platform(agent),
            country: request.country(by: policy.countryHeader), address: address,
            browser: agent.header)
    }
}

extension LandingRoutes {
    /// Counts the visit of an invite, for all of the user's invites and for this link.
    /// - Parameter isSentOn: whether no page is shown.
    func count(
        _ request: Request, of user: User.Profile, _ code: Invite.Code?, isSentOn: Bool, _ context: AppContext
    ) async {
        let agent = UserAgent(request.headers[.userAgent])
        guard let visitor = ClickVisitor(request, agent, context.address, clickPolicy) else { return }
        let all = ClickedLink.invites(of: User.ID(of: user.uid))
        await clicks.record(
            [isSentOn ? .redirect : .page],
            of: [all] + [code.map(ClickedLink.invite)].compactMap(\.self),
            by: visitor)
    }
}
