import Foundation
import Graph
import Kernel
import Links
import Web

/// Deep links.
extension LinkExplainer {
    func deepLink(
        _ url: WebURL, _ domain: LinkDomain, _ rest: String, _ app: LinkResolution,
        _ explanation: inout Explanation
    ) async throws -> Walk {
        var step = Explanation.Step(url: url.text, table: .deepLink, because: "")
        var linked = Explanation.Linked(domain: domain.text, parameters: [:], leftOut: [], ways: [])
        defer { explanation.deepLink = explanation.deepLink ?? linked }
        guard let given = try await given(rest, url.query, domain, app, &linked, &step) else {
            step.status = 404
            return (step, nil)
        }
        linked.parameters = Dictionary(given.map { ($0.name, $0.value) }) { $1 }
        do {
            let (link, warnings) = try DeepLink.read(given, for: app.project, isStrict: false)
            linked.leftOut = warnings.map { .init(parameter: $0.parameter, why: $0.message) }
            linked.target = link.target.text
            return try await follow(url, of: explanation.url, app, link, &step, &linked)
        } catch let error as DeepLinkError {
            step.because = "It leads nowhere: \(error.problem.detail)"
            step.status = error.problem.statusCode
            return (step, nil)
        }
    }

    /// Returns the parameters of the link. Nil if there is no link; then the step says why.
    private func given(
        _ rest: String, _ query: String?, _ domain: LinkDomain, _ app: LinkResolution,
        _ linked: inout Explanation.Linked, _ step: inout Explanation.Step
    ) async throws -> [(name: String, value: String)]? {
        if ["", "/"].contains(rest) {
            step.because = "A long link says by `link` where it leads, and this one has none."
            return LongLink.parameters(query)
        }
        guard let code = ShortLink.Code(inLink: rest.dropFirst()),
            let row = try await app.store.find(code, in: domain)
        else {
            step.because = "The domain has no such code."
            return nil
        }
        (linked.code, linked.expiresAt) = (code.text, row.expiresAt)
        if try await app.store.findInForce(code, in: domain) == nil {
            step.because = "The short link has expired."
            return nil
        }
        return row.parameters.map { (name: $0.key, value: $0.value) }
    }

    private func follow(
        _ url: WebURL, of text: String, _ app: LinkResolution, _ link: DeepLink,
        _ step: inout Explanation.Step,
        _ linked: inout Explanation.Linked
    ) async throws -> Walk {
        var link = link
        do {
            guard let found = try await app.find(url, of: text, from: nil) else { return (step, nil) }
            link = found.link
        } catch let problem as Problem {
            step.status = problem.statusCode
            guard app.links.reference(in: link.target.text, of: text) != .unrecognised else {
                step.because = "Its target has a user's name alone, and a uid stands outside of it."
                return (step, nil)
            }
            // The target is a user's link, which the next step explains.
            step.because = "Its target leads to nobody."
            return (step, link.target.text)
        }
        linked.target = link.target.text
        let places = LinkURLs(links: app.links, app: listing)
        let isInvite = link.isInvite(app.links)
        linked.ways = [DeepLinkVisitor.iPhone, .iPad, .android, .computer].map { visitor in
            let answer = DeepLinkDecision(to: visitor.visit(isInvite: isInvite), link, listing)
            let (status, place) = answer.way.ends
            return .init(
                visitor: visitor.name, row: answer.row, status: status,
                location: place.map { places.url(of: $0, for: link) } ?? link.target.text)
        }
        if let computer = linked.ways.last {
            (step.row, step.status, step.location) = (computer.row, computer.status, computer.location)
        }
        step.because = "On a computer; phones go where the facts below say."
        return (step, isInvite ? link.target.text : nil)
    }
}

extension DeepLinkDecision.Way {
    /// The status of the answer, and the destination in the end.
    fileprivate var ends: (Int, DeepLinkDecision.Destination?) {
        switch self {
        case .redirect(let place): (302, place)
        case .page(let place), .asking(_, other: let place): (200, place)
        case .preview: (200, nil)
        }
    }
}

extension DeepLinkVisitor {
    fileprivate var name: String {
        switch self {
        case .iPhone: "iPhone"
        case .iPad: "iPad"
        case .android: "Android"
        case .mac: "Mac"
        case .computer: "computer"
        case .preview: "preview"
        }
    }
}
