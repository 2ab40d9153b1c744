import Web

/// What the head of a page says to programs that preview it.
struct PreviewTags: Equatable, Sendable {
    struct Tag: Equatable, Sendable {
        /// The attribute that names it: `property`, `name` or `http-equiv`.
        var attribute: String
        /// The name in lower case, such as `og:title`.
        var key: String
        var content: String
    }

    var title: String?
    var tags: [Tag] = []
    /// How many bytes the page has from its beginning to the end of the last tag of Open Graph or Twitter.
    var end = 0

    func all(_ key: String) -> [Tag] { tags.filter { $0.key == key } }

    /// Returns the text of the first tag with this name. Nil if it is blank.
    subscript(key: String) -> String? {
        let text = tags.first { $0.key == key }?.content
        return text.flatMap { $0.contains { !$0.isWhitespace } ? $0 : nil }
    }

    init(html: [UInt8]) {
        var scanner = HTMLScanner(html)
        while let element = scanner.next() {
            switch element.name {
            case "title" where title == nil: title = scanner.text(until: "title")
            case "script", "style", "noscript", "textarea", "title": _ = scanner.text(until: element.name)
            case "body": return
            case "meta": add(element, endingAt: scanner.position)
            default: break
            }
        }
    }

    private mutating func add(_ element: HTMLScanner.Element, endingAt position: Int) {
        for attribute in ["property", "name", "http-equiv"] {
            guard let key = element.attributes[attribute]?.lowercased() else { continue }
            tags.append(Tag(attribute: attribute, key: key, content: element.attributes["content"] ?? ""))
            if key.hasPrefix("og:") || key.hasPrefix("twitter:") { end = position }
            return
        }
    }
}

/// Finds the elements of a page, one start tag after the other. It knows enough HTML for a head.
struct HTMLScanner {
    struct Element: Equatable {
        var name: String
        /// The attributes, with names in lower case. If a name is repeated, the first counts.
        var attributes: [String: String]
    }

    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the next start tag. Nil at the end.
    mutating func next() -> Element? {
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = start + 1
            if bytes[position...].starts(with: "!--".utf8) {
                skip(past: "-->")
            } else if position < bytes.count, bytes[position].isASCIILetter {
                let name = word { !$0.isHTMLSpace && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">") }
                return Element(name: name.lowercased(), attributes: attributes())
            }
        }
        position = bytes.count
        return nil
    }

    /// Returns the text up to an end tag, and passes that tag.
    mutating func text(until name: String) -> String {
        let start = position
        while let open = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = open + 1
            let found = bytes[position...].prefix(name.utf8.count + 1)
            if String(decoding: found, as: UTF8.self).lowercased() == "/\(name)" {
                let text = HTML.unescape(String(decoding: bytes[start..<open], as: UTF8.self))
                skip(past: ">")
                return text
            }
        }
        position = bytes.count
        return HTML.unescape(String(decoding: bytes[start...], as: UTF8.self))
    }

    /// Reads the attributes, up to behind the tag.
    private mutating func attributes() -> [String: String] {
        var attributes: [String: String] = [:]
        while position < bytes.count {
            _ = word { $0.isHTMLSpace || $0 == UInt8(ascii: "/") }
            guard position < bytes.count, bytes[position] != UInt8(ascii: ">") else { break }
            let name = word {
                !$0.isHTMLSpace && !"=>/".utf8.contains($0)
            }.lowercased()
            _ = word(\.isHTMLSpace)
            var value = ""
            if position < bytes.count, bytes[position] == UInt8(ascii: "=") {
                position += 1
                value = self.value()
            } else if name.isEmpty {
                position += 1
            }
            if attributes[name] == nil { attributes[name] = HTML.unescape(value) }
        }
        position = min(position + 1, bytes.count)
        return attributes
    }

    private mutating func value() -> String {
        _ = word(\.isHTMLSpace)
        guard position < bytes.count else { return "" }
        let quote = bytes[position]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return word { !$0.isHTMLSpace && $0 != UInt8(ascii: ">") }
        }
        position += 1
        let value = word { $0 != quote }
        position = min(position + 1, bytes.count)
        return value
    }

    private mutating func word(_ belongs: (UInt8) -> Bool) -> String {
        let word = bytes[position...].prefix(while: belongs)
        position = word.endIndex
        return String(decoding: word, as: UTF8.self)
    }

    private mutating func skip(past text: String) {
        while position < bytes.count, !bytes[position...].starts(with: text.utf8) { position += 1 }
        position = min(position + text.utf8.count, bytes.count)
    }
}

extension UInt8 {
    fileprivate var isHTMLSpace: Bool { [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(self) }
}

extension HTML {
    /// Decodes the entities that pages need: `&amp;`, `&lt;`, `&gt;`, `&quot;`, `&apos;`, and numbers.
    static func unescape(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        let named = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}"]
        return text.replacing(/&(#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[a-z]+);/) { match -> String in
            let entity = match.output.1
            guard entity.hasPrefix("#") else { return named[String(entity)] ?? String(match.output.0) }
            let digits = entity.dropFirst()
            let number =
                digits.lowercased().hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return number.flatMap { Unicode.Scalar($0) }.map { String(Character($0)) } ?? "\u{FFFD}"
        }
    }
}
