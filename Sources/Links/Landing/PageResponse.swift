import HTTPTypes
package import Hummingbird
import Visits
import Web

extension Response {
    /// Returns a redirect that is not cached, since the user may have another name tomorrow.
    package static func found(_ location: String) -> Response {
        Response(status: .found, headers: [.location: location, .cacheControl: "no-store"])
    }

    /// Returns a page for browsers.
    /// - Parameter policy: the `Content-Security-Policy` of its template.
    static func page(
        _ html: PageBytes, _ language: Language, policy: String, for agent: UserAgent
    ) -> Response {
        var response = Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .contentLanguage: language.tag,
                .vary: Languages.vary, .contentSecurityPolicy: policy, .referrerPolicy: "no-referrer",
            ],
            body: ResponseBody(byteBuffer: html))
        response.headers[.robotsTag] = robotsTag(for: agent)
        return response
    }

    /// Returns the header that keeps search engines from indexing the page. Telegram is known to show no
    /// preview of a page with the like in its HTML, so a fetcher of previews gets none.
    static func robotsTag(for agent: UserAgent) -> String? {
        agent.isPreviewFetcher ? nil : "noindex"
    }
}

extension Request {
    /// Returns the language by `?hl=`, or Facebook's `?fb_locale=`, or else by the header.
    func language(among languages: LandingLanguages) -> Language {
        let query = query
        let wish = (try? query.value("hl")) ?? (try? query.value("fb_locale"))
        return languages.languages.chosen(wish, acceptLanguage: headers[.acceptLanguage])
    }

    /// Whether nobody has opened the page: a browser looks ahead, or loads it as a part of another page, in a
    /// frame, as a picture, for a script.
    var isUnopened: Bool {
        Self.ahead.contains { headers[$0] != nil } || headers[.secFetchDest].map { $0 != "document" } == true
    }

    private static let ahead = [.secPurpose] + HTTPField.Name.ahead
}
