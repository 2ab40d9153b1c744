/// A program that fetches a page to show a preview of its link.
package struct PreviewFetcher: Hashable, Sendable {
    package let name: String
    let userAgent: String
    /// Its name in robots.txt. Nil if it does not read that file.
    let robotsToken: String?
    /// Whether it shows no preview of a page with `<meta name=robots content=noindex>`.
    let obeysNoindex: Bool
    /// The tags from which it takes a text. The first that the page has counts.
    let titles: [String]
    let descriptions: [String]
    let images: [String]
    let look: PreviewLook

    private init(
        _ name: String, _ userAgent: String, robots: String? = nil, prefersTwitter: Bool = false,
        obeysNoindex: Bool = false, look: PreviewLook = PreviewLook()
    ) {
        (self.obeysNoindex, self.look) = (obeysNoindex, look)
        (self.name, self.userAgent, robotsToken) = (name, userAgent, robots)
        func sources(_ what: String) -> [String] {
            let both = ["og:\(what)", "twitter:\(what)"]
            return prefersTwitter ? both.reversed() : both
        }
        (titles, descriptions, images) = (sources("title"), sources("description"), sources("image"))
    }

    /// The fetchers of the chat apps and networks where most links are shared. LINE and Meta are not known to
    /// always obey robots.txt, but a page that they may not fetch has lost its preview there.
    package static let all = [
        PreviewFetcher(
            "X", "Twitterbot/1.0", robots: "Twitterbot", prefersTwitter: true,
            look: PreviewLook(large: .wide, small: .square, hasDescription: false)),
        PreviewFetcher(
            "Facebook",
            "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
            robots: "facebookexternalhit", look: PreviewLook(large: .wide, small: .wide)),
        PreviewFetcher(
            "LINE", "facebookexternalhit/1.1;line-poker/1.0", robots: "facebookexternalhit",
            look: PreviewLook(large: .wide, small: .wide)),
        PreviewFetcher(
            "Slack", "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", robots: "Slackbot"),
        PreviewFetcher("WhatsApp", "WhatsApp/2.23.20.0", look: PreviewLook(large: .wide, small: .wide)),
        PreviewFetcher(
            "iMessage",
            """
            Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 \
            Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0
            """, look: PreviewLook(hasDescription: false)),
        PreviewFetcher(
            "Telegram", "TelegramBot (like TwitterBot)", robots: "TelegramBot", obeysNoindex: true),
        PreviewFetcher(
            "Discord", "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
            robots: "Discordbot", look: PreviewLook(small: .square)),
    ]

    /// A browser as people use it, for comparison.
    static let browser = PreviewFetcher(
        "a browser",
        """
        Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 \
        Safari/605.1.15
        """)
}
