import Foundation
package import Graph
import Kernel
package import Links
import Web

/// Explains a link to an operator. It asks what pages and apps ask, follows the redirects, and looks up the
/// reasons.
package struct LinkExplainer: Sendable {
    /// Links and deep links of each app. Those of the app that answers come first.
    package let apps: [LinkResolution]
    package let links: InviteLinks
    package let proof: InviteProof
    package let listing: AppListing
    package let store: ExplanationStore

    package init(
        apps: [LinkResolution], links: InviteLinks, proof: InviteProof, listing: AppListing,
        store: ExplanationStore
    ) {
        self.apps = apps
        self.links = links
        self.proof = proof
        self.listing = listing
        self.store = store
    }

    /// The most steps. A user's link leads on once, a short code and a deep link to a user's link.
    private static let mostSteps = 5

    /// A step, and the URL of the next one.
    typealias Walk = (step: Explanation.Step, next: String?)

    /// Explains a link in a text. Nil if the text has no URL of this server, not even a wrapped one.
    package func explain(_ text: String) async throws -> Explanation? {
        for url in InviteLinks.texts(of: text) {
            if let explanation = try await explain(link: url) { return explanation }
        }
        return nil
    }

    private func explain(link url: String) async throws -> Explanation? {
        var explanation = Explanation(url: url)
        var next: String? = url
        while let url = next, explanation.steps.count < Self.mostSteps {
            guard let walk = try await step(url, &explanation) else { break }
            explanation.steps.append(walk.step)
            next = walk.next
        }
        guard !explanation.steps.isEmpty else { return nil }
        try await judge(reference(in: explanation), &explanation)
        return explanation
    }

    /// Explains a code, or a name and a uid, as if they stood in a link.
    func explain(_ code: Invite.Code) async throws -> Explanation? { try await explain(links.short(code)) }

    func explain(_ name: Username.Key, invitedBy uid: User.UID?) async throws -> Explanation? {
        let query = uid.map { "?invitedBy=\(PercentEncoding.encode($0.text))" } ?? ""
        return try await explain("\(links.origin)/users/\(PercentEncoding.encode(name.text))\(query)")
    }

    private func step(_ url: String, _ explanation: inout Explanation) async throws -> Walk? {
        for app in apps {
            guard let web = try? WebURL(url), let (domain, rest) = app.domains.having(web) else { continue }
            return try await deepLink(web, domain, rest, app, &explanation)
        }
        for app in apps {
            for links in [app.links] + app.links.others {
                guard let web = links.ownURL(of: url) else { continue }
                return try await page(web, links, app.facts, &explanation)
            }
        }
        guard let inner = links.wrapped(in: url) else { return nil }
        return (.init(url: url, because: "It wraps another link, which apps read in its place."), inner)
    }

    /// The parts of a path that may follow a user's link.
    private static let branches = ["qr.svg", "qr.png", "card.jpg", "app-store", "play-store"]

    private func page(
        _ web: WebURL, _ links: InviteLinks, _ facts: LinkFactsStore, _ explanation: inout Explanation
    ) async throws -> Walk {
        let (url, path) = (web.text, web.path.split(separator: "/").map(String.init))
        let query = Query(web.query)
        let isVanity = path.count == 1 && path[0].hasPrefix("@")
        do {
            switch (path.count, path.first) {
            case (2, "users"):
                let link = try UserLink(segment: path[1], query)
                return try await userPage(url, link, links, facts, &explanation)
            case (1, _) where isVanity:
                return try await vanity(url, String(path[0].dropFirst()), query, links, facts, &explanation)
            case (1, let code?): return try await short(url, code, query, links, &explanation)
            case (3, "users") where Self.branches.contains(path[2]),
                (2, _) where Self.branches.contains(path[1]):
                let stem = web.path.split(separator: "/").dropLast().joined(separator: "/")
                return (
                    .init(url: url, because: "It is a picture of the next link, or its way to a store."),
                    "\(links.origin)/\(stem)\(web.query.map { "?\($0)" } ?? "")"
                )
            case (0, _):
                return (
                    .init(
                        url: url,
                        because: "It is the start page: it leads to the app's, if KITH_APP_URL names one."),
                    nil
                )
            default:
                return (.init(url: url, because: "No link of a user has such a path.", status: 404), nil)
            }
        } catch let problem as Problem {
            // The page itself would answer this, for instance for a uid that is given twice.
            return (.init(url: url, because: problem.detail, status: problem.statusCode), nil)
        }
    }

    private func userPage(
        _ url: String, _ link: UserLink, _ links: InviteLinks, _ facts: LinkFactsStore,
        _ explanation: inout Explanation
    ) async throws -> Walk {
        let (query, judgement) = (link.query, try await facts.judge(link))
        try await learn(judgement, &explanation)
        var step = Explanation.Step(
            url: url, table: .link, row: judgement.decision.row, because: judgement.reason)
        if explanation.code == nil, let code = try query.code {
            explanation.code = try await store.code(code)
        }
        switch judgement.decision.target {
        case .notFound: step.status = 404
        case .redirect(let user): (step.status, step.location) = (302, links.renamed(user, query))
        case .page(let user, let invitation):
            step.status = 200
            step.because += " \(user.text)'s page shows, \(invitation.text)"
            try await add(query, of: user, invitation, &step)
        }
        return (step, step.location)
    }

    /// Adds what a code beside the uid makes of the page.
    private func add(
        _ query: Query, of user: User.Profile, _ invitation: LinkTarget.Invitation,
        _ step: inout Explanation.Step
    ) async throws {
        guard try query.encoded("code") != nil else { return }
        let link = try await proof.link(query, of: user, invitation, from: nil)
        switch link {
        case nil where invitation == .none: step.codeRow = 5
        case nil:
            step.codeRow = 3
            step.because += " Its code is cut, unknown or somebody else's, and does not count."
        case let link? where link.refusal != nil:
            (step.codeRow, step.status) = (2, 410)
            step.because += " But its code is \(link.refusal?.rawValue ?? "dead")."
        case .some:
            step.codeRow = 1
            step.because += " It says what the link with its code does."
        }
    }

    private func vanity(
        _ url: String, _ segment: String, _ query: Query, _ links: InviteLinks, _ facts: LinkFactsStore,
        _ explanation: inout Explanation
    ) async throws -> Walk {
        guard links.hasVanityLinks else {
            return (.init(url: url, because: "KITH_VANITY_LINKS is off.", status: 404), nil)
        }
        let link = try UserLink(segment: segment, query)
        let judgement = try await facts.judge(link)
        try await learn(judgement, &explanation)
        var step = Explanation.Step(
            url: url, table: .link, row: judgement.decision.row, because: judgement.reason, status: 404)
        if let user = judgement.decision.target.user {
            (step.status, step.location) = (302, links.renamed(user, link.query))
        }
        return (step, step.location)
    }

    private func short(
        _ url: String, _ text: String, _ query: Query, _ links: InviteLinks,
        _ explanation: inout Explanation
    ) async throws -> Walk {
        var step = Explanation.Step(url: url, table: .code, row: 3, because: "", status: 404)
        guard let code = Invite.Code(inLink: text) else {
            step.because = "This is no code: one has 16 letters and digits."
            return (step, nil)
        }
        let known = try await store.code(code)
        explanation.code = known
        guard let link = try await proof.find(code, from: nil) else {
            step.because =
                known.owner.map { "The user whose code it is, \($0.uid), is \($0.status)." }
                ?? "Nobody has this code."
            return (step, nil)
        }
        if let refusal = link.refusal {
            (step.row, step.status) = (2, 410)
            step.because = "The code is \(refusal.rawValue)."
            return (step, nil)
        }
        step.row = link.isOff ? 5 : 1
        step.because =
            link.isOff ? "The code's owner lets no invite do anything." : "The code is in force."
        (step.status, step.location) = (
            302, links.custom(code, of: link.invite.inviter, keeping: query)
        )
        return (step, step.location)
    }

    private func learn(_ judgement: LinkJudgement, _ explanation: inout Explanation) async throws {
        let inviter = judgement.inviter.map(User.ID.init(of:))
        if explanation.inviter == nil, let inviter { explanation.inviter = try await store.user(inviter) }
        if explanation.name == nil, let name = judgement.name {
            explanation.name = try await store.name(name, of: inviter)
        }
    }

    /// Returns the invite that apps read in the link: its own, or that of a deep link's target.
    private func reference(in explanation: Explanation) -> InviteReference {
        let read = links.reference(in: explanation.url)
        guard read == .unrecognised, let target = explanation.deepLink?.target else { return read }
        return links.reference(in: target, of: explanation.url)
    }
}

extension LinkTarget {
    /// The user to whom it leads.
    var user: User.Profile? {
        switch self {
        case .page(let user, _), .redirect(let user): user
        case .notFound: nil
        }
    }
}
