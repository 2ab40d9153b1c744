import Foundation
import Graph
import Kernel
import Visits
import Web

/// A short link, `{domain}/{code}`, leads where a long link with its parameters would.
package enum ShortLink {
    enum Kind: String, Codable, CaseIterable, Sendable {
        case unguessable, short, custom
    }

    /// The path behind the domain.
    package struct Code: Hashable, Sendable {
        package let text: String

        /// Nil unless the text is one or several segments of letters, digits, `-` and `_`, as Firebase had
        /// them, of 128 characters at most.
        package init?(_ text: String) {
            // There is no regular expression here, since it would be parsed at each visit.
            let segments = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            guard text.utf8.count <= 128,
                segments.allSatisfy({ segment in
                    !segment.isEmpty
                        && segment.allSatisfy(Self.characters.contains)
                })
            else { return nil }
            self.text = text
        }

        private static let characters = ASCIISet.alphanumeric + "-_"

        /// Reads the code in the path of a link, percent-encoded or not, without what is stuck to it, or a
        /// slash at the end.
        package init?(inLink path: some StringProtocol) {
            var text = StuckText.beginning(of: StuckText.path(path), Self.characters + "/")
            // Firebase's links also worked with a slash at the end.
            if text.hasSuffix("/") { text.removeLast() }
            self.init(text)
        }

        /// Makes a code of letters and digits that are all equally likely.
        init(bytes: [UInt8], length: Int) {
            // 248 is the largest multiple of 62 in a byte.
            let letters = bytes.filter { $0 < 248 }.prefix(length).map { Self.alphabet[Int($0) % 62] }
            text = String(decoding: Array(letters), as: UTF8.self)
        }

        private static let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

        /// How many characters an unguessable code has. They are worth 101 bits.
        static let unguessable = 17
        /// How many characters the shortest code has.
        static let shortest = 4
    }
}

extension [LinkDomain] {
    /// Whether the URL of a short link would open it. Another domain may lie below this one, or one of Kith's
    /// files may be there.
    func opens(_ code: ShortLink.Code, in domain: LinkDomain) -> Bool {
        guard let url = try? WebURL("\(domain.text)/\(code.text)") else { return false }
        return having(url)?.domain == domain
            && !(domain.prefix.isEmpty && HostFile(rawValue: code.text) != nil)
    }
}

extension DeepLink {
    /// All parameters by their names.
    var parameters: [String: String] {
        Dictionary(uniqueKeysWithValues: values.map { ($0.rawValue, $1) }).merging(["link": target.text]) {
            $1
        }
    }

    /// Returns the link with the pairs of another query, which somebody added to a short link. They go on to
    /// the target, and those of a campaign also to the stores.
    func forwarding(_ query: String?, _ links: InviteLinks) -> DeepLink {
        guard let added = Query(query).dropping({ !Self.isForwarded($0) }), !added.isEmpty else {
            return self
        }
        var link = self
        link.target = target(with: Query(added), links)
        for parameter in LinkParameter.campaign + [.gclid] {
            guard let encoded = (try? Query(query).encoded(parameter.rawValue)) ?? nil,
                let value = LinkParameter.decode(encoded, of: parameter.rawValue), !value.isEmpty,
                value.utf8.count <= LinkParameter.mostBytes
            else { continue }
            link.values[parameter] = value
        }
        return link
    }

    /// Returns the link whose target has the fragment of the URL that led here, if there is one. Browsers
    /// carry it on in the same way.
    func carrying(fragmentOf url: WebURL) -> DeepLink {
        guard let fragment = url.fragment else { return self }
        var link = self
        link.target = (try? WebURL(composed: "\(target.text.prefix { $0 != "#" })#\(fragment)")) ?? target
        return link
    }

    /// Whether a pair of a short link's query goes on to the target. It does not if it means something to
    /// Kith's own pages, or was added by a fetcher of previews, or by Firebase's page.
    static func isForwarded(_ name: String) -> Bool {
        !["d", "hl", "fb_locale", Device.wayOutMark, ScannedLink.mark, "cid"].contains(name)
            && !name.hasPrefix("_")
    }
}

extension WebURL {
    /// Returns the URL with these pairs in its query, in place of its own pairs of the same names.
    func adding(_ added: String?) -> WebURL {
        guard let added, !added.isEmpty else { return self }
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let front = parts[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let names = Set(
            added.split(separator: "&").compactMap { PercentEncoding.decode($0.prefix { $0 != "=" }.utf8) })
        let kept = front.count == 2 ? Query(String(front[1])).dropping(names) ?? "" : ""
        let pairs = [kept, added.replacing("\\", with: "%5C")].filter { !$0.isEmpty }.joined(separator: "&")
        let fragment = parts.count == 2 ? "#\(parts[1])" : ""
        return (try? WebURL(composed: "\(front[0])?\(pairs)\(fragment)")) ?? self
    }
}

extension [LinkDomain] {
    /// Returns which code the URL of a short link has, and on which of these domains. Nil for another URL.
    func shortLink(at url: WebURL) -> (domain: LinkDomain, code: ShortLink.Code)? {
        having(url).flatMap { domain, rest in
            ShortLink.Code(inLink: rest.dropFirst()).map { (domain, $0) }
        }
    }
}
