import Kernel
import Visits

/// A sample visitor who opens a link, for the page of `kith dev` that shows what each visitor gets.
struct SampleVisitor: Sendable {
    let name: String
    let agent: String
    /// The system that opens apps by links, whatever the browser calls it. Nil if there is none.
    let platform: AppPlatform?

    init(_ name: String, on platform: AppPlatform?, _ agent: String) {
        (self.name, self.platform, self.agent) = (name, platform, agent)
    }

    static let all = [
        SampleVisitor(
            "iPhone, Safari, iOS 26", on: .ios, iPhone("18_6", "Version/26.0 \(mobile) Safari/604.1")),
        SampleVisitor(
            "iPhone, Safari, iOS 15", on: .ios, iPhone("15_8", "Version/15.6.6 \(mobile) Safari/604.1")),
        SampleVisitor(
            "iPad, which calls itself a Mac: a script puts the App Store first", on: .ios,
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(webKit) Version/26.0 Safari/605.1.15"),
        SampleVisitor(
            "Android, Chrome, which hides the version", on: .android,
            "Mozilla/5.0 (Linux; Android 10; K) \(blink) Chrome/141.0.0.0 Mobile Safari/537.36"),
        SampleVisitor(
            "Android 7, Firefox", on: .android,
            "Mozilla/5.0 (Android 7.1.2; Mobile; rv:68.0) Gecko/68.0 Firefox/68.0"),
        SampleVisitor(
            "Computer", on: nil,
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(blink) Chrome/141.0.0.0 Safari/537.36"),
        SampleVisitor("LINE, iPhone", on: .ios, iPhone("18_6", "\(mobile) Safari Line/15.12.1")),
        SampleVisitor("LINE, Android", on: .android, webView("Line/15.15.1/IAB")),
        SampleVisitor(
            "Instagram, iPhone", on: .ios,
            iPhone(
                "18_5", "Mobile/22F76 Instagram 393.1.0.36.70 (iPhone15,3; iOS 18_5; IABMV/1) Safari/604.1)")),
        SampleVisitor(
            "Instagram, Android", on: .android, webView("Instagram 355.1.0.44.103 Android (34/14; 420dpi)")),
        SampleVisitor(
            "Facebook, iPhone", on: .ios, iPhone("18_6_2", "Mobile/22G100 Safari/604.1 MetaIAB Facebook")),
        SampleVisitor(
            "Facebook, Android", on: .android, webView("[FB_IAB/FB4A;FBAV/488.0.0.62.79;IABMV/1;]")),
        SampleVisitor("X, iPhone", on: .ios, iPhone("18_7", "\(mobile) Twitter for iPhone/11.20")),
        SampleVisitor(
            "TikTok, iPhone", on: .ios, iPhone("18_6_2", "\(mobile) Safari/604.1 musical_ly_41.9.0")),
        SampleVisitor(
            "TikTok, Android", on: .android, webView("musical_ly_2023303040 JsSdk/1.0 AppName/musical_ly")),
        SampleVisitor("KakaoTalk, iPhone", on: .ios, iPhone("18_0", "\(mobile) KAKAOTALK 10.5.0")),
        SampleVisitor(
            "WeChat, iPhone", on: .ios, iPhone("18_7", "\(mobile) MicroMessenger/8.0.50(0x1800322d)")),
        SampleVisitor("WhatsApp, for a preview", on: nil, "WhatsApp/2.23.20.0 A"),
        SampleVisitor(
            "Googlebot, which calls itself Android", on: nil,
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X) \(blink) Chrome/141.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1)"
        ),
    ]

    private static let webKit = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
    private static let blink = "AppleWebKit/537.36 (KHTML, like Gecko)"
    private static let mobile = "Mobile/15E148"

    private static func iPhone(_ system: String, _ rest: String) -> String {
        "Mozilla/5.0 (iPhone; CPU iPhone OS \(system) like Mac OS X) \(webKit) \(rest)"
    }

    private static func webView(_ rest: String) -> String {
        "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP2A.240905.003; wv) \(blink) Version/4.0 Chrome/130.0.6723.83 Mobile Safari/537.36 \(rest)"
    }
}
