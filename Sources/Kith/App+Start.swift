import HTTPTypes
import Hummingbird
import Kernel
import Links
import Logging
import NIOCore
import Web

/// The page `/` of the host of links.
extension App {
    var startRoutes: StartRoutes {
        StartRoutes(
            home: isForDevelopment ? nil : front.app.home(besides: config.server.linkURL),
            page: StartPages(appName: front.app.name, steps: StartPages.steps(of: self)))
    }

    /// Logs what the settings leave out. It does not if apps were applied, since then the settings may have
    /// no app of their own.
    func logGaps(_ logger: Logger, beside applied: App) {
        guard applied.linksByApp.count == 1 else { return }
        for gap in config.gaps {
            logger.warning(
                "\(gap.effect): set \(gap.settings)", metadata: ["settings": "\(gap.settings)"])
        }
    }
}

struct StartRoutes {
    /// The operator's page about the app.
    let home: String?
    let page: StartPages

    /// `GET /` redirects to `KITH_APP_URL`. `kith dev`, and a server whose app nobody has set up, say what to
    /// do next.
    @Sendable func show(_ request: Request, context: AppContext) async throws -> Response {
        if let home { return .found(home) }
        guard !page.steps.isEmpty else { throw Problem.notFound() }
        let isBrowser = HeaderList(request.headers, .accept).accepts("text/html")
        return Response(
            status: .ok,
            headers: [
                .contentType: isBrowser ? "text/html; charset=utf-8" : "text/plain; charset=utf-8",
                .vary: "Accept", .cacheControl: "no-store", .referrerPolicy: "no-referrer",
                .robotsTag: "noindex", .contentSecurityPolicy: Templates.start.contentSecurityPolicy,
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: isBrowser ? page.html : page.text)))
    }
}
