import Testing

@testable import AppTesting
@testable import Links
@testable import Visits
@testable import Web

/// What is filled into the texts of a user's page.
extension LandingPagesTests {
    /// The keys that remote values may change, each with a page on which its text stands.
    private func shown(_ key: LandingTexts.Key) -> LandingPage {
        var page = page()
        switch key {
        case .askSentence: page.kind = .ask
        case .open, .playStore: page.device = Device(system: .android)
        case .openInBrowser, .browserHint: page.device = Device(system: .iOS, inAppBrowser: .line)
        case .scan, .copy, .linkCopied: page.device = .unknown
        default: page.device = Device(system: .iOS)
        }
        page.browserURL = page.device.leaving(for: page.url)
        page.playStoreURL = "https://play.example/42"
        return page
    }

    @Test(arguments: LandingTexts.Key.allCases.filter(LandingChanges.keys.contains))
    func `every text that may be changed names the inviter and the app, if it says so`(
        key: LandingTexts.Key
    ) {
        for language in [Language.en, .ja, .ar] {
            var page = shown(key)
            page.language = language
            let yaml = "landing.\(key).\(language)"
            page.changes = LandingChanges([yaml: "<{name} & {app}>"], language)
            #expect(page.changes.texts.count == 1, "\(yaml)")
            let html = pages.html(page)
            #expect(html.contains("&lt;Hanako &amp; Kith&gt;"), "\(key) in \(language): \(html)")
        }
    }

    @Test func `a name in another direction of writing stays apart in a changed text`() {
        var page = page()
        page.displayName = "محمد"
        page.changes = LandingChanges(["landing.inviteSentence.en": "{name} waits on {app}."], .en)
        let html = pages.html(page)
        #expect(html.contains(#"<p class="sentence">\#u{2068}محمد\#u{2069} waits on Kith.</p>"#), "\(html)")
    }
}
