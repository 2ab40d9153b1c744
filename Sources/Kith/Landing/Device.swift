import Foundation

/// What opens a page, as far as its `User-Agent` tells. An iPad mostly calls itself a Mac.
struct Device: Hashable, Sendable {
    var system: System
    /// The app whose own browser shows the page; nil for an ordinary browser.
    var inAppBrowser: InAppBrowser?

    enum System: CaseIterable, Hashable, Sendable {
        case iOS, android
        /// Computers, iPads that call themselves one, and programs.
        case other
    }

    /// Browsers inside apps, which seldom open other apps. Telegram's, on iPhones, cannot be told from Safari.
    enum InAppBrowser: CaseIterable, Hashable, Sendable {
        case line, kakaoTalk, instagram
        case another
    }

    static let unknown = Device(system: .other)

    init(system: System, inAppBrowser: InAppBrowser? = nil) {
        self.system = system
        self.inAppBrowser = inAppBrowser
    }

    init(_ agent: UserAgent) {
        // Search engines call themselves phones.
        if agent.isPreviewFetcher || agent.names(["Googlebot", "Applebot", "bingbot"]) {
            self = .unknown
        } else if agent.names(["iPhone", "iPad", "iPod"]) {
            self.init(system: .iOS, inAppBrowser: InAppBrowser(agent))
        } else if agent.names(["Android"]) {
            self.init(system: .android, inAppBrowser: InAppBrowser(agent))
        } else {
            self = .unknown
        }
    }
}

extension Device.InAppBrowser {
    /// Threads names Instagram, too, and newer browsers of Meta and TikTok name Safari.
    private static let marks: [(Self, [StaticString])] = [
        (.line, [" Line/"]), (.kakaoTalk, ["KAKAOTALK"]), (.another, ["Barcelona "]),
        (.instagram, ["Instagram "]),
        (
            .another,
            [
                "FBAN/", "FB_IAB", "MetaIAB", "musical_ly", "BytedanceWebview", "Twitter for ",
                "MicroMessenger/",
                "[LinkedInApp]", "Snapchat/", "[WAiOS/", "[WA4A/", "; wv)",
            ]
        ),
    ]

    fileprivate init?(_ agent: UserAgent) {
        guard let found = Self.marks.first(where: { agent.names($0.1) }) else { return nil }
        self = found.0
    }
}

/// The beginning of a `User-Agent` header, in which products are looked for by parts of their names.
struct UserAgent: Sendable {
    private let header: String
    /// Whether it fetches a page to show a preview of its link in a chat or feed.
    let isPreviewFetcher: Bool

    /// - Parameter header: its first 512 bytes are read.
    init(_ header: String?) {
        var header = header ?? ""
        if header.utf8.count > 512 { header = String(decoding: header.utf8.prefix(512), as: UTF8.self) }
        self.header = header
        isPreviewFetcher = Self.names(Self.previewFetchers, in: header)
    }

    /// A page looks for some forty marks: `strstr` takes a tenth of the time that comparing in Swift does.
    func names(_ marks: [StaticString]) -> Bool { Self.names(marks, in: header) }

    private static func names(_ marks: [StaticString], in header: String) -> Bool {
        header.withCString { header in marks.contains { strstr(header, $0.cString) != nil } }
    }

    /// As in `18.6`, or `26.0`: Safari names its own version, which since 26 is the system's, while what the header calls the
    /// system's stands still at 18; nil if it cannot be told.
    var iOSVersion: String? {
        if let safari = header.firstMatch(of: /Version\/(\d+)\.(\d+)/), let major = Int(safari.1), major >= 26
        {
            return "\(safari.1).\(safari.2)"
        }
        guard let system = header.firstMatch(of: /\bOS (\d+)_(\d+)/), let major = Int(system.1) else {
            return nil
        }
        // In a browser inside another app, a system from 26 on looks like 18.6 or 18.7.
        let isFrozen = major == 18 && ["6", "7"].contains(system.2) && !header.contains("Version/")
        return isFrozen ? nil : "\(system.1).\(system.2)"
    }

    /// LINE, KakaoTalk and iMessage call themselves Facebook's.
    private static let previewFetchers: [StaticString] = [
        "facebookexternalhit", "Facebot", "meta-externalfetcher", "Meta-ExternalHit", "Twitterbot",
        "TelegramBot", "Slackbot", "Slack-ImgProxy", "Discordbot", "WhatsApp/", "LinkedInBot",
        "SkypeUriPreview", "Pinterestbot", "SnapURLPreview", "BlueskyPreviewBot", "Mastodon/", "Viber/",
        "Iframely",
    ]
}

extension StaticString {
    /// The compiler ends it with a zero byte.
    fileprivate var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
