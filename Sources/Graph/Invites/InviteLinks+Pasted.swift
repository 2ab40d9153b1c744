package import Foundation
import Web

/// Links in texts that users paste.
package extension InviteLinks {
    /// Returns the invite in a text that a user pasted: the first link of ours in it, or a code alone, even
    /// with blanks in it.
    func reference(inPasted text: String) -> InviteReference {
        guard text.utf8.count <= WebURL.longest else { return .unrecognised }
        if let code = Invite.Code(text.filter { !$0.isWhitespace }) { return .code(code) }
        let found = text.links().lazy.map { reference(in: $0, of: text) }
        // A link with characters that should have been encoded is read as a whole.
        return found.first { $0 != .unrecognised } ?? reference(in: text)
    }

    /// The key of the query pair that a page's button adds to the link that it copies.
    static let visitKey = "visit"

    /// Returns the visitor in experiments who copied the text. Nil if there is none.
    static func visit(inPasted text: String) -> UUID? {
        guard text.utf8.count <= WebURL.longest else { return nil }
        return text.links().lazy.compactMap { link in
            let query = link.split(separator: "#").first?.split(separator: "?", maxSplits: 1).dropFirst()
                .first
            guard let value = try? Query(query.map(String.init)).value(visitKey),
                let bytes = Base64URL.decode(
                    Array(StuckText.beginning(of: value, ASCIISet.alphanumeric + "-_").utf8)[...]),
                bytes.count == 16
            else { return nil }
            return UUID(bytes: bytes)
        }.first
    }
}

package extension String {
    /// Returns the first links in a text. Each goes from its scheme to the last character that a URL can
    /// have, so something may be stuck to it. Each character is looked at a few times at most.
    func links(most: Int = 16) -> [String] {
        var links: [String] = []
        var rest = utf8[...]
        while links.count < most, let mark = rest.firstRange(of: "://".utf8) {
            let scheme = rest[..<mark.lowerBound].reversed().prefix { $0.isASCIILetter || $0.isASCIIDigit }
            let link = rest[scheme.endIndex.base...].prefix {
                $0.isVisibleASCII && !"\"<>\\^`{|}".utf8.contains($0)
            }
            rest = rest[link.endIndex...]
            links.append(String(Substring(link)))
        }
        return links
    }

    /// Returns a link in a text without the punctuation of the sentence around it. If the link is the whole
    /// text, it stays as it is.
    func withoutPunctuation(in text: String) -> String {
        guard utf8.count < text.utf8.count else { return self }
        var link = self[...]
        while let last = link.utf8.last, ".,;:!?'*)]".utf8.contains(last) { link.removeLast() }
        return String(link)
    }
}
