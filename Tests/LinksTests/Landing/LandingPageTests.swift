import Testing

@testable import AppTesting
@testable import Kernel
@testable import Links
@testable import Web

@Suite struct LandingPageTests {
    @Test(arguments: [
        ("Mara Lindqvist", "M"), ("mara", "M"), ("山田 花子", "山"), ("😺ねこ", "😺"), ("👩🏽‍🚀 Ada", "👩🏽‍🚀"), ("🇯🇵", "🇯🇵"),
        ("  (paul)", "P"), ("<b>", "B"), ("7up", "7"), ("محمد", "م"), ("ßen", "SS"), ("!!!", "T"), (" ", "T"),
        ("\u{200B}", "T"),
        ("e\u{301}mile", "E\u{301}"), ("e" + String(repeating: "\u{301}", count: 5000), "E"),
    ])
    func `the picture shows the first letter, digit or emoji`(name: String, initial: String) {
        #expect(page(displayName: name).initial == initial)
    }

    @Test(arguments: [nil, "", "  ", "\n", "\u{200B}\u{200D}", "\u{2066}\u{2069}"] as [String?])
    func `a user without a visible display name is shown by the username`(name: String?) {
        #expect(page(displayName: name).name == "taro_55")
    }

    @Test func `a username always has the same of six colours`() {
        #expect(page(displayName: "A").tint == page(displayName: "B").tint)
        #expect((0..<6).contains(page(displayName: nil).tint))
    }

    private func page(displayName: String?) -> LandingPage {
        LandingPage(
            kind: .profile, displayName: displayName, username: "taro_55",
            url: "https://kith.example/users/taro_55", link: "https://kith.example/users/taro_55",
            qrURL: "/users/taro_55/qr.svg", imageURL: "https://kith.example/users/taro_55/card.jpg",
            language: .en, decision: LandingDecision(row: 8, offers: []))
    }

    @Test(
        arguments: [
            (0.0, .minutes(1)), (-5, .minutes(1)), (59, .minutes(1)), (60, .minutes(1)),
            (7100, .minutes(118)), (7199, .hours(2)), (7200, .hours(2)), (169_000, .hours(47)),
            (172_799, .days(2)), (172_800, .days(2)), (604_799, .days(7)), (315_360_000, .days(3650)),
        ] as [(Double, LinkTerms.TimeLeft)])
    func `the time left is told in the largest unit of which there are two`(
        seconds: Double, left: LinkTerms.TimeLeft
    ) {
        #expect(LinkTerms.TimeLeft(seconds: seconds) == left)
    }
}

@Suite struct AppListingTests {
    @Test(arguments: [
        "javascript", "JavaScript", "data", "vbscript", "file", "blob", "1app", "my app", "", "app:", "アプリ",
        "app\n",
    ])
    func `a scheme that could run code is refused`(scheme: String) {
        #expect(throws: AppListingError.urlScheme(scheme)) {
            try AppListing(AppConfig { $0.scheme = scheme })
        }
    }

    @Test(arguments: [
        "javascript:alert(1)", "//apps.example", "https:", "https://", "https://a b", "market://details?id=x",
        "", "mailto:a@example.com", "https://a:b@c.example", "https://@c.example", "https://a@c.example?x",
    ])
    func `an address on the web must be http or https`(url: String) {
        let settings: [(String, WritableKeyPath<AppConfig, String?>)] = [
            ("KITH_APP_STORE_URL", \.appStoreURL), ("KITH_PLAY_STORE_URL", \.playStoreURL),
            ("KITH_APP_URL", \.homeURL), ("KITH_PRIVACY_URL", \.privacyURL),
        ]
        for (setting, property) in settings {
            #expect(throws: AppListingError.url(setting, url)) {
                try AppListing(AppConfig { $0[keyPath: property] = url })
            }
        }
    }

    @Test func `abuse is reported on the web or by mail`() throws {
        for url in ["https://example.com/report", "mailto:abuse@example.com"] {
            #expect(try AppListing(AppConfig { $0.reportURL = url }).reportURL == url)
        }
        for url in ["javascript:alert(1)", "mailto:", "mailto:a b@example.com", "abuse@example.com"] {
            #expect(throws: AppListingError.url("KITH_REPORT_URL", url)) {
                try AppListing(AppConfig { $0.reportURL = url })
            }
        }
    }

    @Test(arguments: ["id42", "", "4 2", "４２"]) func `a number is digits only`(number: String) {
        #expect(throws: AppListingError.appStoreID(number)) {
            try AppListing(AppConfig { $0.appStoreID = number })
        }
    }

    @Test(arguments: ["", "a b", "a;end", "a#", "パッケージ"]) func `a package is a name of Java`(package: String)
    {
        #expect(throws: AppListingError.androidPackage(package)) {
            try AppListing(AppConfig { $0.androidPackage = package })
        }
    }

    @Test func `the stores are found by number and package`() throws {
        let app = try AppListing(
            AppConfig {
                $0.appStoreID = "42"
                $0.androidPackage = "com.example.app"
            })
        #expect(app.appStoreURL == "https://apps.apple.com/app/id42")
        #expect(app.playStoreURL == "https://play.google.com/store/apps/details?id=com.example.app")
    }
}
