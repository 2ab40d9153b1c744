import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

/// `/` of the host of links, and what the settings leave out.
@Suite(.inTurns) struct StartRoutesTests {
    private static let browser: HTTPFields = [.accept: "text/html,*/*;q=0.8"]

    @Test func `it leads to the operator's page about the app`() async throws {
        try await TestApp.run(configure: { $0.app.homeURL = "https://sample.example/app?x=1" }) { app in
            for headers in [Self.browser, [:]] {
                let root = try await app.get("/", headers: headers)
                #expect((root.status, root.headers[.location]) == (302, "https://sample.example/app?x=1"))
                #expect(root.headers[.cacheControl] == "no-store")
            }
            #expect(try await app.call(.head, "/").status == 302)
            #expect(try await app.call(.post, "/").status == 405)
        }
    }

    @Test(arguments: ["", "/", "/?a=1", "/#x", ":443/"])
    func `it does not lead to itself`(rest: String) async throws {
        try await TestApp.run(configure: {
            TestApp.withStores(&$0)
            $0.app.homeURL = TestApp.origin + rest
        }) { app in
            let root = try await app.get("/", headers: Self.browser)
            #expect(root.status == 404)
        }
    }

    @Test func `a server whose app nobody has set up says what to set`() async throws {
        try await TestApp.run { app in
            let page = try await app.get("/", headers: Self.browser)
            #expect(page.status == 200 && page.headers[.contentType] == "text/html; charset=utf-8")
            #expect(page.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
            let text = try await app.get("/")
            #expect(text.status == 200 && text.headers[.contentType] == "text/plain; charset=utf-8")
            for name in [
                "KITH_APP_NAME", "KITH_APP_STORE_ID", "KITH_APP_URL", "KITH_IOS_TEAM_ID",
                "kith serve --check",
            ] {
                #expect(page.text.contains(name) && text.text.contains(name), "\(name)")
            }
        }
        try await TestApp.run(configure: { $0.app.scheme = "sample" }) { app in
            let root = try await app.get("/", headers: Self.browser)
            #expect(root.status == 404, "visitors are told nothing of settings")
        }
    }

    @Test func `kith dev shows an invite, the devices and a token`() async throws {
        try await TestApp.run(
            configure: {
                TestApp.withStores(&$0)
                $0.app.homeURL = "https://app.example.com/"
            }, isForDevelopment: true
        ) { app in
            let page = try await app.get("/", headers: Self.browser)
            #expect(page.status == 200, "\(page.text)")
            for url in ["/users/hanako?invitedBy=demo-hanako", "/dev/devices"] {
                #expect(page.text.contains(#"<a href="\#(TestApp.origin)\#(url)">"#), "\(page.text)")
            }
            #expect(page.text.contains("kith token --uid demo-ken"))
        }
    }

    private static let whole: [String: String] = [
        "KITH_LINK_URL": "https://join.example.com", "KITH_LISTEN": "0.0.0.0:8080", "KITH_APP_NAME": "Sample",
        "KITH_APP_STORE_ID": "1", "KITH_APP_URL": "https://sample.example",
        "KITH_IOS_TEAM_ID": "ABCDE12345", "KITH_IOS_BUNDLE_ID": "com.sample",
    ]

    @Test(arguments: [
        ("KITH_LINK_URL", "KITH_LINK_URL: not set, so links begin with http://0.0.0.0:8080"),
        ("KITH_APP_NAME", "KITH_APP_NAME: not set, so the pages call the app Kith"),
        (
            "KITH_APP_STORE_ID",
            "KITH_APP_STORE_ID, KITH_ANDROID_PACKAGE or KITH_APP_SCHEME: not set, so the page"
        ),
        ("KITH_APP_URL", "KITH_APP_URL: not set, so dead links"),
        ("KITH_IOS_BUNDLE_ID", "KITH_IOS_TEAM_ID and KITH_IOS_BUNDLE_ID, or KITH_ANDROID"),
    ])
    func `each setting that is missing is named with what that costs`(name: String, gap: String) {
        #expect(Config.gaps(in: Self.whole).isEmpty)
        var settings = Self.whole
        settings[name] = nil
        let gaps = Config.gaps(in: settings).map(\.description)
        #expect(gaps.count == 1 && gaps.first?.hasPrefix(gap) == true, "\(gaps)")
    }

    @Test func `Android alone is no gap`() {
        var settings = Self.whole
        for name in ["KITH_APP_STORE_ID", "KITH_IOS_TEAM_ID", "KITH_IOS_BUNDLE_ID"] { settings[name] = nil }
        settings["KITH_ANDROID_PACKAGE"] = "com.sample"
        settings["KITH_ANDROID_FINGERPRINTS"] = Array(repeating: "AB", count: 32).joined(separator: ":")
        #expect(Config.gaps(in: settings).isEmpty)
    }

    @Test func `the log at the start and the check of the settings name them`() async throws {
        let database = ["KITH_DATABASE_URL": try await TestPostgres.shared.migratedDatabase()]
        let checked = try await KithCommand(["serve", "--check"], database).run()
        #expect(checked.output.contains("warning: KITH_APP_NAME: not set, so the pages call the app Kith\n"))
        let server = try await KithServer.start(database)
        server.process.terminate()
        let log = await server.exit().error
        #expect(log.contains("the page of an invite has no button: set KITH_APP_STORE_ID"), "\(log)")
        let set = try await KithCommand(["serve", "--check"], Self.whole).run()
        #expect(!set.output.contains("warning:"), "\(set.output)")
    }
}
