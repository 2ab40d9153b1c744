import Foundation
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Links
@testable import Visits
@testable import Web

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
                    == #"<button class="button quiet" data-copy="https://kith.example/7h2k9m4pqr5t8vwx" hidden>\#(texts(.save))</button>"#
            )
            page.kind = .profile
            #expect(!pages.html(page).contains("data-copy=") && !pages.html(page).contains("data-hint="))
        }
    }

    @Test(arguments: [
        Device(system: .iOS), Device(system: .iOS, inAppBrowser: .instagram), Device(system: .android),
        Device(system: .android, inAppBrowser: .line),
    ])
    func `on a phone one button stands out, and the one for those who have the app is quiet`(device: Device)
        throws
    {
        let texts = try LandingLanguages()[.en]
        var page = page(language: .en)
        page.device = device
        let html = pages.html(page)
        let buttons = html.matches(of: /<(?:a|button) class="button([^"]*)"[^>]*>([^<]*)</).map {
            (kind: $0.1, text: $0.2)
        }
        #expect(buttons.filter { $0.kind.contains("first") }.count == 1, "\(buttons)")
        let own = buttons.filter { $0.text == texts(.hasApp, [.app: "Kith"]) }
        #expect(own.allSatisfy { $0.kind == " quiet" } && buttons.count > 1, "\(buttons)")
    }

    @Test(arguments: [Language.en, .ja, .ar])
    func `row 8: on a computer the code is first, the link can be copied, and nothing opens the app's scheme`(
        language: Language
    ) throws {
        let texts = try LandingLanguages()[language]
        let html = pages.html(page(language: language))
        #expect(hrefs(of: html) == ["https://apps.example/42", "https://play.example/42"])
        #expect(!html.contains(#"href="sample:"#))
        let places = [
            "<figure>", "<figcaption>", "</figure>", #"<p class="link""#, "data-done=",
            "class=\"button apple",
        ]
        .map { html.range(of: $0)?.lowerBound }
        #expect(!places.contains(nil) && places.compactMap(\.self) == places.compactMap(\.self).sorted())
        #expect(
            html.contains("</figcaption>\n</figure>"), "its caption is the last of a figure, as HTML wants it"
        )
        let button =
            #"data-done="\#(texts(.linkCopied))" aria-live="polite" hidden>\#(texts(.copy))</button>"#
        #expect(html.contains(button), "\(html)")
        #expect(!html.contains("button first"), "no button stands out beside the code")
        let pad =
            #"<a class="button quiet" data-pad="sample://users/hanako" hidden>\#(texts(.hasApp, [.app: "Kith"]))</a>"#
        #expect(html.contains(pad), "on an iPad that calls itself a Mac the script shows it")
    }

    @Test func `row 8: an app with a desktop build is opened by the first button`() throws {
        let html = try Self.pages(Self.listing { $0.hasDesktopApp = true }).html(page())
        #expect(
            hrefs(of: html) == [
                "sample://users/hanako", "https://apps.example/42", "https://play.example/42",
            ])
        #expect(html.contains(#"class="button first" href="sample:"#) && !html.contains("data-pad="))
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
