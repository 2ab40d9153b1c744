import Crypto
package import Foundation
import HTTPTypes
package import Hummingbird
package import Kernel
import NIOCore
package import Web

/// The pages on which people work who run the service. Each shows calls of the API, which it makes as the
/// person who looks at it.
package struct ConsoleRoutes: Sendable {
    private let door: ConsoleDoor
    private let sessions: SessionStore
    private let world: World
    private let zone: TimeZone
    private let appName: String
    private let calls: RouteIndex
    private let respond: @Sendable (Request, AppContext) async throws -> Response
    private let pages: [ConsolePage]

    /// - Parameter routes: the calls of the API that operators may make.
    /// - Parameter showsKit: whether there is a page of the kit, too.
    /// - Parameter respond: answers them.
    package init(
        door: ConsoleDoor, sessions: SessionStore, world: World, zone: TimeZone, appName: String,
        routes: [Route], showsKit: Bool = false,
        respond: @escaping @Sendable (Request, AppContext) async throws -> Response
    ) {
        (self.door, self.sessions, self.world, self.zone) = (door, sessions, world, zone)
        (self.appName, self.respond, calls) = (appName, respond, RouteIndex(routes.map(\.rules)))
        pages = Self.pages + (showsKit ? KitPages.all : [])
    }

    /// Every page, by area.
    static let pages: [ConsolePage] =
        HomePages.all + NumberPages.all + LinkPages.all + ManyLinkPages.all + InvitePages.all
        + InviteTreePages.all
        + PeoplePages.all + UpdatePages.all
        + ExperimentPages.all + TestDevicePages.all + RewardPages.all + OfferCodePages.all + StagePages.all
        + HostPages.all + WebhookPages.all
        + EventPages.all + ChangePages.all
        + AccessPages.all + KeyPages.all + ItemPages.all

    /// The routes of the pages and of what they look like.
    package var routes: [Route] {
        let assets = Asset.all.map { asset in
            Route.page(asset.path) { request, context in asset.response(to: request) }
        }
        return assets
            + pages.flatMap { page in
                [page.path, page.namedPath].compactMap(\.self).flatMap { routes(of: page, at: $0) }
            }
    }

    private func routes(of page: ConsolePage, at path: String) -> [Route] {
        let shown = Route.page(path) { request, context in try await show(page, request, context) }
        guard !page.acts.isEmpty else { return [shown] }
        return [shown, Route.form(path) { request, context in try await submit(page, request, context) }]
    }

    // MARK: What a page is answered

    private func show(_ page: ConsolePage, _ request: Request, _ context: AppContext) async throws -> Response
    {
        guard let session = try await door.session(of: request) else { return toSignIn(request) }
        let asked = pageRequest(page, session, request, context)
        var response = try await answer(page, asked, request)
        if !asked.value("hl").isEmpty {
            let chosen = "\(Words.cookie)=\(asked.words.language)"
            response.headers[.setCookie] = "\(chosen); Path=/; Max-Age=31536000; SameSite=Lax"
        }
        return response
    }

    private func submit(_ page: ConsolePage, _ request: Request, _ context: AppContext) async throws
        -> Response
    {
        try door.requireOwnPage(request)
        let session = try await door.session(of: request)
        // Who may do nothing there must not take the room of large bodies.
        let mayAct = page.acts.contains { calls.may($0.call, session?.roles ?? []) }
        let body = try await request.body(mayAct ? .form : .usual)
        guard let text = String(validating: body.readableBytesView, as: UTF8.self),
            let entries = Entries(text)
        else {
            throw Problem.malformedBody("is not a form in UTF-8")
        }
        guard let session else { return keep(entries, request, .ended) }
        var asked = pageRequest(page, session, request, context)
        guard let act = page.acts.first(where: { $0.name == entries["act"] }) else {
            throw Problem.notFound()
        }
        guard asked.mayCall(act.call) else { throw Self.otherRole }
        // Somebody signed in anew since the form was made: they see again what they send.
        guard entries["token"] == asked.token else {
            asked.refused = (act.name, entries, nil)
            return try await answer(page, asked, request, notice: asked.words["kit.sendAgain"])
        }
        if entries.isToBeAsked {
            return response(frame(asked.question(of: entries), page, asked, nil), .ok, asked.words)
        }
        do {
            switch try await act.run(asked, entries) {
            case .done(let key, let path):
                return seeOther(path + (path.contains("?") ? "&" : "?") + "done=\(key)")
            case .page(let made):
                return response(frame(made, page, asked, nil), .ok, asked.words)
            case .again:
                asked.refused = (act.name, entries, nil)
                return try await answer(page, asked, request)
            case .file(let answer): return answer.file
            }
        } catch let problem as APIProblem where problem.code == "sign_in_stale" {
            return keep(entries, request, .stale)
        } catch let problem as APIProblem {
            asked.refused = (act.name, entries, problem)
            return try await answer(page, asked, request, status: .init(code: problem.status))
        }
    }

    private func answer(
        _ page: ConsolePage, _ asked: PageRequest, _ request: Request, status: HTTPResponse.Status = .ok,
        notice: String? = nil
    ) async throws -> Response {
        guard asked.mayCall(page.call) else {
            throw Self.otherRole
        }
        do {
            let made = try await page.make(asked)
            // A link elsewhere cannot say that something was done.
            let isOwnWay = ["same-origin", nil].contains(request.headers[.secFetchSite])
            let done = isOwnWay ? asked.words.text(ifAny: "done.\(asked.value("done"))") : nil
            return response(frame(made, page, asked, notice ?? done), status, asked.words)
        } catch let problem as APIProblem {
            throw Problem(.init(code: problem.status), problem.code, problem.text(asked.words))
        }
    }

    private func pageRequest(
        _ page: ConsolePage, _ session: PersonSession, _ request: Request, _ context: AppContext
    ) -> PageRequest {
        let path = request.uri.path
        let name = path == page.namedPath ? ((try? request.query.value(PagePath.name)) ?? nil) ?? "" : nil
        return PageRequest(
            session: session, words: words(request), api: ConsoleAPI(respond, for: request, context),
            now: world.now(), query: request.query,
            path: path.appending(query: [PagePath.name: name]), parameters: context.parameters, name: name,
            mayCall: { [calls, roles = session.roles] in calls.may($0, roles) }, acts: page.acts,
            token: token(of: request), newOnce: { Base64URL.encode(world.randomBytes(16)) })
    }

    private func frame(_ made: Page, _ page: ConsolePage, _ asked: PageRequest, _ notice: String?) -> String {
        let areas = Area.allCases.filter { area in
            pages.contains { $0.path == area.path && asked.mayCall($0.call) }
        }
        return PageFrame(
            page: made, area: page.area, areas: areas, appName: appName, session: asked.session,
            words: asked.words, calls: asked.api.calls, notice: notice, path: asked.path, token: asked.token
        ).html
    }

    private func response(_ html: String, _ status: HTTPResponse.Status, _ words: Words) -> Response {
        Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .contentLanguage: words.language,
                .vary: "Accept-Language, Cookie",
                .cacheControl: "no-store", .referrerPolicy: "same-origin", .robotsTag: "noindex",
                .contentSecurityPolicy: PageFrame.contentSecurityPolicy,
            ], body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    private func words(_ request: Request) -> Words {
        let wish = ((try? request.query.value("hl")) ?? nil) ?? request.cookie(Words.cookie)
        return Words.chosen(wish: wish, acceptLanguage: request.headers[.acceptLanguage], zone: zone)
    }

    /// The token of the session's forms: whoever has the session's secret can make it, and nobody gets the
    /// secret from it.
    private func token(of request: Request) -> String {
        let secret = door.secret(of: request)?.text ?? ""
        return Base64URL.encode(Array(SHA256.hash(data: Array("form \(secret)".utf8))))
    }

    private static let otherRole = Problem(.forbidden, "forbidden", "This needs another role.")

    private func toSignIn(_ request: Request) -> Response {
        let path = PercentEncoding.encode(request.uri.string)
        return seeOther(path == "%2F" ? "/sign-in" : "/sign-in?returnTo=\(path)")
    }

    private func seeOther(_ location: String) -> Response {
        Response(
            status: .seeOther,
            headers: [.location: location, .cacheControl: "no-store", .referrerPolicy: "same-origin"])
    }

    /// Answers a form whose session has ended or is too old for it: the page shows what was entered, so that
    /// nothing is lost, and sends it again once the person has signed in beside it.
    private func keep(_ entries: Entries, _ request: Request, _ why: KeptForm.Reason) -> Response {
        let (words, form) = (words(request), KeptForm(entries: entries, path: request.uri.string, why: why))
        return response(form.html(words), why == .ended ? .unauthorized : .forbidden, words)
    }
}

/// Which calls there are, and who may make them.
struct RouteIndex: Sendable {
    private let routes: [String: RouteRules]

    init(_ routes: [RouteRules]) {
        self.routes = Dictionary(routes.map { ("\($0.method.rawValue) \($0.path)", $0) }) { first, _ in first
        }
    }

    /// Whether one of these roles may make a call, written as `GET /v1/links/{code}`.
    func may(_ call: String, _ roles: Set<Role>) -> Bool {
        guard case .keys(let scopes) = routes[call]?.callers else { return false }
        return roles.contains { scopes.contains(APIKey.Scope($0)) }
    }

}
