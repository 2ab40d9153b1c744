package import Foundation
import Web

/// Links in texts that users paste.
package extension InviteLinks {
    /// Returns the invite in a text that a user pasted: the first link of ours in it, or a code alone, even
    /// with blanks in it.
    func invite(inPasted text: String) -> PastedInvite {
        guard text.utf8.count <= WebURL.longest else { return PastedInvite(.unrecognised) }
        if let code = Invite.Code(text.filter { !$0.isWhitespace }) { return PastedInvite(.code(code)) }
        for link in text.links() {
            let found = reference(ofPasted: link, in: text)
            if found != .unrecognised || link.meansUser { return PastedInvite(found, in: link) }
        }
        return PastedInvite(reference(in: text))
    }

    /// Whether no further link in a pasted text counts: this one is an invite, or means a user whom nobody
    /// can read from it, and who must not give way to another.
    func isLast(_ link: String, in text: String) -> Bool {
        link.meansUser || reference(ofPasted: link, in: text) != .unrecognised
    }

    private func reference(ofPasted link: String, in text: String) -> InviteReference {
        reference(in: link.withoutTextBehind(in: text), of: text)
    }
}

/// The invite in a text that a user pasted, and what its link carries.
package struct PastedInvite {
    package let reference: InviteReference
    /// The query of its link. Empty if no link stands in the text.
    private let query: Query

    fileprivate init(_ reference: InviteReference, in link: String = "") {
        self.reference = reference
        let written = link.written.split(separator: "#").first
        query = Query(written?.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init))
    }

    /// Returns a parameter of the link. Nil if it has none, or has it twice.
    package func value(of parameter: String) -> String? { (try? query.value(parameter)) ?? nil }

    /// The key of the query pair that a page's button adds to the link that it copies.
    package static let visitKey = "visit"

    /// The visitor in experiments who copied the text. Nil if there is none.
    package var visit: UUID? {
        guard let value = value(of: Self.visitKey) else { return nil }
        let bytes = Base64URL.decode(
            Array(StuckText.beginning(of: value, ASCIISet.alphanumeric + "-_").utf8)[...])
        return bytes.flatMap { $0.count == 16 ? UUID(bytes: $0) : nil }
    }
}

package extension String {
    /// Returns the first links in a text. Each goes from its scheme to the next blank, so something may be
    /// stuck to it: of a uid that is cut, what is left could be another user's. For the same reason a link
    /// with a uid goes on behind a line break, at which a mail program may have broken it. Each character is
    /// looked at a few times at most.
    func links(most: Int = 8) -> [String] {
        var links: [String] = []
        var rest = unicodeScalars[...]
        while links.count < most, let mark = rest.firstRange(of: "://".unicodeScalars) {
            let scheme = rest[..<mark.lowerBound].reversed().prefix { scalar in
                UInt8(exactly: scalar.value).map(ASCIISet.alphanumeric.contains) == true
            }
            var link = String(rest[scheme.endIndex.base...].prefix { !$0.properties.isWhitespace })
            let behind = rest[mark.upperBound...]
            if StuckText.mentionsUID(link) {
                link += Self.continuation(of: behind.drop { !$0.properties.isWhitespace })
            }
            // In a script without blanks another link may stand in the text that is stuck to this one.
            rest = behind.drop { UInt8(exactly: $0.value).map(Self.isOfURL) == true }
            links.append(link)
        }
        return links
    }

    private static func isOfURL(_ byte: UInt8) -> Bool {
        byte.isVisibleASCII && !"\"<>\\^`{|}".utf8.contains(byte)
    }

    /// Returns what stands directly behind the line break or tab with which a text begins.
    private static func continuation(of rest: Substring.UnicodeScalarView) -> String {
        guard let mark = rest.first, "\t\r\n".unicodeScalars.contains(mark) else { return "" }
        let next = rest.dropFirst(mark == "\r" && rest.dropFirst().first == "\n" ? 2 : 1)
            .prefix { !$0.properties.isWhitespace }
        return next.isEmpty ? "" : StuckText.lineBreak + String(next)
    }

    /// Whether a link in a text has a uid, whatever became of it. That of another link that stands directly
    /// behind it is not its own.
    fileprivate var meansUser: Bool {
        let end = utf8.firstIndex { !Self.isOfURL($0) } ?? endIndex
        return StuckText.mentionsUID(self[end...].contains("://") ? self[..<end] : self[...])
    }

    /// Returns a link in a text without the text around it that cannot be a part of it. If the link is the
    /// whole text, or has a uid, which may end with any character, it stays as it is.
    func withoutTextBehind(in text: String) -> String {
        guard utf8.count < text.utf8.count, !StuckText.mentionsUID(self) else { return self }
        return StuckText.visible(self).written
    }

    /// The beginning of a link that a URL may have, without what ends a sentence.
    fileprivate var written: String {
        var link = self[...].utf8.prefix(while: Self.isOfURL)
        while let last = link.last, ".,;:!?'*)]".utf8.contains(last) { link.removeLast() }
        return String(Substring(link))
    }
}
