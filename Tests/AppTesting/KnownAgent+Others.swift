@testable import Visits

/// Computers, and programs.
extension KnownAgent {
    static let others = [
        KnownAgent(
            "an iPad’s browser in an app, as a Mac", .unknown, row: 8,
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(wk)"),
        KnownAgent(
            "KaiOS", .unknown, row: 8,
            "Mozilla/5.0 (Mobile; LYF/F90M/LYF-F90M-000-02-21-131117; Android; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.0"
        ),
        KnownAgent(
            "Internet Explorer", .unknown, row: 8,
            "Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Win64; x64; Trident/6.0)"),
        KnownAgent(
            "Messages’ previews", .unknown, row: 8, isFetcher: true,
            "Mozilla/5.0 (Linux; Android 10; K) \(bl) Chrome/138.0.0.0 Mobile Safari/537.36 GoogleMessages/20.1"
        ),
        KnownAgent(
            "Teams’ previews", .unknown, row: 8, isFetcher: true,
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(bl) Chrome/141.0.0.0 Safari/537.36 MicrosoftPreview/2.0"
        ),
        KnownAgent(
            "VK’s previews", .unknown, row: 8, isFetcher: true,
            "Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)"),
        KnownAgent(
            "Snap’s previews", .unknown, row: 8, isFetcher: true, "Snap URL Preview Service; bot; snapchat"),
        KnownAgent(
            "Lighthouse", .unknown, row: 8, isFetcher: true,
            "Mozilla/5.0 (Linux; Android 11; moto g power (2022)) \(bl) Chrome/136.0.0.0 Mobile Safari/537.36 Chrome-Lighthouse"
        ),
        KnownAgent(
            "AdsBot", .unknown, row: 8, isFetcher: true,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 14_7_1 like Mac OS X) \(wk) Version/14.1.2 Mobile/15E148 Safari/604.1 (compatible; AdsBot-Google-Mobile; +http://www.google.com/mobile/adsbot.html)"
        ),
        KnownAgent("okhttp", .unknown, row: 8, isFetcher: true, "okhttp/4.12.0"),
        KnownAgent(
            "iPad as a Mac", .unknown, row: 8,
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(wk) Version/26.0 Safari/605.1.15"),
        KnownAgent(
            "Chrome on Windows", .unknown, row: 8,
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(bl) Chrome/141.0.0.0 Safari/537.36"),
        KnownAgent(
            "Edge on Windows", .unknown, row: 8,
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(bl) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0"),
        KnownAgent(
            "Firefox on Windows", .unknown, row: 8,
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0"),
        KnownAgent(
            "iMessage’s previews", .unknown, row: 8, isFetcher: true,
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0"
        ),
        KnownAgent(
            "LINE’s previews", .unknown, row: 8, isFetcher: true,
            "facebookexternalhit/1.1;line-poker/1.0"),
        KnownAgent(
            "KakaoTalk’s previews", .unknown, row: 8, isFetcher: true,
            "facebookexternalhit/1.1;kakaotalk-scrap/1.0; +https://devtalk.kakao.com/t/scrap/33984"),
        KnownAgent(
            "Facebook’s previews", .unknown, row: 8, isFetcher: true,
            "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)"),
        KnownAgent(
            "Meta’s previews", .unknown, row: 8, isFetcher: true,
            "Mozilla/5.0 (compatible; Meta-ExternalHit/1.1; x)"),
        KnownAgent(
            "X’s previews", .unknown, row: 8, isFetcher: true,
            "Twitterbot/1.0"),
        KnownAgent(
            "Slack’s previews", .unknown, row: 8, isFetcher: true,
            "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"),
        KnownAgent(
            "Discord’s previews", .unknown, row: 8, isFetcher: true,
            "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)"),
        KnownAgent(
            "Telegram’s previews", .unknown, row: 8, isFetcher: true,
            "TelegramBot (like TwitterBot)"),
        KnownAgent(
            "LinkedIn’s previews", .unknown, row: 8, isFetcher: true,
            "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)"),
        KnownAgent(
            "WhatsApp’s previews", .unknown, row: 8, isFetcher: true,
            "WhatsApp/2.23.20.0 A"),
        KnownAgent(
            "Snapchat’s previews", .unknown, row: 8, isFetcher: true,
            "Mozilla/5.0 (compatible; SnapURLPreview/1.0; +https://www.snapchat.com)"),
        KnownAgent(
            "Pinterest’s previews", .unknown, row: 8, isFetcher: true,
            "Mozilla/5.0 (compatible; Pinterestbot/1.0; +http://www.pinterest.com/bot.html)"),
        KnownAgent(
            "Skype’s previews", .unknown, row: 8, isFetcher: true,
            "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5"),
        KnownAgent(
            "Bluesky’s previews", .unknown, row: 8, isFetcher: true,
            "Mozilla/5.0 (compatible; BlueskyPreviewBot/1.0)"),
        KnownAgent(
            "Bluesky’s cards", .unknown, row: 8, isFetcher: true,
            "Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)"),
        KnownAgent(
            "Googlebot", .unknown, row: 8, isFetcher: true,
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) \(bl) Chrome/141.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
        ),
        KnownAgent(
            "Applebot", .unknown, row: 8, isFetcher: true,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 6_0 like Mac OS X) Safari/8536.25 (compatible; Applebot/0.3; +http://www.apple.com/go/applebot)"
        ),
        KnownAgent(
            "bingbot", .unknown, row: 8, isFetcher: true,
            "Mozilla/5.0 \(bl) Chrome/141.0.0.0 Safari/537.36 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"
        ),
        KnownAgent(
            "HeadlessChrome", .unknown, row: 8, isFetcher: true,
            "Mozilla/5.0 (X11; Linux x86_64) \(bl) HeadlessChrome/156.0.0.0 Safari/537.36"),
        KnownAgent(
            "curl", .unknown, row: 8, isFetcher: true,
            "curl/7.88.1"),
        KnownAgent(
            "none", .unknown, row: 8, isFetcher: true,
            ""),
    ]
}
