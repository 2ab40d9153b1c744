import Foundation
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Rollout
@testable import Web
@testable import Webhooks

/// Every setting, field, link and webhook that is a URL refuses what browsers refuse, repair, or read in two
/// ways.
@Suite struct URLSettingsTests {
    static let broken = [
        "https://a.example\\b", "https://:80/", "https://a..b/", "https://a.example:99999/",
        "https://exa<mple/",
        "https://a.example:0/", "https://a.example:/", "https://a.example:x/", "https://0x7f.1/",
        "https://2130706433/", "https://1.2.3/", "https://1.2.3.256/", "https://[::1/", "https://[:::]/",
        "https://[a.example]/", "https://a b.example/", "https://例え.example/", "https://me@a.example/",
        "https://me:pw@a.example/", "https://.a.example/", "https://a%2eexample/", "https://a.example\t/",
        "https://a.example/\\x", "https://a.example/\u{7F}", "//a.example/", "https:a.example", "https:///",
        "https://", "javascript:alert(1)", "data:text/html,x", "ftp://a.example/", "a.example",
    ]

    /// Each with a value that it takes, and further ones that it refuses.
    private static let settings: [(name: String, good: String, bad: [String])] = [
        (
            "KITH_APP_URL", "https://a.example:8443/x?y=1#z",
            ["https://a.example/a b", "https://a.example/\"x"]
        ),
        ("KITH_PRIVACY_URL", "http://a.example/x", ["https://a.example/é"]),
        ("KITH_REPORT_URL", "https://a.example/x", ["mailto:", "mailto:a b@c.example"]),
        ("KITH_SUNSET_URL", "https://a.example/x", ["http://a.example/x", "https://a.example/>; rel=x"]),
        ("KITH_APP_STORE_URL", "https://apps.apple.com/app/id1", ["itms-apps://a.example/"]),
        ("KITH_PLAY_STORE_URL", "https://play.google.com/store/apps/details?id=a.b", ["market://x"]),
        ("KITH_LINK_URL", "https://a.example:8443", ["https://a.example/x", "https://a.example?x"]),
        (
            "KITH_LINK_DOMAINS", "https://go.example.com/l",
            ["https://go.example.com/l?x", "https://go.example.com//"]
        ),
        ("KITH_AUTH_JWKS", "https://a.example/jwks", ["http://a.example/jwks"]),
        ("KITH_CORS_ORIGINS", "https://a.example:8443", ["https://a.example/x", "null", "*.example", "*,*"]),
    ]

    private func mistakes(_ setting: String, _ text: String) async -> [String] {
        await App.mistakes(in: [setting: text]).filter { $0.hasPrefix(setting) }
    }

    @Test(arguments: settings.map { $0.name })
    func `each setting refuses them, and takes a sound one`(name: String) async throws {
        let setting = try #require(Self.settings.first { $0.name == name })
        #expect(await mistakes(name, setting.good) == [])
        for text in Self.broken + setting.bad {
            #expect(await mistakes(name, text).count == 1, "\(text)")
        }
    }

    @Test func `the table has every field of an app that is a URL`() {
        let urls = AppField.all.filter { $0.name == "url" || $0.name.hasSuffix("Url") }.map(\.setting)
        #expect(Set(urls).subtracting(Self.settings.map { $0.name }) == [])
    }

    @Test(arguments: AppField.all.filter { $0.name == "url" || $0.name.hasSuffix("Url") }.map(\.name))
    func `each field of an app refuses them`(name: String) {
        let path = name.split(separator: ".")
        for text in Self.broken {
            let value = "'\(text.replacing("'", with: "''"))'"
            let field = path.count == 1 ? "\(name): \(value)" : "\(path[0]): {\(path[1]): \(value)}"
            let yaml = "apps: {a: {hosts: [https://h.example], \(field)}}"
            #expect(throws: ConfigError.self, "\(text)") {
                try AppsFile(yaml: yaml, folder: URL(filePath: "/"), config: Config())
            }
        }
    }

    @Test(arguments: broken) func `so do hosts of apps, policies, webhooks, links and pictures`(text: String)
    {
        let yaml = "apps: {a: {hosts: ['\(text)']}}"
        #expect(throws: ConfigError.self) {
            try AppsFile(yaml: yaml, folder: URL(filePath: "/"), config: Config())
        }
        let fields = ["platform": "ios", "action": "none", "url": text]
        var reader = PolicyReader(fields, place: "policies.a")
        #expect(reader.policy() == nil)
        #expect(throws: WebhookURL.Fault.self) { try WebhookURL(text, reach: .isAll) }
        #expect((try? WebURL(text)) == nil)
        let hosts = HostPatterns("a.example,*.a.example,exa.example") ?? .none
        #expect(AvatarURL(text, allowed: hosts) == nil)
    }

    @Test func `a policy takes URLs of stores, too`() {
        for url in ["https://a.example/x", "itms-apps://apps.apple.com/app/id1", "market://details?id=a.b"] {
            var reader = PolicyReader(["platform": "ios", "action": "none", "url": url], place: "policies.a")
            #expect(reader.policy()?.url == url)
        }
    }

    @Test(arguments: [
        ("https://A.Example:443/x", "https://a.example"), ("http://a.example:80", "http://a.example"),
        ("http://a.example:443/", "http://a.example:443"), ("HTTPS://a.example./", "https://a.example"),
        ("https://[2001:DB8::1]:8443/", "https://[2001:db8::1]:8443"),
        ("https://a.example:0443/", "https://a.example"),
    ])
    func `an origin is written as browsers write it`(url: String, origin: String) throws {
        #expect(try WebURL(url).origin == origin)
    }

    @Test func `a link is ours if its origin is, however it is written`() {
        let links = InviteLinks(origin: "https://join.example.com")
        let invite = InviteReference.name(Username.Key(of: "ann"), "u-1")
        for (origin, isOurs) in [
            ("https://JOIN.example.com:443", true), ("https://join.example.com.", true),
            ("http://join.example.com", false), ("https://join.example.com:8443", false),
            ("https://join.example.com@evil.example", false), ("https://evil.example", false),
        ] {
            let read = links.reference(in: "\(origin)/users/ann?invitedBy=u-1")
            #expect(read == (isOurs ? invite : .unrecognised), "\(origin)")
        }
    }
}
