import Testing

@testable import Kernel
@testable import Web

@Suite struct AvatarURLTests {
    private static let hosts = AvatarHosts("cdn.example.org,*.pics.example.com,xn--r8jz45g.example")

    @Test(arguments: [
        "https://cdn.example.org", "https://cdn.example.org/", "https://cdn.example.org/a.png?w=1&h=2",
        "https://cdn.example.org:443/a", "https://CDN.Example.ORG/a", "https://cdn.example.org?a",
        "https://a.pics.example.com/x", "https://a.b.pics.example.com/%E8%8A%B1.png",
        "https://xn--r8jz45g.example/a", "https://cdn.example.org/a//b/../c;d=(1)!$*+,:@~",
        "https://cdn.example.org/" + String(repeating: "a", count: 488),
    ])
    func `a picture on an allowed host is taken as it is`(url: String) throws {
        #expect(AvatarURL(url, allowed: try #require(Self.hosts))?.text == url)
    }

    @Test(arguments: [
        "", "/a.png", "cdn.example.org/a", "//cdn.example.org/a", "http://cdn.example.org/a",
        "HTTPS://cdn.example.org/a", "https:/cdn.example.org/a", "https:cdn.example.org",
        "javascript:alert(1)", "javascript://cdn.example.org/%0Aalert(1)", "data:image/png;base64,AAAA",
        "https://user@cdn.example.org/a", "https://user:pass@cdn.example.org/a",
        "https://cdn.example.org@evil.example/a", "https://evil.example/cdn.example.org",
        "https://evil.example?cdn.example.org", "https://evil.example#cdn.example.org",
        "https://cdn.example.org.evil.example/", "https://evilcdn.example.org/", "https://example.org/",
        "https://pics.example.com/a", "https://.pics.example.com/a@b", "https://cdn.example.org./a",
        "https://cdn.example.org:444/a", "https://cdn.example.org:80/", "https://cdn.example.org:0443/",
        "https://cdn.example.org:/a", "https://cdn.example.org:443:443/", "https://[::1]/a",
        "https://[2001:db8::1]:443/a", "https://127.0.0.1/a", "https://例え.example/a",
        "https://cdn.example.org\\@evil.example/a", "https://cdn.example.org\\a",
        "https:\\\\cdn.example.org/a",
        "https://evil.example\\.pics.example.com/", "https://evil.example%2F.pics.example.com/",
        "https://a b.pics.example.com/", "https://a_b'.pics.example.com/",
        "https://-.pics.example.com/a\u{0}",
        "https://cdn.example.org/a#b", "https://cdn.example.org/a b", "https://cdn.example.org/a\"b",
        "https://cdn.example.org/a'b", "https://cdn.example.org/<b>", "https://cdn.example.org/a`b",
        "https://cdn.example.org/{a}", "https://cdn.example.org/a|b", "https://cdn.example.org/a^b",
        "https://cdn.example.org/花", "https://cdn.example.org/a\n", "https://cdn.example.org/a\u{0}",
        "https://cdn.example.org/a\r\nSet-Cookie:x", "https://cdn.example.org/%",
        "https://cdn.example.org/%zz",
        "https://cdn.example.org/%4", " https://cdn.example.org/a", "https://cdn.example.org/a ",
        "https://cdn.example.org/" + String(repeating: "a", count: 489),
        "https://cdn.example.org/" + String(repeating: "a", count: 10_000),
        "https://", "https:///a", "https://?a", "https://:443/",
    ])
    func `any other text is refused`(url: String) throws {
        #expect(AvatarURL(url, allowed: try #require(Self.hosts)) == nil)
        #expect(AvatarURL(url, allowed: .none) == nil)
    }

    @Test(arguments: [
        "", ",", "a,", "https://a.example", "a.example/", "a.example:443", "*", "*.", "*.com", "*a.example",
        "a.*.example", "**.a.example", "a..example", ".example", "example.", "-a.example", "a-.example",
        "a b",
        "例え.example", "'self'", "a;b", "a.example\n", String(repeating: "a", count: 64),
    ])
    func `the setting takes only names of hosts`(text: String) {
        #expect(AvatarHosts(text) == nil)
    }
}
