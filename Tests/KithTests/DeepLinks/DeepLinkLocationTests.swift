import Foundation
import TestSupport
import Testing

@testable import Kith

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

    @Test func `100,000 hostile targets lead nowhere else, as browsers read them`() throws {
        var random = SeededGenerator()
        var taken = 0
        for _ in 0..<100_000 {
            var text = Self.starts.randomElement(using: &random) ?? ""
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                text +=
                    (Bool.random(using: &random) ? HostileURL.tricks : Self.ends).randomElement(
                        using: &random) ?? ""
            }
            let given = [("link", text), ("ofl", text), ("afl", text), ("apn", "com.example.app")]
            guard let (link, _) = try? DeepLinkTests.read(given) else { continue }
            taken += 1
            for visit in [DeepLinkVisit(device: .unknown), DeepLinkVisit(device: Device(system: .android))] {
                let answer = DeepLinkAnswer(to: visit, link, try AppListing(AppConfig()))
                guard case .redirect(.url(let url)) = answer.way else { continue }
                let host = try #require(Self.browserHost(of: url.text), "\(text)")
                #expect(host == "example.com" || host.hasSuffix(".example.org"), "'\(text)' leads to \(host)")
                #expect(url.text.utf8.allSatisfy { $0.isVisibleASCII }, "\(text)")
            }
        }
        #expect(taken > 1000)
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
