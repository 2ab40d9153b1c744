import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// Long links at their own domain, as browsers open them.
@Suite(.inTurns) struct DeepLinkRoutesTests {
    func run(
        _ adjust: @Sendable (inout Config) -> Void = { _ in },
        _ test: @Sendable (TestApp) async throws -> Void
    ) async throws {
        try await TestApp.run(configure: {
            TestApp.withStores(&$0)
            $0.app.iosTeamID = "ABCDE12345"
            $0.app.iosBundleID = "com.example.app"
            $0.app.androidPackage = "com.example.app"
            $0.app.scheme = "sample"
            $0.app.linkDomains = "https://go.example.com,\(TestApp.origin)/l"
            $0.app.linkTargets = "example.com"
            adjust(&$0)
        }) { try await test($0) }
    }

    func open(
        _ app: TestApp, _ query: String, _ device: HTTPFields, at path: String = "/",
        host: String = "go.example.com"
    ) async throws -> TestApp.Answer {
        var headers = device
        headers[.testHost] = host
        return try await app.get("\(path)?\(query)", headers: headers)
    }

    static let link = "link=https%3A%2F%2Fexample.com%2Fparty%3Fid%3D7"
    static let apps = "apn=com.example.app&ibi=com.example.app&isi=6448311069"

    @Test func `a long link leads each device where its parameters say`() async throws {
        try await run { app in
            let desktop = try await open(app, Self.link, [:])
            #expect((desktop.status, desktop.headers[.location]) == (302, "https://example.com/party?id=7"))
            let android = try await open(app, "\(Self.link)&\(Self.apps)&utm_source=x", .android)
            #expect(
                android.headers[.location]
                    == "https://play.google.com/store/apps/details?id=com.example.app&referrer="
                    + PercentEncoding.encode(
                        "kith_link="
                            + PercentEncoding.encode(
                                "https://go.example.com/?\(Self.link)&utm_source=x")
                            + "&utm_source=x"))
            let phone = try await open(app, "\(Self.link)&\(Self.apps)&efr=1&pt=9", .iPhone)
            #expect(phone.headers[.location] == "https://apps.apple.com/app/id6448311069?pt=9")
            let page = try await open(app, "\(Self.link)&\(Self.apps)&st=Party&ius=Sample", .iPhone)
            #expect(page.status == 200 && page.text.contains("<title>Party</title>"), "\(page.text)")
            #expect(page.text.contains(#"href="https://apps.apple.com/app/id6448311069""#))
            let opening =
                "sample://google/link/?match_type=unique&amp;deep_link_id=https%3A%2F%2Fexample.com%2Fparty%3Fid%3D7\""
            #expect(page.text.contains(opening))
            #expect(page.text.contains(#"data-copy="https://go.example.com/?\#(Self.link)""#))
            #expect(!page.text.contains("invite"))
        }
    }

    @Test func `a domain may be a path of the host of invites`() async throws {
        try await run { app in
            let host = String(TestApp.origin.split(separator: "/").last ?? "")
            for path in ["/l", "/l/"] {
                let answer = try await open(app, Self.link, [:], at: path, host: host)
                #expect(answer.headers[.location] == "https://example.com/party?id=7", "\(path)")
            }
            #expect(try await open(app, Self.link, [:], at: "/", host: host).status == 404)
        }
    }

    @Test func `an invite inside leads to the current name at once`() async throws {
        try await run { app in
            try await app.signUp("ann")
            let target = PercentEncoding.encode("\(TestApp.origin)/users/ann?invitedBy=u-ann")
            #expect(
                try await open(app, "link=\(target)", [:]).headers[.location]
                    == "\(TestApp.origin)/users/ann?invitedBy=u-ann")
            try await app.rename("u-ann", to: "anna")
            #expect(
                try await open(app, "link=\(target)", [:]).headers[.location]
                    == "\(TestApp.origin)/users/anna?invitedBy=u-ann")
            let page = try await open(app, "link=\(target)&\(Self.apps)", .iPhone)
            let anna = PercentEncoding.encode("\(TestApp.origin)/users/anna?invitedBy=u-ann")
            #expect(page.text.contains(#"data-copy="https://go.example.com/?link=\#(anna)""#))
            #expect(page.text.contains("招待をコピー"))
            let store = try await open(app, "link=\(target)&\(Self.apps)", .android)
            let way = "\(TestApp.origin)/users/anna/play-store?invitedBy=u-ann&referrer=kith_link%3D"
            #expect(store.headers[.location]?.hasPrefix(way) == true)
        }
    }

    @Test(arguments: [
        "", "link=", "link=https%3A%2F%2Fevil.example", "link=https://evil.example/?a=b", "apn=x",
    ])
    func `what is no link leads nowhere`(query: String) async throws {
        try await run { app in
            let answer = try await open(app, query, [.accept: "text/html"])
            #expect([400, 404].contains(answer.status) && answer.headers[.location] == nil, "\(answer.text)")
        }
    }
}

extension DeepLinkRoutesTests {
    @Test(arguments: [
        "link=https%3A%2F%2Fexample.com%2F%5C", "link=https%3A%2F%2Fexample.com&st=%5C\\%22<>",
        "link=https%3A%2F%2Fexample.com&x=%00",
        "link=%", "link=https%3A%2F%2Fexample.com&st=%FF", "link=https%3A%2F%2Fexample.com&\\=;;",
    ])
    func `no query is too odd for an answer`(query: String) async throws {
        try await run { app in
            for device in [HTTPFields.iPhone, .android, [:], [.userAgent: "facebookexternalhit/1.1"]] {
                let answer = try await open(app, query + "&\(Self.apps)", device)
                #expect(
                    [200, 302, 400, 404].contains(answer.status),
                    "\(answer.status) \(answer.text.prefix(200))")
            }
        }
    }

    @Test func `the files of a domain let the app open its links, and nothing else`() async throws {
        try await run { app in
            let host = String(TestApp.origin.split(separator: "/").last ?? "")
            func paths(_ host: String) async throws -> [String] {
                let answer = try await app.get(
                    "/.well-known/apple-app-site-association", headers: [.testHost: host])
                let links = answer.json["applinks"] as? [String: Any]
                return ((links?["details"] as? [[String: Any]])?.first?["paths"] as? [String]) ?? []
            }
            let ofDomain = try await paths("go.example.com")
            #expect(
                ofDomain == [
                    "NOT /.well-known/*", "NOT /apple-app-site-association", "NOT /icon.png",
                    "NOT /robots.txt", "/*",
                ])
            let ofHost = try await paths(host)
            #expect(ofHost.prefix(2) == ["/l", "/l/*"])
            #expect(try await app.get("/v1/config", headers: [.testHost: "go.example.com"]).status == 404)
        }
    }
}

/// What Firebase's pages, stores and previews got of a link.
extension DeepLinkRoutesTests {
    private static let utm = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "gclid"]

    @Test func `a campaign goes on to the store that knows it`() async throws {
        try await run { app in
            let utm = Self.utm.map { "\($0)=\($0)%20%26" }.joined(separator: "&")
            let android = try await open(app, "\(Self.link)&\(Self.apps)&\(utm)&pt=1", .android)
            let referrer = try #require(android.playReferrer)
            #expect(referrer.hasSuffix("&\(utm)"), "\(referrer)")
            let apple = "pt=1&ct=a%20b&mt=8&at=x"
            let phone = try await open(app, "\(Self.link)&\(Self.apps)&efr=1&\(utm)&\(apple)", .iPhone)
            #expect(phone.headers[.location] == "https://apps.apple.com/app/id6448311069?\(apple)")
        }
    }

    @Test(arguments: [
        "cid=1234567890123456789", "_osl=https%3A%2F%2Fgo.example.com%2Fx", "_icp=1",
        "_fpb=CKwGEPcCGgVlbi1VUw==",
        "_cpt=cpit", "_cpb=1", "_iumenbl=1", "_iumchkactval=1", "_plt=512", "_uit=1042", "d=0", "ad=1",
        "nonsense=1",
    ])
    func `what Firebase's page added to a link that was copied changes nothing`(pair: String) async throws {
        try await run { app in
            let answer = try await open(app, "\(pair)&\(Self.link)&\(pair)", [:])
            #expect(answer.headers[.location] == "https://example.com/party?id=7")
        }
    }

    @Test func `a preview has title, description and picture`() async throws {
        try await run { app in
            let social = "st=A%20%3Cb%3E&sd=D%22&si=https%3A%2F%2Fcdn.example.org%2Fi.png"
            let agent: HTTPFields = [.userAgent: "facebookexternalhit/1.1"]
            let page = try await open(app, "\(Self.link)&\(Self.apps)&\(social)", agent)
            for (name, content) in [
                ("og:title", "A &lt;b&gt;"), ("og:description", "D&quot;"),
                ("og:image", "https://cdn.example.org/i.png"), ("al:ios:app_store_id", "6448311069"),
                (
                    "al:ios:url",
                    "com.example.app://google/link/?match_type=unique&amp;deep_link_id=https%3A%2F%2Fexample.com%2Fparty%3Fid%3D7"
                ),
                ("al:android:package", "com.example.app"),
                ("al:web:url", "https://example.com/party?id=7"),
            ] {
                #expect(
                    page.text.contains(#"<meta property="\#(name)" content="\#(content)">"#), "\(page.text)")
            }
            for (name, content) in [
                ("twitter:card", "summary_large_image"), ("twitter:title", "A &lt;b&gt;"),
                ("twitter:description", "D&quot;"), ("twitter:image", "https://cdn.example.org/i.png"),
                ("apple-itunes-app", "app-id=6448311069, app-argument=https://example.com/party?id=7"),
            ] {
                #expect(page.text.contains(#"<meta name="\#(name)" content="\#(content)">"#), "\(page.text)")
            }
            #expect(page.status == 200 && page.headers[.location] == nil)
        }
    }

    @Test func `a target that is not allowed is a 400, as a visitor of Firebase got`() async throws {
        try await run { app in
            let answer = try await open(app, "link=https%3A%2F%2Fevil.example", [.accept: "text/html"])
            #expect(answer.status == 400 && answer.headers[.location] == nil)
            #expect(try await open(app, "apn=x", [.accept: "text/html"]).status == 404)
        }
    }
}
