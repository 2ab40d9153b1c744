import Testing

@testable import AppTesting
@testable import Kernel
@testable import Links
@testable import Visits

/// What a `User-Agent` tells, and what follows from it.
@Suite struct DeviceTests {
    private static func app(_ change: (inout AppConfig) -> Void = { _ in }) throws -> AppListing {
        try AppListing(
            AppConfig {
                ($0.scheme, $0.appStoreID, $0.androidPackage) = ("sample", "42", "com.example.app")
                ($0.minimumIOS, $0.minimumAndroid) = (SystemVersion(16), SystemVersion(8))
                $0.storeFirst = true
                change(&$0)
            })
    }

    @Test(arguments: KnownAgent.all)
    func `a known browser is the device that it is, and gets what that gets`(known: KnownAgent) throws {
        let (agent, app) = (UserAgent(known.text), try Self.app())
        let device = app.device(of: agent)
        #expect(device == known.device)
        #expect(agent.isProgram == known.isFetcher)
        let way = device.leaving(for: "https://join.example.com/users/hana")
        #expect(way?.prefix { $0 != "/" } == known.way.map { $0[...] })
        let answer = LandingDecision(
            to: LandingVisit(device: device, isInvite: true, opensApp: true), app)
        #expect(answer.row == known.row)
        #expect(answer.isRedirect == [4, 5].contains(known.row))
        #expect(answer.offers.contains(.browser) == (way != nil && known.row != 1))
    }

    @Test(arguments: [
        ("Safari/604.1 Version/17.5", true), ("Safari/605.1.15 (an app's name)", true), ("", true),
        ("Chrome/126.0.0.0 Safari/537.36", false), ("Mobile/15E148", false),
    ])
    func `what calls itself a Mac may be an iPad, in a browser and in an app`(rest: String, mayBe: Bool) {
        let agent =
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
        #expect(UserAgent(agent + rest).mayBeIPad == mayBe)
        #expect(!UserAgent((agent + rest).replacing("Macintosh", with: "X11")).mayBeIPad)
        #expect(
            !UserAgent("Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:127.0) Gecko/20100101 Firefox/127.0")
                .mayBeIPad)
    }

    private static let chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"

    /// Each word is all that tells it from a browser.
    @Test(arguments: ["bot", "Spider", "SCAN", "scraper", "HealthCheck", "monitor"])
    func `a program that calls itself so is one, but not a phone of that name`(word: String) {
        for agent in [
            "Mozilla/5.0 (X11; Linux x86_64) \(Self.chrome) Example\(word)",
            "Mozilla/5.0 (Example\(word); X11; Linux x86_64) \(Self.chrome)",
            "Mozilla/5.0 (Linux; Android 13; Pixel 8) \(Self.chrome) \(word)",
        ] {
            #expect(UserAgent(agent).isProgram, "\(agent)")
        }
        #expect(!UserAgent("Mozilla/5.0 (Linux; Android 13; CU\(word) P80) \(Self.chrome)").isProgram)
    }

    @Test(arguments: [
        "+https://example.com", "Examplebot/1", "spider/2", "Previewer", "prefetch", "Crawler",
        "HeadlessChrome/126.0", "Chrome-Lighthouse", "GoogleMessages", "Google-Safety", "imageproxy",
        "PTST/1", "Pingdom", "PhantomJS", "Selenium", "Playwright", "WhatsApp/2", "facebookexternalhit",
    ])
    func `no phone is called what says that a program asks`(mark: String) {
        for agent in [
            "Mozilla/5.0 (X11; Linux x86_64) \(Self.chrome) \(mark)",
            "Mozilla/5.0 (Linux; Android 13; \(mark)) \(Self.chrome)",
        ] {
            #expect(UserAgent(agent).isProgram, "\(agent)")
        }
    }

    @Test func `the version is read only for a system with a minimum`() throws {
        let app = try Self.app { ($0.minimumIOS, $0.minimumAndroid) = (nil, nil) }
        for known in KnownAgent.all { #expect(app.device(of: UserAgent(known.text)).version == nil) }
    }

    @Test(arguments: [
        "iPhone OS ", "iPhone OS x", "iPhone OS 99999999999999999999_1", "iPhone OS 1_", "iPhone OS _1",
        "iPhone OS \u{FFFF}", "Android ", "Android 99999999999999999999.99999999999999", "Android .",
        String(repeating: "Android ", count: 1000), String(repeating: "iPhone OS 1", count: 1000),
        "iPhone\0OS 1",
        String(repeating: "x", count: 100_000) + "iPhone",
    ])
    func `nobody breaks it`(agent: String) throws {
        _ = try Self.app().device(of: UserAgent(agent))
    }
}
