import Foundation
import NIOCore
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Links
@testable import Visits
@testable import Web

@Suite struct LandingPagesTests {
    let pages: LandingPages

    init() throws {
        pages = try Self.pages(Self.listing())
    }

    static func pages(_ app: AppListing) throws -> LandingPages {
        try LandingPages(app: app, templates: .standard, languages: LandingLanguages())
    }

    @Test(arguments: [Language.en, .ja, .ar], LandingPages.ErrorPage.allCases)
    func `every not-found page has the same bytes, and so has every try-again page`(
        language: Language, page: LandingPages.ErrorPage
    ) throws {
        let html = pages.errorHTML(page, language, requestID: "7f")
        #expect(try html == Self.pages(Self.listing()).errorHTML(page, language, requestID: "7f"))
        let other = pages.errorHTML(page, language, requestID: "8a")
        #expect((html == other) == (page != .tryAgain), "only there it tells the request")
        #expect(html.contains(#"<p class="id" dir="ltr">7f</p>"#) == (page == .tryAgain))
        #expect(html.contains(#"<html lang="\#(language)" dir="\#(language == .ar ? "rtl" : "ltr")">"#))
        let advice: [LandingPages.ErrorPage: LandingTexts.Key] = [
            .notFound: .notFoundAdvice, .gone: .goneAdvice, .tryAgain: .tryAgainAdvice,
            .needsKey: .keyAdvice, .closed: .closedAdvice,
        ]
        let texts = try LandingLanguages()[language]
        #expect(try html.contains(texts(#require(advice[page]), [.date: ""])))
    }

    @Test func `a dead link leads on to the app and the right store`() throws {
        let ways = { (system: Device.System) in
            hrefs(of: pages.errorHTML(.gone, .en, Device(system: system), requestID: "7f"))
        }
        #expect(ways(.iOS) == ["https://sample.example", "https://apps.example/42"])
        #expect(ways(.android) == ["https://sample.example", "https://play.example/42"])
        #expect(
            ways(.other) == ["https://sample.example", "https://apps.example/42", "https://play.example/42"])
        #expect(try hrefs(of: Self.pages(AppListing(AppConfig())).errorHTML(.gone, .en, requestID: "")) == [])
    }

    @Test func `the page speaks the language asked for`() {
        #expect(pages.html(page()).contains("<title>Hanako invites you to Kith</title>"))
        let japanese = pages.html(page(language: .ja))
        #expect(japanese.contains(#"<html lang="ja" dir="ltr">"#))
        #expect(japanese.contains("<title>HanakoさんからKithへの招待</title>"))
        #expect(japanese.contains("Kithに登録すると、すぐに友だちになれます。"))
    }

    @Test func `a page has all tags for a link preview`() {
        let html = pages.html(page())
        for meta in [
            #"<link rel="canonical" href="https://kith.example/users/hanako?invitedBy=u&amp;a=1,2">"#,
            #"property="og:title" content="Hanako invites you to Kith""#,
            #"property="og:url" content="https://kith.example/7h2k9m4pqr5t8vwx""#,
            #"property="og:locale" content="en_US""#, #"property="og:locale:alternate" content="ja_JP""#,
            #"property="al:web:should_fallback" content="true""#,
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
        let html = try Self.pages(AppListing(AppConfig())).html(page())
        for absent in [
            "al:ios", "al:android", "apple-itunes-app", "<a ", "sample:", "class=\"offers\"", "<footer",
            "class=\"label\"", "<blockquote", "class=\"left\"", "tagline\"", "icon.png",
        ] {
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
        #expect(!pages.html(page).contains("al:ios:url"))
        #expect(!pages.html(page).contains("Open in Kith"))
    }

    @Test func `the page tells what its owner said of this link`() {
        var page = page(kind: .ask)
        page.terms = LinkTerms(
            label: "Summer <party>", note: "See you there", timeLeft: .days(3), placesLeft: 2)
        let html = pages.html(page)
        for text in ["Summer &lt;party&gt;", "See you there", "Days left: 3", "Places left: 2"] {
            #expect(html.contains(text), "\(text)")
        }
        page.language = .ja
        for text in ["残り3日", "残り2名"] { #expect(pages.html(page).contains(text), "\(text)") }
    }

    @Test func `a user's picture stands in place of the initial`() {
        var page = page()
        #expect(pages.html(page).contains(#"<span class="avatar" aria-hidden="true">H</span>"#))
        page.avatarUrl = "https://cdn.example/h.jpg?a=1&b=2"
        let html = pages.html(page)
        #expect(html.contains(#"<img class="avatar" src="https://cdn.example/h.jpg?a=1&amp;b=2" alt="""#))
        #expect(!html.contains(#"<span class="avatar""#))
    }

    @Test func `all tags for previews are in the first 8 KiB`() throws {
        var page = page()
        page.displayName = String(repeating: "<", count: 100)
        let html = pages.html(page)
        let end = try #require(html.range(of: "al:web:should_fallback"))
        #expect(html.utf8.distance(from: html.startIndex, to: end.upperBound) < 8192)
    }

    @Test func `the tags are the same for every device`() {
        func head(_ device: Device) -> Substring? {
            var page = page()
            page.device = device
            return pages.html(page).split(separator: "<body", maxSplits: 1).first
        }
        for system in Device.System.allCases {
            #expect(head(Device(system: system, inAppBrowser: .line)) == head(.unknown))
        }
    }

    @Test func `who runs the pages stands at their foot`() throws {
        let html = pages.html(page())
        #expect(
            html.contains("Run by \u{2068}Sample Ltd\u{2069}")
                && html.contains(#"<a href="https://sample.example/privacy">"#)
        )
        #expect(
            pages.errorHTML(.notFound, .en, requestID: "").contains(
                #"<a href="mailto:abuse@sample.example">"#))
    }

    @Test func `the operator's name keeps its full stop in every direction of writing`() throws {
        let pages = try Self.pages(Self.listing { $0.operatorName = "Tomo \u{202E}Inc." })
        for language in [Language.en, .ar] {
            #expect(pages.html(page(language: language)).contains("\u{2068}Tomo Inc.\u{2069}"))
        }
    }

    @Test func `the values of a page are those that its template may name`() throws {
        var page = page()
        (page.avatarUrl, page.friends) = ("https://cdn.example/h.jpg", 2)
        page.terms = LinkTerms(label: "a", note: "b", timeLeft: .days(3), placesLeft: 2)
        let app = try Self.listing {
            ($0.sunset, $0.sunsetURL) = (Sunset("2027-03-31"), "https://sample.example/closing")
        }
        let values = PageValues(app: app, languages: pages.languages)
        func names(_ values: [String: Any]) -> Set<String> {
            values.values.compactMap { ($0 as? [[String: Any]])?.first }.reduce(Set(values.keys)) {
                $0.union(names($1))
            }
        }
        var shape = PageShape(pages.decided(page), pages.app)
        shape.needs = "iOS 16"
        #expect(
            names(values.of(shape)).subtracting(Self.unlisted) == Templates.Name.landing.values)
        let error = ErrorShape(page: .tryAgain, language: .en, offers: [.home])
        #expect(names(values.of(error)) == Templates.Name.error.values)
    }

    /// Slots of the URLs of offers, and of the name in texts.
    private static let unlisted: Set = [
        "intentURL", "browserURL", "appStoreURL", "playStoreURL", "plainName",
    ]

    @Test func `the page has no inline styles, no external resources, and no script but ours`() {
        for html in [pages.html(page()), pages.errorHTML(.tryAgain, .en, requestID: "7f")] {
            for word in [
                "<script ", "style=\"", "onclick", "@import", "url(", "<iframe", "<form", "http-equiv",
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
        for language in [Language.en, .ja, .ar] {
            for kind in [LandingPage.Kind.invite, .ask, .profile] {
                var page = page(kind: kind, language: language)
                page.displayName = String(repeating: "a", count: name.count)
                let harmless = pages.html(page)
                page.displayName = name
                #expect(markup(of: pages.html(page)) == markup(of: harmless))
            }
        }
    }

    @Test func `neither the app's name nor a username can add an element or attribute`() throws {
        let attack = "\"\u{301}><script>alert(1)</script>"
        let harmless = pages.html(page())
        var page = page()
        page.username = attack
        #expect(markup(of: pages.html(page)) == markup(of: harmless))
        let pages = try Self.pages(Self.listing { $0.name = attack })
        #expect(markup(of: pages.html(self.page())) == markup(of: harmless))
    }

    static func listing(_ change: (inout AppConfig) -> Void = { _ in }) throws -> AppListing {
        try AppListing(
            AppConfig {
                $0.tagline = "Friends at hand"
                $0.homeURL = "https://sample.example"
                ($0.scheme, $0.appStoreID, $0.androidPackage) = ("sample", "42", "example.sample")
                ($0.appStoreURL, $0.playStoreURL) = ("https://apps.example/42", "https://play.example/42")
                $0.operatorName = "Sample Ltd"
                $0.privacyURL = "https://sample.example/privacy"
                $0.reportURL = "mailto:abuse@sample.example"
                change(&$0)
            })
    }

    func page(kind: LandingPage.Kind = .invite, language: Language = .en) -> LandingPage {
        LandingPage(
            kind: kind, displayName: "Hanako", username: "hanako",
            url: "https://kith.example/users/hanako?invitedBy=u&a=1,2",
            link: "https://kith.example/7h2k9m4pqr5t8vwx", qrURL: "/7h2k9m4pqr5t8vwx/qr.svg",
            imageURL: "https://kith.example/users/hanako/card.jpg?invitedBy=u",
            openURL: "sample://users/hanako", language: language,
            decision: LandingDecision(row: 8, offers: []))
    }

    /// Where the buttons lead, in their order.
    func hrefs(of html: String) -> [String] {
        html.matches(of: /<a class="button[^"]*" href="([^"]*)"/).map { String($0.output.1) }
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

extension LandingPages {
    func html(_ page: LandingPage) -> String { String(buffer: landing(decided(page))) }

    /// The page with the buttons that its visitor gets.
    fileprivate func decided(_ page: LandingPage) -> LandingPage {
        var page = page
        page.decision = LandingDecision(
            to: LandingVisit(
                device: page.device, isInvite: page.kind != .profile,
                opensApp: app.opening(page.openURL) != nil), app)
        return page
    }

    func errorHTML(
        _ page: ErrorPage, _ language: Language, _ device: Device = .unknown, requestID: String
    ) -> String {
        String(buffer: error(page, language, device, requestID: requestID))
    }
}
