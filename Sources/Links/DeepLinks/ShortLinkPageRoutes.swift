import Foundation
import HTTPTypes
package import Hummingbird
package import Kernel
import NIOCore
package import Pictures
package import Visits
package import Web

/// The route `/links/{code}+`: what a short link is and does, for people with an operator's key.
package struct ShortLinkPageRoutes {
    package let resolution: LinkResolution
    package let pages: ShortLinkPages
    package let pictures: PictureCache<QRPicture>
    package let store: ShortLinkStore
    package let clicks: ClickStore
    package let world: World

    package init(
        resolution: LinkResolution, pages: ShortLinkPages, pictures: PictureCache<QRPicture>,
        store: ShortLinkStore, clicks: ClickStore, world: World
    ) {
        self.resolution = resolution
        self.pages = pages
        self.pictures = pictures
        self.store = store
        self.clicks = clicks
        self.world = world
    }

    private enum Part {
        case page
        case qr(QRPicture.Format)
    }

    /// `GET /links/{code}+?domain=…&days=…` shows the page, and `GET /links/{code}+/qr.svg` and `qr.png` the
    /// QR code on it. They change nothing. A code may have several segments.
    @Sendable package func show(_ request: Request, context: CallerContext) async throws -> Response {
        let (code, part) = try place(in: context)
        let (row, domain) = try await row(of: code, request)
        switch part {
        case .page: return try await page(of: row, in: domain, days: request.statisticsDays(), request)
        case .qr(let format):
            let answer = try QRPictureResponse(format, request.query, icon: pages.app.icon)
            return try await answer.response(
                to: request, showing: "\(domain.text)/\(code.text)", from: pictures, for: context.address)
        }
    }

    /// Returns the row of a code in the named domain. If none is named, the first domain that has the code
    /// counts.
    private func row(
        of code: ShortLink.Code, _ request: Request
    ) async throws -> (ShortLinkStore.Row, LinkDomain) {
        let (name, domains) = (try request.query.value("domain"), resolution.domains)
        for domain in name == nil && !domains.isEmpty ? domains : [try domains.named(name)] {
            if let row = try await store.find(code, in: domain) { return (row, domain) }
        }
        throw Problem.shortLinkNotFound
    }

    private func place(in context: CallerContext) throws(Problem) -> (ShortLink.Code, Part) {
        let path = context.parameters.getCatchAll().joined(separator: "/")
        guard
            let parts = PercentEncoding.decode(path.utf8)?.split(
                separator: "+", omittingEmptySubsequences: false),
            parts.count == 2, let code = ShortLink.Code(String(parts[0]))
        else { throw .shortLinkNotFound }
        switch parts[1] {
        case "": return (code, .page)
        case "/qr.svg": return (code, .qr(.svg))
        case "/qr.png": return (code, .qr(.png))
        default: throw .shortLinkNotFound
        }
    }

    private func page(
        of row: ShortLinkStore.Row, in domain: LinkDomain, days: Int, _ request: Request
    ) async throws -> Response {
        async let use = clicks.countsAndSignUps(of: .short(domain, code: row.code.text), days: days)
        async let lastDay = clicks.lastDay()
        let language = request.language(among: pages.pages.languages)
        let (counts, signUps) = try await use
        let page = ShortLinkPage(
            row: row, domain: domain, found: try await resolution.find(ifAny: row, in: domain),
            isOver: row.expiresAt.map { $0 <= world.now() } ?? false,
            statistics: StatisticsResponse(counts, signUps, days: days, in: clicks.policy),
            lastDay: try await lastDay ?? "",
            query: request.query.dropping(["days"]), language: language)
        var response = Response.page(
            ByteBuffer(string: pages.html(page)), language, policy: pages.templates.contentSecurityPolicy,
            for: UserAgent(nil))
        response.headers[.cacheControl] = "no-store"
        return response
    }
}

extension LinkResolution {
    /// Returns what a short link leads to, whether it has expired or not. Nil if it leads nowhere.
    func find(ifAny row: ShortLinkStore.Row, in domain: LinkDomain) async throws -> Found? {
        do {
            return try await find(row, in: domain)
        } catch is DeepLinkError {
            return nil
        } catch let problem as Problem where problem.status == .notFound {
            return nil
        }
    }
}
