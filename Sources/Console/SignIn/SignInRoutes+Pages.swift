import HTTPTypes
package import Hummingbird
import Kernel
import NIOCore
package import Web

/// Answers of the console, as pages.
extension SignInRoutes {
    /// Returns the page for a problem. Nil if it is better told as JSON.
    @Sendable package func page(of problem: Problem, _ request: Request, id: String) -> Response? {
        // A page that asks for a picture of the API wants to know what is wrong with it.
        guard request.headers[.accept] != "application/json" else { return nil }
        let texts = texts(request)
        let (toSignIn, toStart) = (
            (href: "/sign-in", label: texts.toSignIn), (href: "/", label: texts.toStart)
        )
        let notice: SignInPages.Notice =
            switch (problem.status, problem.code) {
            case (_, "cross_site"): .init(message: texts.crossSite, links: [toStart])
            case (.unauthorized, _): .init(message: texts.signIn, links: [toSignIn])
            case (.forbidden, _): .init(message: texts.notAllowed, links: [toStart])
            case (.notFound, _), (.gone, _), (.methodNotAllowed, _):
                .init(message: texts.notFound, links: [toStart])
            case (.tooManyRequests, _): .init(message: texts.tooMany, links: [toSignIn])
            case (let status, _) where status.kind == .clientError:
                .init(message: .init(title: texts.broken.title, sentence: problem.detail), links: [toStart])
            default: .init(message: texts.broken, links: [toStart], requestID: id)
            }
        var response = page(request, status: problem.status) { pages.notice($0, notice) }
        for field in problem.headerFields { response.headers[field.name] = field.value }
        return response
    }

    func page(refusal why: SignInRefusal, _ request: Request) -> Response {
        let texts = texts(request)
        let toSignIn = (href: "/sign-in", label: texts.toSignIn)
        return page(request, status: .forbidden) {
            pages.notice($0, .init(message: texts.refusals[why] ?? texts.refused, links: [toSignIn]))
        }
    }

    /// Returns the page that says that the provider is away, with the way to try again.
    func pageOfAwayProvider(_ request: Request, _ path: ReturnPath) -> Response {
        let texts = texts(request)
        let again = pages.start(texts, path).map { (href: $0.href, label: texts.tryAgain) }
        var response = page(request, status: .serviceUnavailable) {
            pages.notice(
                $0,
                .init(message: texts.away, links: again + [(href: "/sign-in", label: texts.toSignIn)]))
        }
        response.headers[.retryAfter] = "60"
        return response
    }

    func page(
        _ request: Request, status: HTTPResponse.Status = .ok, _ html: (SignInTexts) -> String
    ) -> Response {
        let texts = texts(request)
        return Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .contentLanguage: texts.tag,
                .vary: Languages.vary, .cacheControl: "no-store", .referrerPolicy: "same-origin",
                .robotsTag: "noindex", .contentSecurityPolicy: Templates.console.contentSecurityPolicy,
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html(texts))))
    }

    private func texts(_ request: Request) -> SignInTexts {
        let wish = ((try? request.query.value("hl")) ?? nil) ?? request.cookie(Words.cookie)
        return .of(SignInTexts.languages.chosen(wish, acceptLanguage: request.headers[.acceptLanguage]))
    }
}

extension Response {
    /// Returns the way to another page after a form, which the browser asks for by GET.
    static func seeOther(_ location: String) -> Response {
        Response(
            status: .seeOther,
            headers: [.location: location, .cacheControl: "no-store", .referrerPolicy: "no-referrer"])
    }
}
