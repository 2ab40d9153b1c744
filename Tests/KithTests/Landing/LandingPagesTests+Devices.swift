import Testing

@testable import Kith

/// What depends on who opens the page.
extension LandingPagesTests {
    @Test(arguments: [
        (Language.en, "Kith needs iOS 16.4 or later."), (.ja, "KithにはiOS 16.4以降が必要です。"),
        (.ar, "يتطلب Kith نظام iOS 16.4 أو أحدث."),
    ])
    func `a phone on whose system the app does not run reads so, and shows the code to another`(
        language: Language, sentence: String
    ) throws {
        let pages = try Self.pages(Self.listing { $0.minimumIOS = SystemVersion(16, 4) })
        var page = page(language: language)
        page.device = Device(system: .iOS, version: SystemVersion(16, 3))
        let html = pages.html(page)
        #expect(html.contains(sentence))
        #expect(html.contains(#"<details class="scan" open>"#))
        #expect(hrefs(of: html) == ["https://sample.example"])
        #expect(!html.contains("data-copy"))
        page.device.version = SystemVersion(16, 4)
        #expect(!pages.html(page).contains(sentence))
        #expect(
            hrefs(
                of: pages.errorHTML(
                    .gone, .en, Device(system: .iOS, version: SystemVersion(9)), requestID: ""))
                == ["https://sample.example"])
    }

    @Test func `a computer's page has the script that finds iPads, and an Android's has none`() {
        for kind in [LandingPage.Kind.invite, .profile] {
            var page = page(kind: kind)
            #expect(pages.html(page).contains(#"[".apple", ".first""#))
            #expect(pages.html(page).contains(#"class="button apple" href="https://apps.example/42""#))
            page.device = Device(system: .android)
            #expect(!pages.html(page).contains("<script>"))
        }
    }

    @Test(arguments: [Language.en, .ja, .ar])
    func `the button that copies the invite stands below the App Store's, with what the script says there`(
        language: Language
    ) throws {
        let texts = try LandingLanguages()[language]
        for device in [Device(system: .iOS), Device(system: .iOS, inAppBrowser: .line), .unknown] {
            var page = page(language: language)
            page.device = device
            let html = pages.html(page)
            let below = try #require(html.split(separator: "\(texts(.appStore))</a>", maxSplits: 1).last)
            let lines = below.split(separator: "\n").prefix(2)
            for key in [LandingTexts.Key.saveHint, .saved, .saveRefused] {
                #expect(lines.first?.contains("=\"\(texts(key, [.app: "Kith"]))\"") == true, "\(key)")
            }
            #expect(
                lines.last
                    == #"<button class="button" data-copy="https://kith.example/7h2k9m4pqr5t8vwx" hidden>\#(texts(.save))</button>"#
            )
            page.kind = .profile
            #expect(!pages.html(page).contains("data-copy=") && !pages.html(page).contains("data-hint="))
        }
    }

    @Test(arguments: Device.InAppBrowser.allCases)
    func `the browser of another app says how to leave it by hand`(browser: Device.InAppBrowser) {
        for system in [Device.System.iOS, .android] {
            var page = page()
            page.device = Device(system: system, inAppBrowser: browser)
            #expect(pages.html(page).contains("look for “Open in browser” behind"))
        }
    }
}
