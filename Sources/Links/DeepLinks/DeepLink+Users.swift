package import Graph
import Web

/// Deep links to users.
extension DeepLink {
    /// Whether its target is a user's link.
    package func isInvite(_ links: InviteLinks) -> Bool {
        (try? links.userLink(at: target)) != nil
            && links.unwrappedReference(in: target.text) != .unrecognised
    }

    /// Whether the link leads to a user by the name alone, although the text that holds it has a uid
    /// elsewhere: behind an `&` of a `link` that was not encoded, or behind a line break. The name may belong
    /// to somebody else by now.
    /// - Parameter given: all its parameters.
    func loses(uidIn text: String, _ given: [(name: String, value: String)], _ links: InviteLinks) -> Bool {
        func isNameAlone(_ url: WebURL) -> Bool { (try? links.userLink(at: url))?.isNameAlone == true }
        if isNameAlone(target) { return StuckText.mentionsUID(text) }
        let others = values.filter { $0.key.kind == .destination }.compactMap { try? WebURL($0.value) }
        guard others.contains(where: isNameAlone) else { return false }
        // A uid in the target belongs to the target.
        return !links.hasUID(target) && StuckText.mentionsUID(text)
            || given.contains {
                LinkParameter(rawValue: $0.name) == nil && StuckText.mentionsUID("\($0.name)=")
            }
    }

    /// Reads a link that is to be created. It is judged as the long link would be if somebody opened it.
    /// - Parameter text: the long link. Nil if there are only parameters.
    static func new(
        _ given: [(name: String, value: String)], in text: String? = nil, for project: LinkedProject,
        _ links: InviteLinks
    ) throws(DeepLinkError) -> (DeepLink, [LinkWarning]) {
        let (link, warnings) = try read(given, for: project, isStrict: true)
        let text = text ?? given.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        let destinations =
            [link.target]
            + link.values.filter { $0.key.kind == .destination }
            .compactMap { try? WebURL($0.value) }
        if link.loses(uidIn: text, given, links) || destinations.contains(where: links.isMangled) {
            throw .losesUID
        }
        return (link, warnings)
    }

    /// Returns the target of a short link with what somebody added to it. The addition wins, but no uid or
    /// code replaces those of a user's link.
    func target(with added: Query, _ links: InviteLinks) -> WebURL {
        guard links.hasUID(target) else { return target.adding(added.raw) }
        let kept = added.dropping { name in
            StuckText.mentionsUID("\(name)=") || name.split(separator: ";").last == "code"
        }
        // An `&amp;` at the beginning of the rest would become a part of a name.
        let plain = StuckText.query(Query(target.text)).raw.flatMap { try? WebURL($0) }
        return (plain ?? target).adding(kept)
    }
}

extension InviteLinks {
    /// Whether it is a user's link with a uid that nobody can read, or with several.
    fileprivate func isMangled(_ url: WebURL) -> Bool {
        do {
            return try userLink(at: url)?.isMangled ?? false
        } catch {
            return true
        }
    }

    /// Whether it is a user's link with a uid, or with several.
    fileprivate func hasUID(_ url: WebURL) -> Bool {
        do {
            return try userLink(at: url)?.hasUID ?? false
        } catch {
            return true
        }
    }
}
