import Testing

@testable import Kith

/// What a `User-Agent` tells. `WK` and `BL` are the engines that all browsers of a system name.
@Suite struct DeviceTests {
    private static let wk = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
    private static let bl = "AppleWebKit/537.36 (KHTML, like Gecko)"

    private static func iPhone(_ system: String, _ rest: String) -> String {
        "Mozilla/5.0 (iPhone; CPU iPhone OS \(system) like Mac OS X) \(wk) \(rest)"
    }

    private static func webView(_ rest: String) -> String {
        "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP2A.240905.003; wv) \(bl) Version/4.0 Chrome/130.0.6723.83 Mobile Safari/537.36 \(rest)"
    }

    private static let iOS = Device(system: .iOS)
    private static let android = Device(system: .android)
    private static func on(_ system: Device.System, _ browser: Device.InAppBrowser) -> Device {
        Device(system: system, inAppBrowser: browser)
    }

    @Test(
        arguments: [
            (iPhone("15_8", "Version/15.6.6 Mobile/15E148 Safari/604.1"), iOS),
            (iPhone("18_6", "Version/26.0 Mobile/15E148 Safari/604.1"), iOS),
            (
                "Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) \(wk) Version/26.0 Mobile/15E148 Safari/604.1",
                iOS
            ),
            (iPhone("18_6_2", "CriOS/140.0.7339.101 Mobile/15E148 Safari/604.1"), iOS),
            (iPhone("18_1", "FxiOS/130.1  Mobile/15E148 Safari/605.1.15"), iOS),
            (iPhone("18_1", "EdgiOS/128.0.2739.82 Version/18.0 Mobile/15E148 Safari/604.1"), iOS),
            (iPhone("18_1", "GSA/334.0.674067880 Mobile/15E148 Safari/604.1"), iOS),
            ("Mozilla/5.0 (Linux; Android 10; K) \(bl) Chrome/141.0.0.0 Mobile Safari/537.36", android),
            ("Mozilla/5.0 (Linux; Android 10; K) \(bl) Chrome/141.0.0.0 Safari/537.36", android),
            (
                "Mozilla/5.0 (Linux; Android 10; K) \(bl) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
                android
            ),
            ("Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", android),
            (iPhone("18_6", "Mobile/15E148 Safari Line/15.12.1"), on(.iOS, .line)),
            (iPhone("18_6", "Mobile/15E148 Safari Line/15.12.1 LIFF"), on(.iOS, .line)),
            (webView("Line/15.15.1/IAB"), on(.android, .line)),
            (
                iPhone("18_1", "Mobile/22B83 Instagram 354.0.0.29.90 (iPhone12,8; iOS 18_1; en_US; IABMV/1)"),
                on(.iOS, .instagram)
            ),
            (
                iPhone("18_5", "Mobile/22F76 Instagram 393.1.0.36.70 (iPhone15,3; iOS 18_5) Safari/604.1)"),
                on(.iOS, .instagram)
            ),
            (webView("Instagram 355.1.0.44.103 Android (34/14; 420dpi)"), on(.android, .instagram)),
            (webView("Barcelona 355.0.0.39.109 Android (34/14) Instagram 1"), on(.android, .another)),
            (
                iPhone("18_1", "Mobile/22B83 [FBAN/FBIOS;FBAV/488.0.0.68.101;FBDV/iPhone12,8]"),
                on(.iOS, .another)
            ),
            (iPhone("18_6_2", "Mobile/22G100 Safari/604.1 MetaIAB Facebook"), on(.iOS, .another)),
            (webView("[FB_IAB/FB4A;FBAV/488.0.0.62.79;IABMV/1;]"), on(.android, .another)),
            (iPhone("18_7", "Mobile/15E148 Twitter for iPhone/11.20"), on(.iOS, .another)),
            (
                iPhone("17_3_1", "Mobile/15E148 BytedanceWebview/d8a21c6 musical_ly_33.2.1"),
                on(.iOS, .another)
            ),
            (iPhone("18_6_2", "Mobile/15E148 Safari/604.1 musical_ly_41.9.0"), on(.iOS, .another)),
            (iPhone("18_0", "Mobile/15E148 KAKAOTALK 10.5.0"), on(.iOS, .kakaoTalk)),
            (webView("KAKAOTALK/10.5.0"), on(.android, .kakaoTalk)),
            (
                iPhone("18_7", "Mobile/15E148 MicroMessenger/8.0.50(0x1800322d) NetType/WIFI"),
                on(.iOS, .another)
            ),
            (
                iPhone("26_0_1", "Version/26.0.1 Mobile/15E148 Safari/604.1 [WAiOS/2.25.31]"),
                on(.iOS, .another)
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) \(bl) Chrome/141.0.7390.124 Mobile Safari/537.36 [WA4A/2.25.32.75;]",
                on(.android, .another)
            ),
            (iPhone("18_1", "Mobile/15E148 {useragents: [LinkedInApp]/9.30.1753"), on(.iOS, .another)),
            (
                iPhone("17_3_1", "Version/17.3.1 Mobile/15E148 Snapchat/12.72.0.39 (like Safari)"),
                on(.iOS, .another)
            ),
            (webView(""), on(.android, .another)),
            ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(wk) Version/26.0 Safari/605.1.15", .unknown),
            ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(bl) Chrome/141.0.0.0 Safari/537.36", .unknown),
            ("Mozilla/5.0 (X11; Linux x86_64) \(bl) HeadlessChrome/156.0.0.0 Safari/537.36", .unknown),
            (
                "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) \(bl) Chrome/141.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
                .unknown
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 6_0 like Mac OS X) Safari/8536.25 (compatible; Applebot/0.3)",
                .unknown
            ),
            ("curl/7.88.1", .unknown), ("", .unknown), (String(repeating: "x", count: 100_000), .unknown),
        ] as [(String, Device)])
    func `the browser tells the device`(agent: String, device: Device) {
        #expect(Device(UserAgent(agent)) == device)
    }

    @Test(
        arguments: [
            "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
            "Mozilla/5.0 (compatible; Meta-ExternalHit/1.1; x)", "Twitterbot/1.0",
            "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
            "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
            "TelegramBot (like TwitterBot)",
            "WhatsApp/2.23.20.0 A", "facebookexternalhit/1.1;line-poker/1.0",
            "facebookexternalhit/1.1; kakaotalk-scrap/1.0; +https://devtalk.kakao.com/t/scrap/33984",
            "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0",
        ])
    func `a fetcher of previews is no device`(agent: String) {
        #expect(UserAgent(agent).isPreviewFetcher)
        #expect(Device(UserAgent(agent)) == .unknown)
    }
}
