import Testing

@testable import Kith

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
            url: "https://kith.example/users/taro_55",
            qrURL: "/users/taro_55/qr.svg", imageURL: "https://kith.example/users/taro_55/card.jpg",
            language: .en)
    }
}

@Suite struct AppListingTests {
    @Test(arguments: [
        "javascript", "JavaScript", "data", "vbscript", "file", "blob", "1app", "my app", "", "app:", "アプリ",
        "app\n",
    ])
    func `a scheme that could run code is refused`(scheme: String) {
        #expect(throws: AppListingError.urlScheme(scheme)) { try AppListing(name: "Kith", urlScheme: scheme) }
    }

    @Test(arguments: [
        "javascript:alert(1)", "//apps.example", "https:", "https://", "https://a b", "market://details?id=x",
        "",
    ])
    func `a store's URL must be http or https`(url: String) {
        #expect(throws: AppListingError.storeURL(url)) { try AppListing(name: "Kith", appStoreURL: url) }
        #expect(throws: AppListingError.storeURL(url)) { try AppListing(name: "Kith", playStoreURL: url) }
    }

    @Test(arguments: ["id42", "", "4 2", "４２"]) func `an App Store id must be a number`(id: String) {
        #expect(throws: AppListingError.appStoreID(id)) { try AppListing(name: "Kith", appStoreID: id) }
    }
}
