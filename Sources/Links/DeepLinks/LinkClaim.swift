import Foundation
import Graph
import Kernel
package import Web

/// The way of a deep link through a store, and back.
extension LinkResolution {
    /// Returns what an app gets for a link that opened it, or that it has from the store's referrer or from
    /// its user. Nil if that is not a deep link, or leads nowhere by now.
    /// - Parameter whole: the whole text, if the link is only a part of it.
    package func resolved(
        _ text: String, of whole: String? = nil, from address: ClientAddress?
    ) async throws -> ResolvedDeepLink? {
        guard text.utf8.count <= WebURL.longest else { return nil }
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let found = InviteLinks.texts(of: trimmed).lazy.flatMap { links.layers(of: $0) }
            .compactMap { (try? WebURL($0)) ?? (try? WebURL(StuckText.repaired($0))) }.first {
                domains.having($0) != nil
            }
        guard let url = found else { return nil }
        do {
            guard let found = try await find(url, of: whole ?? text, from: address),
                try links.userLink(at: found.link.target)?.isMangled != true
            else { return nil }
            let given = LinkParameter.claimed.compactMap { name in
                found.link[name].map { (name.rawValue, $0) }
            }
            return ResolvedDeepLink(
                url: url.text, target: found.link.target.text,
                parameters: Dictionary(uniqueKeysWithValues: given), counted: found.clicked)
        } catch is DeepLinkError {
            return nil
        } catch let problem as Problem where problem.code != "rate_limited" {
            return nil
        }
    }
}

extension DeepLink {
    /// The URL with which an app that came through a store claims the link. It is the link's own URL if that
    /// is short enough for a referrer, and otherwise one that leads to the same target. For a long link it
    /// holds only what the app needs. Nil if none is short enough, or nobody opened the link.
    var claimURL: String? {
        guard let opened else { return nil }
        let urls: [String]
        if let code = opened.code {
            let short = "\(opened.domain.text)/\(code.text)"
            let added = Query(opened.query).dropping({ !Self.isForwarded($0) }).map { "\(short)?\($0)" }
            urls = [added, short].compactMap(\.self)
        } else {
            // `amv` means nothing without `apn`.
            let names = LinkParameter.claimed + (self[.amv] == nil ? [] : [.apn])
            let needed = values.filter { names.contains($0.key) }
            urls = [needed, [:]].map { DeepLink(target: target, values: $0).long(in: opened.domain) }
        }
        return urls.first { LinkReferrer.text($0) != nil }
    }
}
