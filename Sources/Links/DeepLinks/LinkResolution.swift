package import Graph
package import Kernel
import Visits
package import Web

/// Finds what a deep link leads to now.
package struct LinkResolution: Sendable {
    package let domains: [LinkDomain]
    package let project: LinkedProject
    package let links: InviteLinks
    package let facts: LinkFactsStore
    package let store: ShortLinkStore
    package let guesses: CodeGuesses

    package init(
        domains: [LinkDomain], project: LinkedProject, links: InviteLinks, facts: LinkFactsStore,
        store: ShortLinkStore, guesses: CodeGuesses
    ) {
        self.domains = domains
        self.project = project
        self.links = links
        self.facts = facts
        self.store = store
        self.guesses = guesses
    }

    /// A deep link, and its warnings.
    package struct Found: Sendable {
        package var link: DeepLink
        var warnings: [LinkWarning]
        /// The parameters as they stand in the long link, or as they are stored for the short one.
        let given: [(name: String, value: String)]
        let opened: DeepLink.Opened

        /// The link for which its visits count.
        var clicked: ClickedLink {
            opened.code.map { .short(opened.domain, code: $0.text) } ?? .long(opened.domain)
        }
    }

    /// - Parameters:
    ///   - rest: the path behind the domain. It is empty or `/` for a long link.
    ///   - query: the query of a long link, or what somebody added to a short one.
    ///   - address: the address for which codes that lead nowhere are counted.
    ///   - text: the whole text in which the link stands. Nil if rest and query are all.
    func find(
        _ rest: some StringProtocol, _ query: String?, in domain: LinkDomain, from address: ClientAddress?,
        of text: String? = nil
    ) async throws -> Found {
        var found: Found
        if ["", "/"].contains(rest) {
            guard let given = LongLink.parameters(query) else { throw Problem.deepLinkNotFound }
            found = try read(given, .init(domain: domain, query: query))
            if let warning = LongLink.warning(query) { found.warnings.append(warning) }
            if let (domain, code) = domains.shortLink(at: found.link.target),
                try await inForce(code, in: domain, from: address) != nil
            {
                throw DeepLinkError.targetIsLink(.link, found.link.target.text)
            }
        } else {
            guard let code = ShortLink.Code(inLink: rest.dropFirst()),
                let row = try await inForce(code, in: domain, from: address)
            else { throw Problem.deepLinkNotFound }
            found = try read(row.parameters, .init(domain: domain, code: code, query: query))
            found.link = found.link.forwarding(query, links)
        }
        guard !found.link.loses(uidIn: text ?? "\(rest)?\(query ?? "")", found.given, links) else {
            throw Problem.deepLinkNotFound
        }
        found.link.target = try await current(found.link.target)
        found.link.opened = found.opened
        return found
    }

    private func inForce(
        _ code: ShortLink.Code, in domain: LinkDomain, from address: ClientAddress?
    ) async throws -> ShortLinkStore.Row? {
        try await guesses.lookingUp(code.text, from: address) {
            try await store.findInForce(code, in: domain)
        }
    }

    /// Returns what a short link leads to by its parameters, whether it has expired or not. Throws a
    /// `DeepLinkError` or `notFound` if it leads nowhere.
    func find(_ row: ShortLinkStore.Row, in domain: LinkDomain) async throws -> Found {
        var found = try read(row.parameters, .init(domain: domain, code: row.code))
        found.link.target = try await current(found.link.target)
        found.link.opened = found.opened
        return found
    }

    /// Returns what a URL opens, on whichever domain. Nil if it belongs to none.
    /// - Parameter text: the text in which it stands.
    package func find(_ url: WebURL, of text: String, from address: ClientAddress?) async throws -> Found? {
        guard let (domain, rest) = domains.having(url) else { return nil }
        var found = try await find(rest, url.query, in: domain, from: address, of: text)
        found.link = found.link.carrying(fragmentOf: url)
        return found
    }

    /// Reads the parameters that are valid now.
    private func read(_ parameters: [String: String], _ opened: DeepLink.Opened) throws -> Found {
        try read(parameters.map { (name: $0.key, value: $0.value) }, opened)
    }

    private func read(_ given: [(name: String, value: String)], _ opened: DeepLink.Opened) throws -> Found {
        let (link, warnings) = try DeepLink.read(given, for: project, isStrict: false)
        return Found(link: link, warnings: warnings, given: given, opened: opened)
    }

    /// Returns the target as it is now: a user may have got another name since. Throws `notFound` if it leads
    /// to nobody.
    func current(_ target: WebURL) async throws -> WebURL {
        guard let link = try? links.userLink(at: target),
            links.unwrappedReference(in: target.text) != .unrecognised
        else { return target }
        switch try await facts.decide(link).decision.target {
        case .page: return target
        case .redirect(let user): return try WebURL(composed: links.renamed(user, link.query))
        case .notFound: throw Problem.deepLinkNotFound
        }
    }
}
