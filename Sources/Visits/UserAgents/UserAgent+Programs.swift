import Foundation

/// Tells programs from browsers by what they say about themselves. `scripts/check-agents` compares it with
/// public lists of both.
extension UserAgent {
    /// Every browser names one of these, even those of phones without apps.
    private static let engines: [StaticString] = [
        "mozilla/5.0", "applewebkit", "opera", "ucweb", "ucbrowser", "qqbrowser", "msie ", "firefox/", "midp",
        "netfront",
        "up.browser", "obigo",
    ]

    /// The length of `Mozilla/5.0`, to which every browser adds something.
    private static let shortest = 11

    /// Parts of words that say what a program is for, and names of programs that say nothing else.
    private static let marks: [StaticString] = [
        "http", "bot/", "spider/", "preview", "fetch", "crawl", "headless", "lighthouse", "page speed",
        "googlemessages", "google-", "-google", "google_", "google fav", "adsense", "imageproxy",
        "synthetic", "ptst/", "pingdom", "phantomjs", "selenium", "playwright", "(compatible)", "facebot",
        "whatsapp/",
        "skypeuri", "facebookexternal", "jsdom", "wkhtml", "ms-office", "bluecoat", "gtmetrix", "site24x7",
    ]

    /// Words that say what a program is for, but that are also names of some phones.
    private static let words: [StaticString] = ["bot", "spider", "scan", "scrap", "check", "monitor"]

    /// The pairs of characters with which the marks begin. A page asks several times, and searching for each
    /// mark would take longer than everything else.
    private static let beginnings: [Bool] = {
        var table = [Bool](repeating: false, count: 1 << 14)
        for mark in marks + words + [model, older] {
            table[pair(mark.utf8Start[0], mark.utf8Start[1])] = true
        }
        return table
    }()
    private static let model: StaticString = "android"
    private static let older: StaticString = "compatible;"

    private static func pair(_ first: UInt8, _ second: UInt8) -> Int {
        Int(first & 127) << 7 | Int(second & 127)
    }

    static func isProgram(_ header: String) -> Bool {
        let (marks, words, table) = (marks, words, beginnings)
        let text = header.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } + [0]
        return text.withUnsafeBytes { bytes in
            guard let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return true }
            func has(_ marks: [StaticString]) -> Bool { marks.contains { strstr(text, $0.cString) != nil } }
            guard has(engines), header.utf8.count > Self.shortest else { return true }
            // The model of a phone stands between its system and the bracket, and some apps name it again.
            var isModel = false
            for place in 0..<(bytes.count - 1) {
                if bytes[place] == UInt8(ascii: ")") { isModel = false }
                guard table[pair(bytes[place], bytes[place + 1])] else { continue }
                func begins(_ mark: StaticString) -> Bool {
                    strncmp(text + place, mark.cString, mark.utf8CodeUnitCount) == 0
                }
                if marks.contains(where: begins) || !isModel && words.contains(where: begins) { return true }
                if begins(older), !has(["msie ", "trident/"]) { return true }
                if begins(model) { isModel = true }
            }
            return false
        }
    }
}

extension UserAgent {
    /// Whether it says that it shows previews of links in chats and feeds, so that it need not be told to
    /// keep pages out of an index. LINE, KakaoTalk and iMessage call themselves Facebook's.
    package var isPreviewFetcher: Bool {
        names([
            "facebookexternalhit", "Facebot", "meta-externalfetcher", "Meta-ExternalHit", "Twitterbot",
            "TelegramBot", "Slackbot", "Slack-ImgProxy", "Discordbot", "WhatsApp/", "LinkedInBot",
            "SkypeUriPreview", "Pinterestbot", "SnapURLPreview", "BlueskyPreviewBot", "Bluesky Cardyb",
            "Mastodon/", "Viber/", "Iframely", "GoogleMessages/", "MicrosoftPreview", "Snap URL Preview",
            "vkShare",
            "Embedly", "redditbot",
        ])
    }
}
