import Testing

@testable import LinkTools
@testable import Web

/// What a page says to fetchers of previews, and what robots.txt says.
@Suite struct PreviewTagsTests {
    private func tags(_ html: String) -> PreviewTags { PreviewTags(html: Array(html.utf8)) }

    @Test(arguments: [
        #"<meta property="og:title" content="Hana">"#, "<META PROPERTY=og:title CONTENT=Hana>",
        "<meta content='Hana' property='og:title'/>", "<meta\n\tproperty = \"OG:title\"\n content = Hana >",
        #"<!-- <meta property="og:title" content="no"> --><meta property="og:title" content="Hana">"#,
        #"<style>a{content:"<meta property='og:title' content=no>"}</style><meta property=og:title content=Hana>"#,
        #"<meta property="og:title" content="Hana"><meta property="og:title" content="second">"#,
        #"<meta property="og:title" content="&#72;&#x61;na">"#,
    ])
    func `a tag is found however it is written`(html: String) {
        #expect(tags(html)["og:title"] == "Hana")
    }

    @Test(arguments: [
        "", "<", "<meta", "<meta property", "<meta property=", "<meta property='og:title", "<!--", "<title>",
        "<style><",
        "<meta property=og:title content=' '>", "<body><meta property=og:title content=x>", "<meta =x>",
        "<meta / / >",
    ])
    func `a page without it, or cut anywhere, has none`(html: String) {
        #expect(tags(html)["og:title"] == nil)
    }

    @Test func `entities are read, titles too, and the end of the tags is known`() {
        let html = "<title>A &amp; B &lt;3 &copy;</title><meta property=og:image content='/x?a=1&amp;b=2'><p>"
        let tags = tags(html)
        #expect(tags.title == "A & B <3 &copy;")
        #expect(tags["og:image"] == "/x?a=1&b=2")
        #expect(tags.end == html.utf8.count - 3)
    }

    private static let robots = """
        # comment
        User-agent: *
        Disallow: /users/
        Allow: /users/ann   # she wants to
        User-agent: Twitterbot/1.0
        User-agent: Slackbot
        Disallow: /*.jpg$
        Disallow: /caf\u{E9}
        Allow:
        unknown: x

        User-agent: facebookexternalhit
        Disallow:
        User-agent: twitterbot
        Disallow: /%61bc
        """

    @Test(arguments: [
        ("/users/bob", "Discordbot", false), ("/users/ann?x", "Discordbot", true), ("/", "Discordbot", true),
        ("/users/bob", "Twitterbot", true), ("/a.jpg", "Twitterbot", false), ("/a.jpg?x", "TWITTERBOT", true),
        ("/a.jpg", "slackbot", false), ("/caf%c3%a9s", "Slackbot", false), ("/abcd", "Twitterbot", false),
        ("/users/bob", "facebookexternalhit", true), ("/robots.txt", "Discordbot", true),
        ("/abc", "Slackbot", true),
    ])
    func `robots.txt is read as RFC 9309 says`(path: String, token: String, isAllowed: Bool) {
        #expect(RobotsRules(Self.robots).allows(path, for: token) == isAllowed)
    }

    @Test(arguments: [
        ("/", "/x", true), ("/x$", "/x", true), ("/x$", "/xy", false), ("/*/c", "/a/b/c", true),
        ("*", "/", true),
        ("/a*b*c$", "/aXbYbZc", true), ("/a*b*c$", "/aXbYbZcd", false), ("/***a", "/bca", true),
        ("/a*", "/a", true),
    ])
    func `patterns have stars and an end`(pattern: String, path: String, matches: Bool) {
        let rules = RobotsRules("User-agent: *\nDisallow: \(pattern)")
        #expect(rules.allows(path, for: "Twitterbot") == !matches)
    }

    @Test func `many stars take no time`() {
        let rules = RobotsRules("User-agent: *\nDisallow: /" + String(repeating: "*a", count: 200) + "$")
        #expect(rules.allows("/" + String(repeating: "a", count: 4000) + "b", for: "Twitterbot"))
    }

    @Test func `the longest rule decides, and of equals the one that allows`() {
        let rules = RobotsRules("User-agent: *\nDisallow: /a\nAllow: /a\nDisallow: /a/b\nAllow: /a/b/c")
        #expect(
            rules.allows("/a", for: "x") && !rules.allows("/a/b", for: "x")
                && rules.allows("/a/b/c", for: "x"))
        #expect(RobotsRules("").allows("/", for: "x"))
    }
}
