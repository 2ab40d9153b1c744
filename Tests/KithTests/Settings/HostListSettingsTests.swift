import Foundation
import Testing

@testable import Kith
@testable import Web

/// Every setting and field that lists names of hosts takes the same, and refuses the same in the same words.
@Suite struct HostListSettingsTests {
    private static let settings = ["KITH_AVATAR_HOSTS", "KITH_LINK_TARGETS"]

    private func mistakes(_ setting: String, _ text: String) async -> [String] {
        await App.mistakes(in: [setting: text]).filter { $0.hasPrefix(setting) }
    }

    private func mistakes(inFile text: String) -> [String] {
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map { "\"\($0)\"" }
        let yaml =
            "apps: {a: {hosts: [https://a.example], linkTargets: [\(names.joined(separator: ","))]}}"
        do {
            _ = try AppsFile(yaml: yaml, folder: URL(filePath: "/"), config: Config())
            return []
        } catch {
            return (error as? ConfigError)?.mistakes ?? ["\(error)"]
        }
    }

    @Test(arguments: [
        "cdn.example.org", "CDN.Example.org", "*.example.com", "a.example, *.b.example", "localhost",
        "xn--r8jz45g.example", "1.example", "a-b.example", "*.co.example",
    ])
    func `names of hosts are taken, in any case`(text: String) async {
        for setting in Self.settings { #expect(await mistakes(setting, text) == []) }
        #expect(mistakes(inFile: text) == [])
        #expect(HostPatterns(text)?.names.allSatisfy { $0 == $0.lowercased() } == true)
    }

    @Test(arguments: [
        "*.com", "*", "*.", "**.a.example", "a.*.example", "*a.example", "-a-.com", "-a.example",
        "a-.example",
        "a.example.", "*.a.example.", ".a.example", "a..example", "127.0.0.1", "10.0.0", "0x7f.1", "*.1.2",
        "[::1]", "::1", "a.example:443", "https://a.example", "a.example/", "a_b.example", "例え.example",
        "a b.example", "a.example,", ",a.example", "a,,b", "'self'", "a;b",
        String(repeating: "a", count: 64) + ".example",
        Array(repeating: String(repeating: "a", count: 60), count: 5).joined(separator: "."),
    ])
    func `all else is refused, in the same words`(text: String) async {
        for setting in Self.settings {
            #expect(
                await mistakes(setting, text)
                    == ["\(setting): '\(text)' is not allowed: it must be \(HostPatterns.form)"])
        }
        #expect(!mistakes(inFile: text).isEmpty)
    }

    @Test func `a star means the hosts below, and not the host itself`() throws {
        let hosts = try #require(HostPatterns("*.example.com,b.example.org"))
        for (host, isListed) in [
            ("a.example.com", true), ("a.b.example.com", true), ("example.com", false),
            ("b.example.org", true),
            ("evilexample.com", false), ("a.b.example.org", false), ("b.example.org.evil", false),
        ] {
            #expect(hosts.has(host) == isListed, "\(host)")
        }
    }
}
