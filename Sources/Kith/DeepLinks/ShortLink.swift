import Foundation

/// A short link, `{domain}/{code}`, which leads where a long link with its parameters would.
struct ShortLink: Sendable {
    var code: Code
    var domain: LinkDomain
    var kind: Kind
    var link: DeepLink
    var name: String?
    var createdAt = Date.distantPast
    var archivedAt: Date?
    var expiresAt: Date?

    var url: String { "\(domain.text)/\(code.text)" }

    enum Kind: String, Codable, Sendable {
        case unguessable, short, custom
    }

    /// The path behind the domain.
    struct Code: Hashable, Sendable {
        let text: String

        /// Nil unless it is one or several segments of letters, digits, `-` and `_`, as Firebase had them, of 128 characters at most.
        init?(_ text: String) {
            // Without a regular expression, which would be parsed at each visit.
            let segments = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            guard text.utf8.count <= 128,
                segments.allSatisfy({ segment in
                    !segment.isEmpty
                        && segment.allSatisfy {
                            $0.isASCIILetter || $0.isASCIIDigit || "-_".utf8.contains($0)
                        }
                })
            else { return nil }
            self.text = text
        }

        /// Letters and digits, each as likely as the others.
        init(bytes: [UInt8], length: Int) {
            // 248 is the largest multiple of 62 in a byte.
            let letters = bytes.filter { $0 < 248 }.prefix(length).map { Self.alphabet[Int($0) % 62] }
            text = String(decoding: Array(letters), as: UTF8.self)
        }

        private static let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

        /// How many characters an unguessable code has: 101 bits.
        static let unguessable = 17
        /// How many the shortest has.
        static let shortest = 4
    }
}

extension DeepLink {
    /// All parameters by their names.
    var parameters: [String: String] {
        Dictionary(uniqueKeysWithValues: values.map { ($0.rawValue, $1) }).merging(["link": target.text]) {
            $1
        }
    }

    /// The same target with the pairs of another query, which win: what somebody added to a short link.
    func forwarding(_ query: String?) -> DeepLink {
        var link = self
        link.target = target.adding(query, except: Self.notForwarded)
        return link
    }

    /// What means something to Kith's own pages, or was added by who fetched a preview.
    static let notForwarded = ["d", "hl", "fb_locale", "openExternalBrowser"]
}

extension WebURL {
    /// With these pairs in its query, in place of its own of the same names.
    fileprivate func adding(_ query: String?, except ignored: [String]) -> WebURL {
        guard let added = Query(query).dropping(ignored), !added.isEmpty else { return self }
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let front = parts[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let names = added.split(separator: "&").compactMap {
            PercentEncoding.decode($0.prefix { $0 != "=" }.utf8)
        }
        let kept = front.count == 2 ? Query(String(front[1])).dropping(names) ?? "" : ""
        let pairs = [kept, added.replacing("\\", with: "%5C")].filter { !$0.isEmpty }.joined(separator: "&")
        let fragment = parts.count == 2 ? "#\(parts[1])" : ""
        return (try? WebURL("\(front[0])?\(pairs)\(fragment)")) ?? self
    }
}
