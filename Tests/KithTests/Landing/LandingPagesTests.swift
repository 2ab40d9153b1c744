import Testing

@testable import Kith

@Suite struct LandingPagesTests {
    private let pages: LandingPages

    init() throws {
        pages = try LandingPages(app: Self.listing(), templates: Templates())
    }

    @Test(arguments: Language.allCases, LandingPages.ErrorPage.allCases)
    func `every not-found page has the same bytes, and so has every try-again page`(
        language: Language, page: LandingPages.ErrorPage
    ) throws {
        let html = pages.error(page, language)
        #expect(html == (try LandingPages(app: Self.listing(), templates: Templates())).error(page, language))
        #expect(html.contains(#"<html lang="\#(language.rawValue)">"#) && html.contains("noindex"))
        #expect(html.contains(LandingTexts.of(language).error(page).advice))
    }

    @Test func `an invite is kept out of search engines, but a profile is not`() {
        for kind in [LandingPage.Kind.invite, .ask] {
            #expect(pages.landing(page(kind: kind)).contains("noindex"))
        }
        #expect(!pages.landing(page(kind: .profile)).contains("noindex"))
    }

    @Test func `the page speaks the language asked for`() {
        #expect(pages.landing(page()).contains("<title>Hanako invites you to Kith</title>"))
        let japanese = pages.landing(page(language: .ja))
        #expect(japanese.contains(#"<html lang="ja">"#))
        #expect(japanese.contains("<title>HanakoさんからKithへの招待</title>"))
        #expect(japanese.contains("Kithに登録すると、すぐに友だちになれます。"))
    }

    @Test func `a page has all tags for a link preview`() {
        let html = pages.landing(page())
        for meta in [
            #"<link rel="canonical" href="https://kith.example/users/hanako?invitedBy=u&amp;a=1,2">"#,
            #"property="og:title" content="Hanako invites you to Kith""#,
            #"property="og:url" content="https://kith.example/users/hanako?invitedBy=u&amp;a=1,2""#,
            #"property="og:image" content="https://kith.example/users/hanako/card.jpg?invitedBy=u""#,
            #"property="og:image:width" content="1200""#, #"property="og:type" content="profile""#,
            #"property="og:site_name" content="Kith""#, #"name="twitter:card" content="summary_large_image""#,
            #"content="app-id=42, app-argument=https://kith.example/users/hanako?invitedBy=u&amp;a=1%2C2""#,
            #"property="al:ios:url" content="sample://users/hanako""#,
            #"property="al:ios:app_store_id" content="42""#,
            #"property="al:android:package" content="example.sample""#,
        ] { #expect(html.contains(meta), "\(meta)") }
    }

    @Test func `the page leaves out what is not configured`() throws {
        let html = try LandingPages(app: AppListing(name: "Kith"), templates: Templates()).landing(page())
        for absent in ["al:ios", "al:android", "apple-itunes-app", "<a ", "sample:", "class=\"actions\""] {
            #expect(!html.contains(absent), "\(absent)")
        }
    }

    @Test(arguments: [
        "javascript:alert(1)", "JAVASCRIPT:alert(1)", "https://evil.example/", "other://x", "sample", "",
        " sample://x", "sample://x\ny", "samples://x",
    ])
    func `only the app's own scheme opens the app`(url: String) {
        var page = page()
        page.openURL = url
        #expect(!pages.landing(page).contains("al:ios:url"))
        #expect(!pages.landing(page).contains("Open in Kith"))
    }

    @Test func `the page has no scripts, inline styles or external resources`() {
        for html in [pages.landing(page()), pages.error(.notFound, .en)] {
            for word in [
                "<script", "style=\"", "onclick", "@import", "url(", "<iframe", "<form", "http-equiv",
            ] {
                #expect(!html.contains(word), "\(word)")
            }
        }
    }

    @Test(arguments: [
        "<script>alert(1)</script>", #""><img src=x onerror=alert(1)>"#, "' onmouseover='alert(1)",
        "</title><script>",
        "</style><script>", "<!--", "]]>", "{{title}}", "{{{title}}}", "{{>style}}", "{{#url}}{{/url}}",
        "&lt;script&gt;",
        "<\u{301}script>\u{301}", "\"\u{301} onfocus=\u{FE0F}alert(1) autofocus x=\"\u{301}",
        ">\u{20E3}<\u{200D}svg/onload=1>",
        "<\u{FE0F}img src=x onerror=alert(1)>", "\u{0}<b>", "<\r\n b>", "\r\n\r\n<b>", "\u{202E}drow\u{202C}",
        "\u{2069}\u{2066}x",
        "محمد", "אבג <b>", "👩🏽‍👩🏽‍👧🏽‍👦🏽", "H\(String(repeating: "\u{300}", count: 4000))", "＜script＞", "Ω≈ç√∫˜µ≤≥÷",
        "$&", "%3Cb%3E", "\\u003cb\\u003e",
        Array(repeating: "extraordinarily", count: 100).joined(separator: " "),
        String(repeating: "<", count: 5000), String(repeating: "W", count: 5000),
    ])
    func `a name cannot add an element or attribute`(name: String) {
        for language in Language.allCases {
            for kind in [LandingPage.Kind.invite, .ask, .profile] {
                var page = page(kind: kind, language: language)
                page.displayName = String(repeating: "a", count: name.count)
                let harmless = pages.landing(page)
                page.displayName = name
                #expect(markup(of: pages.landing(page)) == markup(of: harmless))
            }
        }
    }

    @Test func `neither the app's name nor a username can add an element or attribute`() throws {
        let attack = "\"\u{301}><script>alert(1)</script>"
        let harmless = pages.landing(page())
        var page = page()
        page.username = attack
        #expect(markup(of: pages.landing(page)) == markup(of: harmless))
        let app = try AppListing(
            name: attack, urlScheme: "sample", appStoreID: "42", appStoreURL: "https://apps.example/42",
            androidPackage: "example.sample", playStoreURL: "https://play.example/42")
        let pages = try LandingPages(app: app, templates: Templates())
        #expect(markup(of: pages.landing(self.page())) == markup(of: harmless))
    }

    private static func listing() throws -> AppListing {
        try AppListing(
            name: "Kith", urlScheme: "sample", appStoreID: "42", appStoreURL: "https://apps.example/42",
            androidPackage: "example.sample", playStoreURL: "https://play.example/42")
    }

    private func page(kind: LandingPage.Kind = .invite, language: Language = .en) -> LandingPage {
        LandingPage(
            kind: kind, displayName: "Hanako", username: "hanako",
            url: "https://kith.example/users/hanako?invitedBy=u&a=1,2",
            qrURL: "/users/hanako/qr.svg?invitedBy=u",
            imageURL: "https://kith.example/users/hanako/card.jpg?invitedBy=u",
            openURL: "sample://users/hanako", language: language)
    }
}

/// The tags with the names of their attributes, without values, parsed as a browser does.
private func markup(of html: String) -> String {
    var bytes: [UInt8] = []
    var inTag = false
    var inValue = false
    for byte in html.utf8 {
        switch byte {
        case UInt8(ascii: "<") where !inTag: inTag = true
        case UInt8(ascii: "\"") where inTag: inValue.toggle()
        case UInt8(ascii: ">") where inTag && !inValue: inTag = false
        default: break
        }
        if inTag && !inValue { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
}
