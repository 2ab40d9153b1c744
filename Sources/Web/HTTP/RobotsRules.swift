/// A robots.txt, and what it allows to which fetcher (RFC 9309).
package struct RobotsRules: Sendable {
    private struct Rule {
        var isAllow: Bool
        var path: [UInt8]
    }

    private struct Group {
        /// The names of the agents, in lower case.
        var agents: [String] = []
        var rules: [Rule] = []
    }

    private var groups: [Group] = []

    package init(_ text: String) {
        // Whether the last line named an agent. If the next line does too, it belongs to the same group.
        var isOpen = false
        for line in text.split(whereSeparator: \.isNewline) {
            let content = line.prefix { $0 != "#" }
            guard let colon = content.firstIndex(of: ":") else { continue }
            let key = Self.trimmed(content[..<colon]).lowercased()
            let value = Self.trimmed(content[content.index(after: colon)...])
            switch key {
            case "user-agent":
                if !isOpen { groups.append(Group()) }
                groups[groups.count - 1].agents.append(Self.token(value))
                isOpen = true
            case "allow", "disallow":
                isOpen = false
                // An empty rule matches nothing.
                guard !groups.isEmpty, !value.isEmpty else { continue }
                groups[groups.count - 1].rules.append(
                    Rule(isAllow: key == "allow", path: Self.normal(value)))
            default: break
            }
        }
    }

    /// Reads a server's answer (§2.3.1). Without a file everything is allowed, which is nil. A server in
    /// trouble allows nothing.
    package static func of(_ answer: HTTPFetch.Answer?) -> RobotsRules? {
        switch answer?.status ?? 404 {
        case 200: answer.map { RobotsRules(String(decoding: $0.body.prefix(512 * 1024), as: UTF8.self)) }
        case 500...: RobotsRules("User-agent: *\nDisallow: /")
        default: nil
        }
    }

    /// Returns the part of a name such as `facebookexternalhit/1.1` that counts.
    private static func token(_ text: String) -> String {
        text == "*"
            ? text : text.lowercased().prefix { $0.isASCII && ($0.isLetter || "_-".contains($0)) }.description
    }

    private static func trimmed(_ text: Substring) -> String {
        let head = text.drop(while: \.isWhitespace)
        return String(head.reversed().drop(while: \.isWhitespace).reversed())
    }

    /// Whether this fetcher may fetch a path with its query. The longest rule that matches decides, and of
    /// equal ones the one that allows.
    package func allows(_ path: String, for token: String) -> Bool {
        guard path != "/robots.txt" else { return true }
        let token = token.lowercased()
        var own = groups.filter { $0.agents.contains(token) }
        if own.isEmpty { own = groups.filter { $0.agents.contains("*") } }
        let path = Self.normal(path)
        let decisive = own.flatMap(\.rules).filter { Self.matches($0.path[...], path[...]) }
            .max { ($0.path.count, $0.isAllow ? 1 : 0) < ($1.path.count, $1.isAllow ? 1 : 0) }
        return decisive?.isAllow ?? true
    }

    /// Returns the path, percent-encoded where it must be and nowhere else: `%41` is `A`, and `é` is
    /// `%C3%A9`.
    private static func normal(_ path: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(path.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let code = Self.code(rest.prefix(2)) {
                rest = rest.dropFirst(2)
                let isPlain = code.isASCIILetter || code.isASCIIDigit || "-._~".utf8.contains(code)
                bytes += isPlain ? [code] : encoded(code)
            } else {
                bytes += byte < 0x80 ? [byte] : encoded(byte)
            }
        }
        return bytes
    }

    private static func code(_ digits: ArraySlice<UInt8>) -> UInt8? {
        let text = String(decoding: digits, as: UTF8.self)
        return text.wholeMatch(of: /[0-9A-Fa-f]{2}/) == nil ? nil : UInt8(text, radix: 16)
    }

    private static func encoded(_ byte: UInt8) -> [UInt8] {
        let digits = String(byte, radix: 16, uppercase: true)
        return Array("%\(byte < 16 ? "0" : "")\(digits)".utf8)
    }

    /// Whether the pattern matches. `*` stands for any bytes, and `$` at the end for the end. Each `*` takes
    /// as little as it can, so the search goes back at most to the last one.
    private static func matches(_ pattern: ArraySlice<UInt8>, _ path: ArraySlice<UInt8>) -> Bool {
        let isWhole = pattern.last == UInt8(ascii: "$")
        let pattern = isWhole ? pattern.dropLast() : pattern
        var (at, here) = (pattern.startIndex, path.startIndex)
        var star: (pattern: Int, path: Int)?
        while true {
            if at < pattern.endIndex, pattern[at] == UInt8(ascii: "*") {
                star = (at + 1, here)
                at += 1
            } else if at == pattern.endIndex, !isWhole || here == path.endIndex {
                return true
            } else if at < pattern.endIndex, here < path.endIndex, pattern[at] == path[here] {
                (at, here) = (at + 1, here + 1)
            } else if let last = star, last.path < path.endIndex {
                star = (last.pattern, last.path + 1)
                (at, here) = (last.pattern, last.path + 1)
            } else {
                return false
            }
        }
    }
}
