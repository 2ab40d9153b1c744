import HTTPTypes

@testable import AppTesting
@testable import Web

/// A request as somebody sends it who wants a redirect to lead elsewhere.
struct HostileURL: Sendable, CustomStringConvertible {
    var target: String
    var headers: HTTPFields

    var description: String { "\(target) \(headers.map { "\($0.name): \($0.value)" })" }

    /// Bypasses of checks in other servers: other hosts by slashes, backslashes, user names, schemes and
    /// dots; control characters; and encodings of all these.
    static let tricks =
        [
            "//evil.example", "///evil.example", "////evil.example", "/\\evil.example", "\\\\evil.example",
            "\\/evil.example",
            "/%2fevil.example", "%2f%2fevil.example", "%2F%2Fevil.example%2F..", "/%5cevil.example",
            "%5c%5cevil.example",
            "%252f%252fevil.example", "/%09/evil.example", "/\t/evil.example", "/%0a/evil.example",
            "//evil%00.example",
            "@evil.example", "%40evil.example", "user:pass@evil.example",
            "https://join.example.com@evil.example/",
            "https://join.example.com.evil.example/", "https://join.example.com%2eevil.example",
            ".evil.example",
            "https://evil.example", "http://evil.example", "https:evil.example", "https:/evil.example",
            "HTTPS://evil.example",
            "https:\\\\evil.example", "https%3a%2f%2fevil.example", "//evil.example#https://join.example.com",
            "//evil.example?https://join.example.com", "//evil.example;join.example.com",
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)", "java%0d%0ascript:alert(1)", "data:text/html,<script>alert(1)</script>",
            "intent://x#Intent;end",
            "sample://evil", "mailto:a@b", "file:///etc/passwd", "%0d%0aLocation:%20https://evil.example",
            "\r\nLocation: https://evil.example", "%0aSet-Cookie:%20a=b",
            "%E5%98%8A%E5%98%8DLocation:%20https://evil.example",
            "\u{560A}\u{560D}Location:x", "evil%E3%80%82example", "//evil\u{3002}example",
            "//\u{FF45}vil.example", "//%ef%bc%8fevil.example",
            "..", "../..//evil.example", "%2e%2e%2f%2fevil.example", "..;/", ".%00", "%00", "%", "%zz",
            "%c0%af%c0%afevil.example", "[::1]",
            "//2130706433", "//0x7f.1", "//127.1", "*", "<>\"'", "?", "#", "##", "?//evil.example",
            "#//evil.example", ";@evil.example",
            "\u{202E}", "\u{0}", " //evil.example", "%20//evil.example", "+//evil.example", "&&", "==", "=",
        ]

    /// Places that redirect, and some that never do.
    static func paths(code: String, weird: String) -> [String] {
        [
            "/users/anna", "/users/Anna", "/users/ann", "/users/ann", "/users/odd", "/users/odder",
            "/users/nobody", "/\(code)",
            "/\(code.uppercased())", "/0123456789abcdef", "/users/anna/app-store", "/users/ann/app-store",
            "/users/odder/app-store",
            "/icon.png", "/users/ann/qr.svg", "/robots.txt", "/.well-known/assetlinks.json", "/users", "/",
            "/v1/config", "/users/\(weird)",
        ]
    }

    static let keys = [
        "invitedBy", "code", "hl", "fb_locale", "openExternalBrowser", "url", "next", "redirect", "link", "x",
        "",
    ]
}

extension HostileURL {
    /// - Parameters:
    ///   - random: decides.
    ///   - values: uids and codes that exist.
    init(_ random: inout SeededGenerator, paths: [String], values: [String]) {
        func pick(_ list: [String]) -> String { list[Int.random(in: 0..<list.count, using: &random)] }
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        var path = pick(paths)
        if chance(15) { path = pick(Self.tricks) + path }
        if chance(20) { path += pick(Self.tricks) }
        if chance(5) {
            let place = path.index(path.startIndex, offsetBy: Int.random(in: 0...path.count, using: &random))
            path.insert(contentsOf: pick(Self.tricks), at: place)
        }
        var query: [String] = []
        if chance(80) { query.append("invitedBy=\(pick(values))") }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let value = chance(50) ? pick(Self.tricks) : chance(50) ? pick(values) : ""
            query.append(chance(90) ? "\(pick(Self.keys))=\(value)" : value)
        }
        query.shuffle(using: &random)
        target = path + (query.isEmpty ? "" : "?" + query.joined(separator: chance(95) ? "&" : ";"))
        headers = [.accept: chance(70) ? "text/html" : "*/*"]
        headers[.userAgent] = pick([
            "", HTTPFields.android[.userAgent] ?? "", HTTPFields.iPhone[.userAgent] ?? "",
        ])
        for name in ["X-Forwarded-Host", "Forwarded", "X-Original-URL", "Referer", "Origin"] where chance(10)
        {
            guard let name = HTTPField.Name(name) else { continue }
            headers[name] = chance(50) ? "evil.example" : "host=evil.example;proto=javascript"
        }
    }
}

/// Where redirects may lead: to the link host, or exactly to the stores of the settings.
struct AllowedPlaces {
    let users = TestApp.origin + "/users/"
    let appStore: String
    let playStore: String

    /// Nil if the place is allowed, else why not.
    func refusal(of location: String) -> String? {
        guard location.utf8.allSatisfy({ (33..<127).contains($0) }) else { return "has odd characters" }
        if location == appStore || location == playStore { return nil }
        // A browser reads a backslash as a slash, but not behind the question mark.
        let place = location.utf8.prefix { $0 != UInt8(ascii: "?") }
        if place.starts(with: users.utf8) {
            let rest = place.dropFirst(users.utf8.count).drop {
                $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_")
            }
            if ["", "/app-store", "/play-store"].contains(where: { rest.elementsEqual($0.utf8) }) {
                return nil
            }
        }
        let claim = location.wholeMatch(of: /(.*)&referrer=kith_claim%3D[A-Za-z0-9_-]+/)
        return claim.map { String($0.1) } == playStore ? nil : "leads elsewhere"
    }
}
