import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Visits

/// What stands on the pages on the way, and who gets none.
extension DeepLinkRoutesTests {
    /// A browser inside LINE or Instagram.
    private static func inApp(_ system: Device.System, _ app: String) -> HTTPFields {
        var headers = system == .iOS ? HTTPFields.iPhone : .android
        headers[.userAgent]? += app
        return headers
    }

    private func hrefs(_ page: TestApp.Answer) -> [String] {
        page.text.matches(of: /href="([^"]*)"/).map { String($0.1) }
    }

    @Test(arguments: [" Line/14.0.0", " Instagram 340.0.0.0"])
    func `row 2: who left a browser inside another app on Android is sent on, or would come again and again`(
        browser: String
    ) async throws {
        try await run { app in
            let device = Self.inApp(.android, browser)
            for (path, query) in [
                ("/", "\(Self.link)&\(Self.apps)"), ("/l", "\(Self.link)&apn=com.example.app"),
            ] {
                let host =
                    path == "/" ? "go.example.com" : String(TestApp.origin.split(separator: "/").last ?? "")
                let first = try await open(app, query, device, at: path, host: host)
                let ways = hrefs(first).filter {
                    $0.contains("openExternalBrowser=1") && !$0.contains("package=com.example.app")
                }
                #expect(first.status == 200 && ways.count == 1, "\(hrefs(first))")
                let second = try await open(
                    app, "\(query)&openExternalBrowser=1", device, at: path, host: host)
                #expect(second.status == 302, "\(second.text)")
                #expect(second.headers[.location]?.hasPrefix("https://play.google.com/") == true)
                #expect(second.headers[.location]?.contains("openExternalBrowser") == false)
            }
        }
    }

    @Test(arguments: [" Line/14.0.0", " Instagram 340.0.0.0"])
    func `row 4: who left a browser inside another app on an iPhone gets the page without the way out`(
        browser: String
    ) async throws {
        try await run { app in
            let (device, query) = (Self.inApp(.iOS, browser), "\(Self.link)&\(Self.apps)")
            let first = try await open(app, query, device)
            #expect(hrefs(first).filter { $0.contains("openExternalBrowser") }.count == 1, "\(hrefs(first))")
            let second = try await open(app, "\(query)&openExternalBrowser=1", device)
            #expect(second.status == 200 && second.copied != nil, "it copies the link")
            #expect(!hrefs(second).contains { $0.contains("openExternalBrowser") }, "\(hrefs(second))")
        }
    }

    @Test(
        arguments: [
            ("https://apps.apple.com/app/id6448311069", nil),
            ("https://apps.apple.com/jp/app/kith/id6448311069?l=ja", nil),
            (nil, "6448311069"), ("https://apps.apple.com/app/id999", "6448311069"),
        ] as [(String?, String?)])
    func `a link of another app in the App Store does not lead there`(store: String?, id: String?)
        async throws
    {
        try await run({ ($0.app.appStoreURL, $0.app.appStoreID) = (store, id) }) { app in
            for (isi, place) in [
                ("6448311069", "https://apps.apple.com/app/id6448311069"),
                ("111", "https://example.com/party?id=7"),
            ] {
                let answer = try await open(
                    app, "\(Self.link)&ibi=com.example.app&isi=\(isi)&efr=1", .iPhone)
                #expect(answer.headers[.location] == place, "\(isi)")
            }
        }
    }

    @Test func `Apple's banner has what the App Store is to be told`() async throws {
        try await run { app in
            let page = try await open(app, "\(Self.link)&\(Self.apps)&pt=9&ct=a%20b&at=x&mt=8", .iPhone)
            let banner =
                "app-id=6448311069, app-argument=https://example.com/party?id=7, affiliate-data=pt=9&amp;ct=a%20b&amp;mt=8&amp;at=x"
            #expect(
                page.text.contains(#"<meta name="apple-itunes-app" content="\#(banner)">"#), "\(page.text)")
            let plain = try await open(app, "\(Self.link)&\(Self.apps)", .iPhone)
            #expect(!plain.text.contains("affiliate-data"))
        }
    }

    @Test func `a preview without a picture shows the app's icon, if there is one`() async throws {
        let icon = "data:image/png;base64,\(Data(try QRCode("icon").png(side: 200)).base64EncodedString())"
        let agent: HTTPFields = [.userAgent: "facebookexternalhit/1.1"]
        let image = #"<meta property="og:image" content="\#(TestApp.origin)/icon.png">"#
        try await run({ $0.app.icon = icon }) { app in
            let page = try await open(app, Self.link, agent)
            #expect(page.text.contains(image) && page.text.contains(#"content="summary">"#), "\(page.text)")
            #expect(try await app.get("/icon.png").status == 200)
            let own = try await open(app, "\(Self.link)&si=https%3A%2F%2Fcdn.example.org%2Fi.png", agent)
            #expect(!own.text.contains(image) && own.text.contains("https://cdn.example.org/i.png"))
        }
        try await run { app in
            let page = try await open(app, Self.link, agent)
            #expect(!page.text.contains("og:image"))
        }
    }
}
