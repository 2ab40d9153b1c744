import Testing

@testable import Kernel
@testable import Visits

/// A `User-Agent` as somebody saw it, and what it gets: device, way out of the browser, and the row of "What
/// a page offers" for an app that needs iOS 16 or Android 8 and whose invites go straight to the store.
struct KnownAgent: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let device: Device
    let row: Int
    /// The beginning of the URL that leads out.
    var way: String?
    var isFetcher = false

    var testDescription: String { "\(name): \(text)" }

    init(
        _ name: String, _ device: Device, row: Int, out way: String? = nil, isFetcher: Bool = false,
        _ text: String
    ) {
        (self.name, self.text, self.device) = (name, text, device)
        (self.row, self.way, self.isFetcher) = (row, way, isFetcher)
    }

    /// The engines that all browsers of a system name.
    static let wk = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
    static let bl = "AppleWebKit/537.36 (KHTML, like Gecko)"

    static let all = phones + inApps + others

    private static let phones = [
        KnownAgent(
            "Safari 15", .on(.iOS, nil, 15.8), row: 1,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 15_8 like Mac OS X) \(wk) Version/15.6.6 Mobile/15E148 Safari/604.1"
        ),
        KnownAgent(
            "Safari 17.5", .on(.iOS, nil, 17.5), row: 4,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) \(wk) Version/17.5 Mobile/15E148 Safari/604.1"
        ),
        KnownAgent(
            "Safari 18.6", .on(.iOS, nil, 18.6), row: 4,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) \(wk) Version/18.6 Mobile/15E148 Safari/604.1"
        ),
        KnownAgent(
            "Safari 26.0", .on(.iOS, nil, 26.0), row: 4,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) \(wk) Version/26.0 Mobile/15E148 Safari/604.1"
        ),
        KnownAgent(
            "Safari 26.4", .on(.iOS, nil, 26.4), row: 4,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) \(wk) Version/26.4 Mobile/15E148 Safari/604.1"
        ),
        KnownAgent(
            "iPad, mobile site", .on(.iOS, nil, 26.0), row: 4,
            "Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) \(wk) Version/26.0 Mobile/15E148 Safari/604.1"),
        KnownAgent(
            "Chrome", .on(.iOS, nil, nil), row: 4,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6_2 like Mac OS X) \(wk) CriOS/140.0.7339.101 Mobile/15E148 Safari/604.1"
        ),
        KnownAgent(
            "Firefox", .on(.iOS, nil, 18.1), row: 4,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) \(wk) FxiOS/130.1  Mobile/15E148 Safari/605.1.15"
        ),
        KnownAgent(
            "Edge", .on(.iOS, nil, 18.1), row: 4,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) \(wk) EdgiOS/128.0.2739.82 Version/18.0 Mobile/15E148 Safari/604.1"
        ),
        KnownAgent(
            "Chrome on an iPad as a Mac", .on(.iOS, nil, nil), row: 4,
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(wk) CriOS/140.0.7339.101 Version/16.6 Safari/604.1"
        ),
        KnownAgent(
            "a phone called bot", .on(.android, nil, 7.0), row: 1,
            "Mozilla/5.0 (Linux; Android 7.0; M bot 54) \(bl) Chrome/78.0.3904.96 Mobile Safari/537.36"),
        KnownAgent(
            "a CUBOT", .on(.android, nil, 13.0), row: 5,
            "Mozilla/5.0 (Linux; Android 13; CUBOT P80) \(bl) Chrome/124.0.0.0 Mobile Safari/537.36"),
        KnownAgent(
            "Chrome on Android", .on(.android, nil, nil), row: 5,
            "Mozilla/5.0 (Linux; Android 10; K) \(bl) Chrome/141.0.0.0 Mobile Safari/537.36"),
        KnownAgent(
            "its tablet", .on(.android, nil, nil), row: 5,
            "Mozilla/5.0 (Linux; Android 10; K) \(bl) Chrome/141.0.0.0 Safari/537.36"),
        KnownAgent(
            "Samsung Internet", .on(.android, nil, nil), row: 5,
            "Mozilla/5.0 (Linux; Android 10; K) \(bl) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36"
        ),
        KnownAgent(
            "Firefox on Android", .on(.android, nil, 15.0), row: 5,
            "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"),
        KnownAgent(
            "an old one", .on(.android, nil, 7.1), row: 1,
            "Mozilla/5.0 (Android 7.1.2; Mobile; rv:68.0) Gecko/68.0 Firefox/68.0"),
        KnownAgent(
            "Google", .on(.iOS, nil, 18.1), row: 4,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) \(wk) GSA/334.0.674067880 Mobile/15E148 Safari/604.1"
        ),
    ]

    private static let inApps = [
        KnownAgent(
            "a bare WKWebView", .on(.iOS, .another, 18.1), row: 2,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) \(wk) Mobile/15E148"),
        KnownAgent(
            "Facebook on an iPad as a Mac", .on(.iOS, .another, nil), row: 2,
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(wk) Mobile/15E148 [FBAN/FBIOS;FBAV/488.0.0.68.101]"
        ),
        KnownAgent(
            "Weibo", .on(.iOS, .another, 18.1), row: 2,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) \(wk) Mobile/15E148 Weibo (iPhone14,2__weibo__14.9.0__iphone__os18.1)"
        ),
        KnownAgent(
            "Yahoo! Japan", .on(.iOS, .another, 18.1), row: 2,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) \(wk) Version/18.1 Mobile/15E148 Safari/604.1 YJApp-IOS jp.co.yahoo.ipn.appli/4.120.0"
        ),
        KnownAgent(
            "LINE", .on(.iOS, .line, nil), row: 2, out: "https:",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) \(wk) Mobile/15E148 Safari Line/15.12.1"),
        KnownAgent(
            "LIFF", .on(.iOS, .line, nil), row: 2, out: "https:",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) \(wk) Mobile/15E148 Safari Line/15.12.1 LIFF"
        ),
        KnownAgent(
            "LINE on Android", .on(.android, .line, 15.0), row: 3, out: "https:",
            "Mozilla/5.0 (Linux; Android 15; SM-S921N Build/AP3A; wv) \(bl) Version/4.0 Chrome/138.0.7204.63 Mobile Safari/537.36 Line/15.15.1/IAB"
        ),
        KnownAgent(
            "Instagram", .on(.iOS, .instagram, 18.1), row: 2, out: "instagram:",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) \(wk) Mobile/22B83 Instagram 354.0.0.29.90 (iPhone12,8; iOS 18_1; en_US; en; scale=2.00; 750x1334; 654111336; IABMV/1)"
        ),
        KnownAgent(
            "an old one", .on(.iOS, .instagram, 15.8), row: 1, out: "instagram:",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 15_8 like Mac OS X) \(wk) Mobile/19H390 Instagram 354.0.0.29.90 (iPhone9,1; iOS 15_8; en_US; en; scale=2.00; 750x1334; 654111336; IABMV/1)"
        ),
        KnownAgent(
            "Instagram, with Safari", .on(.iOS, .instagram, 18.5), row: 2, out: "instagram:",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) \(wk) Mobile/22F76 Instagram 393.1.0.36.70 (iPhone15,3; iOS 18_5; IABMV/1; 776538208) Safari/604.1)"
        ),
        KnownAgent(
            "Instagram on Android", .on(.android, .instagram, 14.0), row: 3, out: "intent:",
            "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP2A.240905.003; wv) \(bl) Version/4.0 Chrome/130.0.6723.58 Mobile Safari/537.36 Instagram 355.1.0.44.103 Android (34/14; 420dpi; 1080x2205; Google/google; Pixel 8; shiba; shiba; en_US; 658190016)"
        ),
        KnownAgent(
            "Threads on Android", .on(.android, .threads, 14.0), row: 3, out: "intent:",
            "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP2A.240905.003; wv) \(bl) Version/4.0 Chrome/130.0.6723.58 Mobile Safari/537.36 Barcelona 355.0.0.39.109 Android (34/14; 420dpi)"
        ),
        KnownAgent(
            "Threads", .on(.iOS, .threads, 18.1), row: 2, out: "barcelona:",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) \(wk) Mobile/22B83 Barcelona 354.0.0.29.90 (iPhone12,8; iOS 18_1) Instagram 1"
        ),
        KnownAgent(
            "Facebook", .on(.iOS, .another, 18.1), row: 2,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) \(wk) Mobile/22B83 [FBAN/FBIOS;FBAV/488.0.0.68.101;FBBV/658219612;FBDV/iPhone12,8;FBMD/iPhone;FBSN/iOS;FBSV/18.1;FBSS/2;FBID/phone;FBLC/en_US;FBOP/5;FBRV/0;IABMV/1]"
        ),
        KnownAgent(
            "Facebook, short", .on(.iOS, .another, nil), row: 2,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6_2 like Mac OS X) \(wk) Mobile/22G100 Safari/604.1 MetaIAB Facebook"
        ),
        KnownAgent(
            "Messenger", .on(.iOS, .another, 18.1), row: 2,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) \(wk) Mobile/15E148 [FBAN/FBIOS;FBAV/482.2.0.68.110;FBCR/;FBOP/80]"
        ),
        KnownAgent(
            "Facebook on Android", .on(.android, .another, 14.0), row: 3, out: "intent:",
            "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP2A.240905.003; wv) \(bl) Version/4.0 Chrome/130.0.6723.83 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/488.0.0.62.79;IABMV/1;]"
        ),
        KnownAgent(
            "X", .on(.iOS, .another, nil), row: 2,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) \(wk) Mobile/15E148 Twitter for iPhone/11.20"
        ),
        KnownAgent(
            "TikTok, old", .on(.iOS, .another, 17.3), row: 2,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_3_1 like Mac OS X) \(wk) Mobile/15E148 BytedanceWebview/d8a21c6 musical_ly_33.2.1 JsSdk/2.0 NetType/WIFI Channel/App Store ByteLocale/en Region/US"
        ),
        KnownAgent(
            "TikTok", .on(.iOS, .another, nil), row: 2,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6_2 like Mac OS X) \(wk) Mobile/15E148 Safari/604.1 musical_ly_41.9.0"
        ),
        KnownAgent(
            "TikTok on Android", .on(.android, .another, 14.0), row: 3, out: "intent:",
            "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UQ1A.240105.004; wv) \(bl) Version/4.0 Chrome/121.0.6167.143 Mobile Safari/537.36 musical_ly_2023303040 JsSdk/1.0 NetType/WIFI Channel/googleplay AppName/musical_ly app_version/33.3.4 ByteLocale/en"
        ),
        KnownAgent(
            "KakaoTalk", .on(.iOS, .kakaoTalk, 18.0), row: 2, out: "kakaotalk:",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) \(wk) Mobile/15E148 KAKAOTALK 10.5.0"),
        KnownAgent(
            "KakaoTalk on Android", .on(.android, .kakaoTalk, 14.0), row: 3, out: "kakaotalk:",
            "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP2A.240905.003; wv) \(bl) Version/4.0 Chrome/130.0.6723.83 Mobile Safari/537.36 KAKAOTALK/10.5.0 (INAPP)"
        ),
        KnownAgent(
            "WeChat", .on(.iOS, .weChat, nil), row: 2,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) \(wk) Mobile/15E148 MicroMessenger/8.0.50(0x1800322d) NetType/WIFI Language/ja"
        ),
        KnownAgent(
            "WhatsApp", .on(.iOS, .another, 26.0), row: 2,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0_1 like Mac OS X) \(wk) Version/26.0.1 Mobile/15E148 Safari/604.1 [WAiOS/2.25.31]"
        ),
        KnownAgent(
            "WhatsApp on Android", .on(.android, .another, nil), row: 3, out: "intent:",
            "Mozilla/5.0 (Linux; Android 10; K) \(bl) Chrome/141.0.7390.124 Mobile Safari/537.36 [WA4A/2.25.32.75;]"
        ),
        KnownAgent(
            "LinkedIn", .on(.iOS, .another, 18.1), row: 2,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) \(wk) Mobile/15E148 {useragents: [LinkedInApp]/9.30.1753"
        ),
        KnownAgent(
            "Snapchat", .on(.iOS, .another, 17.3), row: 2,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_3_1 like Mac OS X) \(wk) Version/17.3.1 Mobile/15E148 Snapchat/12.72.0.39 (like Safari/8617.2.4.10.8, panda)"
        ),
        KnownAgent(
            "any WebView", .on(.android, .another, 15.0), row: 3, out: "intent:",
            "Mozilla/5.0 (Linux; Android 15; Pixel 9 Build/AP4A.250205.002; wv) \(bl) Version/4.0 Chrome/133.0.6943.49 Mobile Safari/537.36"
        ),
        KnownAgent(
            "an old one", .on(.android, .another, 7.0), row: 1, out: "intent:",
            "Mozilla/5.0 (Linux; Android 7.0; SM-G920F Build/NRD90M; wv) \(bl) Version/4.0 Chrome/119.0.6045.193 Mobile Safari/537.36"
        ),
    ]
}

extension Device {
    fileprivate static func on(_ system: System, _ browser: InAppBrowser?, _ version: Double?) -> Device {
        Device(system: system, inAppBrowser: browser, version: version.flatMap { SystemVersion("\($0)") })
    }
}
