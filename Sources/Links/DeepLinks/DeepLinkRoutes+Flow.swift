import HTTPTypes
import Hummingbird
import Kernel
import NIOCore
import Visits
import Web

extension DeepLinkRoutes {
    /// Answers `?d=1`, as Firebase had it: draws where the link leads whom. With `ua` it draws the way of
    /// that user agent. It is not a visit, so it does not count.
    func flow(
        _ request: Request, in domain: LinkDomain, _ rest: String, _ context: AppContext
    ) async throws -> Response {
        // Each picture and each step repeats the query, so it may not be long.
        guard (request.query.raw?.utf8.count ?? 0) <= 4_096 else {
            throw Problem.invalid("d", "explains links of up to 4,096 bytes")
        }
        let agent = try request.query.submitted("ua")
        var sent = request.query.dropping(["d", "ua"])
        // A form writes a space as +, which means itself in a link.
        if agent != nil { sent = sent?.replacing("+", with: "%20") }
        let query = Query(sent).dropping(["hl"])
        let outcome: Result<LinkResolution.Found, DeepLinkError>
        var given = LongLink.parameters(query) ?? []
        do throws(any Error) {
            let found = try await resolution.find(rest, query, in: domain, from: context.address)
            given = found.given
            outcome = .success(found)
        } catch let error as DeepLinkError {
            outcome = .failure(error)
        }
        let address = "\(domain.text)\(rest.isEmpty ? "/" : rest)"
        let page = DeepLinkFlowPage(
            url: query.map { "\(address)?\($0)" } ?? address, given: given, query: pairs(sent),
            outcome: outcome, agent: agent,
            visit: (try? outcome.get()).flatMap { found in
                agent.map { visit(UserAgent($0), found.link) }
            },
            language: request.language(among: flows.pages.languages))
        var response = Response.page(
            ByteBuffer(string: flows.html(page)), page.language,
            policy: flows.templates.contentSecurityPolicy, for: UserAgent(nil))
        if case .failure(let error) = outcome { response.status = error.problem.status }
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// Returns the first pairs as a form sends them again. Pairs that are not UTF-8 cannot be sent.
    private func pairs(_ query: String?) -> [(name: String, value: String)] {
        (query ?? "").split(separator: "&").prefix(100).compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0].utf8),
                let value = PercentEncoding.decode((parts.count == 2 ? parts[1] : "").utf8)
            else { return nil }
            return (name, value)
        }
    }
}
