package import Hummingbird
package import Kernel
import LinkTools
import Visits
import Web

extension ShortLinkRoutes {
    /// The parameters of a link that say how it looks when it is shared, and whether it has a page then.
    private static let ofPreviews: [LinkParameter] = [.link, .st, .sd, .si, .ofl]
    package static let previewParameters = ["domain"] + ofPreviews.map(\.rawValue)

    /// `GET /v1/link-preview?link&st&sd&si&ofl&domain` tells how networks will show a link, made or not, by
    /// the tags of the page that they get. It fetches nothing.
    @Sendable package func preview(
        _ request: Request, context: CallerContext
    ) async throws -> LinkPreviewResponse {
        let domain = try domain(named: request.query.value("domain"))
        var given: [String: String] = [:]
        for parameter in Self.ofPreviews {
            given[parameter.rawValue] = try request.query.value(parameter.rawValue)
        }
        let (link, warnings) = try read(given, in: "")
        let visit = DeepLinkVisitor.preview.visit(isInvite: link.isInvite(places.links))
        let way = DeepLinkDecision(to: visit, link, places.app).way
        if case .redirect(let place) = way {
            return LinkPreviewResponse(elsewhere: places.url(of: place, for: link), warnings)
        }
        let url = "\(domain.text)/"
        let page = DeepLinkPage(
            link: link, url: url, visit: visit, way: way,
            language: request.language(among: pages.pages.languages))
        return LinkPreviewResponse(PreviewForecast(html: pages.html(page), at: url), warnings)
    }
}
