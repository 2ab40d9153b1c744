import HTTPTypes
package import Hummingbird
import Web

extension Response {
    /// A redirect that nobody keeps: the user may have another name tomorrow.
    package static func found(_ location: String) -> Response {
        Response(status: .found, headers: [.location: location, .cacheControl: "no-store"])
    }

    /// A page for browsers.
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

    /// Search engines keep out of their index what has this header. Telegram is known to show no preview of a page with the
    /// like in its HTML, so a fetcher of previews gets none.
    static func robotsTag(for agent: UserAgent) -> String? {
        agent.isPreviewFetcher ? nil : "noindex"
    }
}

extension Request {
    /// By `?hl=`, or Facebook's `?fb_locale=`, else by the header.
    func language(among languages: LandingLanguages) -> Language {
        let query = query
        let wish = (try? query.value("hl")) ?? (try? query.value("fb_locale"))
        return languages.languages.chosen(wish, acceptLanguage: headers[.acceptLanguage])
    }

    /// Whether a browser fetches what nobody has opened yet.
    var isAhead: Bool { Self.ahead.contains { headers[$0] != nil } }

    private static let ahead = [.secPurpose] + HTTPField.Name.ahead
}
