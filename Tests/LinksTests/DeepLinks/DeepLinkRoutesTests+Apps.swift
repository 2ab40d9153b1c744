import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// Several apps on one domain, and URLs of an app's own.
extension DeepLinkRoutesTests {
    private static let mac: HTTPFields = [
        .userAgent:
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15"
    ]

    @Sendable private static func withOthers(_ config: inout Config) {
        config.app.iosOtherApps = "ABCDE12345.com.other storeId=2000000002 scheme=other,ABCDE12345.com.debug"
        config.app.androidOtherApps = "com.other=\(Array(repeating: "AB", count: 32).joined(separator: ":"))"
        config.app.schemeURLs = "/hotels/* url=sample://hotels/*/,/hotels/* url=other://h/*"
    }

    private static let hotel = "link=https%3A%2F%2Fexample.com%2Fhotels%2F27500"

    @Test func `a link of a further app leads to its store, its button and its scheme`() async throws {
        try await run(Self.withOthers) { app in
            let query = "\(Self.link)&ibi=com.other&isi=2000000002&apn=com.other"
            let page = try await open(app, query, .iPhone)
            #expect(page.text.contains(#"href="https://apps.apple.com/app/id2000000002""#), "\(page.text)")
            #expect(page.text.contains(#"content="app-id=2000000002,"#))
            #expect(page.text.contains(#"href="other://google/link/?"#))
            let android = try await open(app, query, .android)
            #expect(android.headers[.location]?.contains("details?id=com.other&") == true)
            let main = try await open(app, "\(Self.link)&\(Self.apps)", .iPhone)
            #expect(main.text.contains(#"href="com.example.app://google/link/?"#), "as Firebase's SDK did")
            let debug = try await open(app, "\(Self.link)&ibi=com.debug&isi=6448311069", .iPhone)
            #expect(debug.text.contains(#"href="https://apps.apple.com/app/id6448311069""#))
            #expect(debug.text.contains(#"href="com.debug://google/link/?"#))
        }
    }

    @Test func `a target whose path has one opens the app by its own URL`() async throws {
        try await run(Self.withOthers) { app in
            let page = try await open(app, "\(Self.hotel)&\(Self.apps)", .iPhone)
            let url = "sample://hotels/27500/"
            #expect(page.text.contains(#"<meta property="al:ios:url" content="\#(url)">"#), "\(page.text)")
            #expect(page.text.contains(#"<meta property="al:android:url" content="\#(url)">"#))
            #expect(page.text.contains(#"href="\#(url)" data-fragment>"#))
            let line = try await open(app, "\(Self.hotel)&\(Self.apps)", .inApp)
            #expect(
                line.text.contains("intent://hotels/27500/#Intent;scheme=sample;package=com.example.app;"))
            let other = try await open(app, "\(Self.hotel)&ibi=com.other&isi=2000000002", .iPhone)
            #expect(other.text.contains(#"href="other://h/27500""#), "\(other.text)")
            let asked = try await open(app, "\(Self.hotel)&ibi=com.example.app&ius=com.example.app", .iPhone)
            #expect(asked.text.contains(#"href="com.example.app://google/link/?"#), "the link names a scheme")
            let debug = try await open(app, "\(Self.hotel)&ibi=com.debug", .iPhone)
            #expect(debug.text.contains(#"href="com.debug://google/link/?"#), "a scheme of another app")
            let elsewhere = try await open(app, "\(Self.link)&\(Self.apps)", .iPhone)
            #expect(elsewhere.text.contains(#"href="com.example.app://google/link/?"#))
            let flow = try await open(app, "\(Self.hotel)&\(Self.apps)&d=1", [:])
            #expect(flow.text.contains(#"<bdi dir="ltr">\#(url)</bdi>"#), "\(flow.text)")
        }
    }

    @Test func `on a Mac only the script of the page opens the app, once it has found an iPad`() async throws
    {
        try await run { app in
            let page = try await open(app, "\(Self.link)&\(Self.apps)", Self.mac)
            #expect(page.status == 200, "\(page.text)")
            #expect(page.text.contains(#"data-pad="com.example.app://google/link/?"#))
            #expect(!page.text.contains(#"href="com.example.app:"#))
        }
    }

    @Test func `the page shows the picture of a link, if it is from a host that may show pictures`()
        async throws
    {
        let hosts = try #require(AvatarHosts("cdn.example.org"))
        try await run({ $0.avatarHosts = hosts }) { app in
            for (url, isShown) in [
                ("https://cdn.example.org/i.png", true), ("https://evil.example/i.png", false),
                ("http://cdn.example.org/i.png", false),
                ("https://cdn.example.org@evil.example/i.png", false),
            ] {
                let query = "\(Self.link)&\(Self.apps)&si=\(PercentEncoding.encode(url))"
                let page = try await open(app, query, .iPhone)
                let picture = #"<img class="picture" src="\#(url)" alt="" referrerpolicy="no-referrer">"#
                #expect(page.text.contains(picture) == isShown, "\(page.text)")
                #expect(page.headers[.contentSecurityPolicy]?.contains("evil.example") == false)
            }
        }
    }

    @Test func `the page of a damaged or a dead link leads on to the app`() async throws {
        try await run({ $0.app.homeURL = "https://sample.example/app" }) { app in
            for (path, status) in [("/?link=nonsense", 400), ("/nothing", 404)] {
                let headers: HTTPFields = [.testHost: "go.example.com", .accept: "text/html"]
                let page = try await app.get(path, headers: headers)
                #expect(page.status == status && page.text.contains(#"href="https://sample.example/app""#))
                #expect(
                    page.text.contains(#"href="https://apps.apple.com/app/id6448311069""#), "\(page.text)")
            }
        }
    }

    @Test func `a host of deep links by itself leads to the app's page, and its links do not`() async throws {
        try await run({ $0.app.homeURL = "https://sample.example/app" }) { app in
            let host: HTTPFields = [.testHost: "go.example.com"]
            let root = try await app.get("/", headers: host)
            #expect((root.status, root.headers[.location]) == (302, "https://sample.example/app"))
            #expect(try await app.get("/?", headers: host).status == 302)
            #expect(try await app.get("/nothing", headers: host).status == 404)
            #expect(try await app.get("/?st=x", headers: host).status != 302)
        }
    }
}

extension HTTPFields {
    fileprivate static let inApp: HTTPFields = [
        .userAgent:
            "Mozilla/5.0 (Linux; Android 14; wv) Chrome/130.0.0.0 Mobile Safari/537.36 Line/15.0.0/IAB"
    ]
}
