package import Graph
import Web

/// Deep links to users.
extension DeepLink {
    /// Whether its target is a user's link.
    package func isInvite(_ links: InviteLinks) -> Bool {
        target.rest.hasPrefix("/users/") && links.unwrappedReference(in: target.text) != .unrecognised
    }

    /// Whether it leads to a user by the name alone, which may be somebody else's by now, though a uid stands elsewhere in the text that it
    /// was found in: behind an `&` of a `link` that was not encoded, or behind a line break.
    /// - Parameter given: all its parameters.
    func loses(uidIn text: String, _ given: [(name: String, value: String)], _ links: InviteLinks) -> Bool {
        func isNameAlone(_ url: WebURL) -> Bool { (try? links.userLink(at: url))?.isNameAlone == true }
        if isNameAlone(target) { return StuckText.mentionsUID(text) }
        let others = values.filter { $0.key.kind == .destination }.compactMap { try? WebURL($0.value) }
        guard others.contains(where: isNameAlone) else { return false }
        // A uid in the target is the target's.
        return !links.hasUID(target) && StuckText.mentionsUID(text)
            || given.contains {
                LinkParameter(rawValue: $0.name) == nil && StuckText.mentionsUID("\($0.name)=")
            }
    }

    /// A link that is to be made, judged as the long link would be if somebody opened it.
    /// - Parameter text: the long link; nil: there are only parameters.
    static func new(
        _ given: [(name: String, value: String)], in text: String? = nil, for project: LinkedProject,
        _ links: InviteLinks
    ) throws(DeepLinkError) -> (DeepLink, [LinkWarning]) {
        let (link, warnings) = try read(given, for: project, isStrict: true)
        let text = text ?? given.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        if link.loses(uidIn: text, given, links) { throw .losesUID }
        return (link, warnings)
    }

    /// The target of a short link with what somebody added to it, which wins; but no uid or code takes the place of those of a user's link.
    func target(with added: Query, _ links: InviteLinks) -> WebURL {
        guard links.hasUID(target) else { return target.adding(added.raw) }
        let kept = added.dropping { name in
            StuckText.mentionsUID("\(name)=") || name.split(separator: ";").last == "code"
        }
        // An `&amp;` at the head of what is left would be a part of a name.
        let plain = StuckText.query(Query(target.text)).raw.flatMap { try? WebURL($0) }
        return (plain ?? target).adding(kept)
    }
}

extension InviteLinks {
    /// Whether it is a user's link that says a uid, or several.
    fileprivate func hasUID(_ url: WebURL) -> Bool {
        do {
            return try userLink(at: url)?.hasUID ?? false
        } catch {
            return true
        }
    }
}
