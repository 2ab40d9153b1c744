import Foundation
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Visits
@testable import Web

/// No deep link leads off the list of allowed hosts, whatever stands in it.
@Suite struct DeepLinkLocationTests {
    private static let starts = [
        "https://", "http://", "HTTPS://", "https:", "https:/", "https:\\\\", "//", "\t https://", "java", "",
        "https://example.com", "https://a.example.org:443", "https://example.com:80@", "https://example.com.",
        "https://user@",
    ]
    private static let ends = [
        "", "/", "/party?id=7#x", "example.com", ".example.com", "@example.com", "/花", "example.org.",
    ]

    private static let fallbacks: [LinkParameter] = [.ofl, .afl, .al, .ifl, .ipfl]

    private static func hostile(_ random: inout SeededGenerator) -> String {
        var text = starts.randomElement(using: &random) ?? ""
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            text +=
                (Bool.random(using: &random) ? HostileURL.tricks : ends).randomElement(using: &random) ?? ""
        }
        return text
    }

    /// Each parameter with a text of its own. The target is often an allowed one, else most links would be
    /// none.
    private static func parameters(_ random: inout SeededGenerator) -> [(String, String)] {
        let target = Bool.random(using: &random) ? "https://example.com/party?id=7#x" : hostile(&random)
        var given = [("link", target)]
        for (name, value) in [
            ("apn", "com.example.app"), ("ibi", "com.example.app"), ("ipbi", "com.example.pad"),
            ("isi", "123"),
            ("efr", "1"), ("st", "T"), ("ius", "sample"),
        ] where Int.random(in: 0..<3, using: &random) > 0 { given.append((name, value)) }
        for parameter in fallbacks where Bool.random(using: &random) {
            given.append((parameter.rawValue, hostile(&random)))
        }
        return given
    }

    private static func query(_ random: inout SeededGenerator) -> String? {
        guard Bool.random(using: &random) else { return nil }
        let pairs = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            "\((HostileURL.keys + ["utm_source"]).randomElement(using: &random) ?? "")=\(hostile(&random))"
        }
        return pairs.joined(separator: "&")
    }

    private static func visit(as visitor: DeepLinkVisitor, _ random: inout SeededGenerator) -> DeepLinkVisit {
        var visit = visitor.visit(isInvite: Bool.random(using: &random))
        if Bool.random(using: &random) { visit.device.inAppBrowser = .line }
        if Bool.random(using: &random) { visit.device.version = SystemVersion(1) }
        visit.hasLeft = Bool.random(using: &random)
        return visit
    }

    /// Where the answer leads, by itself or by its buttons.
    private static func destinations(
        _ answer: DeepLinkDecision, _ link: DeepLink
    ) -> [DeepLinkDecision.Destination] {
        switch answer.way {
        case .redirect(let place), .page(let place): [place]
        case .asking(let iPad, let other): [iPad, other]
        case .preview: [.url(link.target)]
        }
    }

    @Test func `100,000 hostile URLs lead nowhere else, as browsers read them, whoever opens them`() throws {
        var (random, config) = (SeededGenerator(), Config())
        (config.app.minimumIOS, config.app.minimumAndroid) = (SystemVersion(15), SystemVersion(8))
        let places = LinkURLs(links: InviteLinks(config), app: try AppListing(config.app))
        var (taken, tried): ([String: Int], Int) = ([:], 0)
        while tried < 100_000 {
            let given = Self.parameters(&random)
            tried += given.count { Self.fallbacks.map(\.rawValue).contains($0.0) }
            guard let (read, _) = try? DeepLinkTests.read(given) else { continue }
            let link = read.forwarding(Self.query(&random), places.links)
            for visitor in DeepLinkVisitor.allCases.shuffled(using: &random).prefix(1) {
                let visit = Self.visit(as: visitor, &random)
                if case .parameter(let parameter) = visit.end(as: visitor, link, places.app) {
                    taken[parameter.rawValue, default: 0] += 1
                }
                if visit.end(as: visitor, link, places.app) == .elsewhere, link[.ofl] != nil {
                    taken["ofl", default: 0] += 1
                }
                let ends = Self.destinations(DeepLinkDecision(to: visit, link, places.app), link)
                var urls = ends.map { places.url(of: $0, for: link) } + [link.target.text]
                // Regular expressions are slow.
                for end in ends where Int.random(in: 0..<10, using: &random) == 0 {
                    let intent = places.inAndroidApp(link, at: "https://go.example.com/x", else: end)
                    guard let intent else { continue }
                    let fallback = try #require(intent.firstMatch(of: /S\.browser_fallback_url=([^;]*);end$/))
                    urls.append(try #require(PercentEncoding.decode(String(fallback.1).utf8)))
                }
                for url in urls { try Self.expectAllowed(url, given) }
                for onIPad in [false, true] where Int.random(in: 0..<10, using: &random) == 0 {
                    let way = places.inIOSApp(link, onIPad: onIPad)
                    #expect(way?.contains(/^(sample|com\.example\.(app|pad)):\/\/google\/link\/\?/) != false)
                }
            }
        }
        for parameter in Self.fallbacks.map(\.rawValue) + ["link"] {
            #expect(taken[parameter, default: 0] > 10, "\(parameter) is tried")
        }
    }

    private static func expectAllowed(_ url: String, _ given: [(String, String)]) throws {
        #expect(url.utf8.allSatisfy { $0.isVisibleASCII }, "\(given)")
        let host = try #require(browserHost(of: url), "\(given)")
        let isStore = [
            "https://play.google.com/store/apps/details?id=com.example.app",
            "https://apps.apple.com/app/id123",
        ]
        .contains { url == $0 || url.hasPrefix("\($0)&") || url.hasPrefix("\($0)?") }
        #expect(
            isStore || host == "example.com" || host.hasSuffix(".example.org"), "\(given) leads to \(url)")
        #expect(
            !DeepLinkTests.project.domains.contains { (try? WebURL(url)).map($0.has) == true }, "\(given)")
    }

    /// The host to which a browser goes (https://url.spec.whatwg.org/#concept-basic-url-parser, for http and https alone).
    private static func browserHost(of text: String) -> String? {
        var rest = text.unicodeScalars.drop { $0.value <= 0x20 }.filter { ![9, 10, 13].contains($0.value) }
            .map { $0 == "\\" ? "/" : $0 }[...]
        for scheme in ["https:", "http:"]
        where String(String.UnicodeScalarView(rest)).lowercased().hasPrefix(scheme) {
            rest = rest.dropFirst(scheme.count).drop { $0 == "/" }
            let authority = rest.prefix { !["/", "?", "#"].contains($0) }
            let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? []
            let name = String(String.UnicodeScalarView(host)).lowercased().replacing(/:[0-9]*$/, with: "")
            let decoded = name.removingPercentEncoding ?? name
            return decoded.hasSuffix(".") ? String(decoded.dropLast()) : decoded
        }
        return nil
    }
}
